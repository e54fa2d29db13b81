"""The corpus of mistakes, as its scripts read it."""
import re
from pathlib import Path

HERE = Path(__file__).resolve().parent

# The cases whose messages README.md shows in full.
SHOWN = ("one_element_too_far", "used_after_free", "reverse_without_barrier", "warp_synchronous_reduction", "plain_histogram",
         "return_before_barrier", "tail_not_loaded", "dynamic_memory_not_given", "host_pointer_in_a_kernel",
         "async_copy_not_waited_for")

# Of compute-sanitizer.
TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")


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


def write_main(path, folder):
    """A program that runs the case it is told to, or the file's own main."""
    text = path.read_text()
    names = [name for _, name in cases_of(path)]
    callable_ = [n for n in names if re.search(r"^void %s\(\)" % re.escape(n), text, re.MULTILINE)]
    lines = ["#include <cstring>", "#define main all_cases", '#include "%s"' % path.name, "#undef main",
             "int main(int, char** argument) {"]
    lines += ['    if (std::strcmp(argument[1], "%s") == 0) return %s(), cudaDeviceSynchronize();' % (n, n) for n in callable_]
    lines += ["    return all_cases();", "}"]
    made = folder / ("main_" + path.name)
    made.write_text("\n".join(lines) + "\n")
    return made
