"""match_problems.py EDITORS.md OUTPUT FILE LINE CODE: do the documented problem matchers find FILE:LINE with CODE there?"""

import json
import re
import sys

document, output, file, line, code = sys.argv[1:]
text = open(document, encoding="utf-8").read()
tasks = json.loads(re.search(r"```json\n(.*?)```", text, re.S).group(1))
lines = open(output, encoding="utf-8").read().split("\n")
found = []
for matcher in tasks["tasks"][0]["problemMatcher"]:
    patterns = matcher["pattern"] if isinstance(matcher["pattern"], list) else [matcher["pattern"]]
    # As VS Code: each pattern takes the line after that of the one before.
    for at in range(len(lines) - len(patterns) + 1):
        problem = {}
        for offset, pattern in enumerate(patterns):
            match = re.match(pattern["regexp"], lines[at + offset])
            if not match:
                break
            problem.update({key: match.group(group) for key, group in pattern.items() if isinstance(group, int)})
        else:
            found.append(problem)
wanted = [
    each
    for each in found
    if each["file"].endswith(file) and each["line"] == line and (code == "-" or each["code"] == code)
]
if not wanted:
    print(found, lines, sep="\n")
sys.exit(0 if wanted and all(each["message"] for each in wanted) else 1)
