"""make_notebook.py [--unmarked] [--kernel NAME] SOURCE: a notebook whose marked cell holds SOURCE."""

import json
import sys

arguments = sys.argv[1:]
kernel = "cudash"
marked = True
if arguments[0] == "--unmarked":
    marked = False
    arguments = arguments[1:]
if arguments[0] == "--kernel":
    kernel = arguments[1]
    arguments = arguments[2:]
source = open(arguments[0], encoding="utf-8").read()
grading = {"grade": False, "grade_id": "answer", "locked": False, "schema_version": 3, "solution": True, "task": False}
cells = [
    {"cell_type": "markdown", "id": "a", "metadata": {}, "source": ["# My answer"]},
    {"cell_type": "code", "id": "b", "execution_count": 1, "metadata": {}, "outputs": [], "source": ["this is not C++"]},
    {
        "cell_type": "code",
        "id": "c",
        "execution_count": 2,
        "metadata": {"nbgrader": grading} if marked else {},
        "outputs": [],
        "source": source.splitlines(keepends=True),
    },
]
notebook = {
    "cells": cells,
    "metadata": {"kernelspec": {"name": kernel, "display_name": kernel, "language": "cuda"}},
    "nbformat": 4,
    "nbformat_minor": 5,
}
json.dump(notebook, sys.stdout)
