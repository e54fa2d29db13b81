"""The corpus of mistakes, as its scripts read it."""
import re
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
HEAD = re.compile(r"^(?:.*?: )?(error|warning|note(?=\[barrier-exited))\[([a-z-]+)\]: ")
PLACE = re.compile(r"([\w./-]+\.cu)(?: line |:)(\d+)")

# The cases whose messages README.md shows in full.
SHOWN = ("one_element_too_far", "used_after_free", "reverse_without_barrier", "warp_synchronous_reduction", "plain_histogram",
         "return_before_barrier", "tail_not_loaded", "dynamic_memory_not_given", "host_pointer_in_a_kernel",
         "async_copy_not_waited_for")

# What is found on a real GPU too: mistakes in calls of the runtime.
ON_ANY_DEVICE = {"bytes-not-elements", "leak", "not-destroyed", "unchecked-error", "wrong-direction", "wrong-free", "wrong-pitch"}

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
            # What stands above all cases is used by several.
            names = [name for first, name in cases if first <= number] or [cases[0][1]]
            planted[names[-1]].append((number, line.split("// FIND ")[1].split()[0]))
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


def findings(text, name):
    """[(code, {lines}, text)] of what was printed."""
    found = []
    for line in text.splitlines():
        head = HEAD.match(line)
        if head:
            found.append([head.group(2), set(), line])
        if not found:
            continue
        for file, number in PLACE.findall(line):
            if Path(file).name == name:
                found[-1][1].add(int(number))
        if not head:
            found[-1][2] += "\n" + line
    return found


def run(program, path, device="virtual"):
    done = subprocess.run([program, "--device", device, "--check", "all", "--plain", "--timeout", "60", "-I", str(HERE),
                           "run", path.name], cwd=path.parent, capture_output=True, text=True, timeout=120, check=False)
    return done.stdout + done.stderr, done.returncode


def judge(path, output, code, codes=None):
    """[(case, missed, false alarms)]; with `codes`, only mistakes of these are looked for."""
    cases, wanted, allowed, remedies = [], {}, {}, {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if "// CASE " in line:
            cases.append((number, line.split("// CASE ")[1].strip()))
        for mark, table in (("// FIND ", wanted), ("// ALSO ", allowed)):
            if mark in line:
                kind = line.split(mark)[1].split()[0]
                if codes is None or kind in codes:
                    table[number] = kind
        if number in wanted and " by " in line.split("// FIND ")[1]:
            remedies[number] = line.split(" by ")[-1].strip()

    def case_of(line):
        return next((name for first, name in reversed(cases) if first <= line), "?")

    result = {name: [[], []] for _, name in cases}
    seen = set()
    for kind, lines, text in findings(output, path.name):
        hits = [n for n in lines if wanted.get(n) == kind]
        if not lines:  # of the host's calls the line is not known: the next one of the kind
            hits = [n for n, k in sorted(wanted.items()) if k == kind and n not in seen][:1]
        hint = text.split("  hint: ")[-1]
        hits = [n for n in hits if remedies.get(n, "") in hint]
        seen.update(hits)
        if not hits and not any(allowed.get(n) == kind for n in lines):
            result.setdefault(case_of(min(lines)) if lines else "?", [[], []])[1].append(text)
    for number, kind in wanted.items():
        if number not in seen:
            result[case_of(number)][0].append("%s at line %d" % (kind, number))
    if code != (1 if any("// ENDS" in line for line in path.read_text().splitlines()) else 0):
        result.setdefault("?", [[], []])[1].append("exit code %d:\n%s" % (code, output[-2000:]))
    return result, {case_of(n) for n in wanted}
