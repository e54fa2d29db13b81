"""The corpus of mistakes, as its scripts read it."""
from pathlib import Path

HERE = Path(__file__).resolve().parent

# The cases whose messages README.md shows in full.
SHOWN = ("one_element_too_far", "used_after_free", "reverse_without_barrier", "warp_synchronous_reduction", "plain_histogram",
         "return_before_barrier", "tail_not_loaded", "dynamic_memory_not_given", "host_pointer_in_a_kernel",
         "async_copy_not_waited_for")


def sources():
    return sorted(HERE.glob("*/*.cu"))


def cases_of(path):
    """[(line, name)]"""
    return [(number, line.split("// CASE ")[1].strip()) for number, line in enumerate(path.read_text().splitlines(), 1)
            if "// CASE " in line]


def planted_in(path):
    """{case: [(line, code)]} of its mistakes."""
    cases = cases_of(path)
    planted = {name: [] for _, name in cases}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if "// FIND " in line:
            planted[[name for first, name in cases if first <= number][-1]].append((number, line.split("// FIND ")[1].split()[0]))
    return planted
