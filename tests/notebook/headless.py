"""Notebooks that run without a person, as nbconvert and nbgrader run them."""
import difflib
import os
import re
import subprocess
import tempfile
import unittest
from html.parser import HTMLParser
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbconvert import HTMLExporter
from nbconvert.preprocessors import ExecutePreprocessor

CUDASH = os.environ["CUDASH"]
PAGE_WIDTH = 100  # columns of text in a notebook


def notebook(*codes):
    book = nbformat.v4.new_notebook(metadata={"kernelspec": {"name": "cudash", "display_name": "CUDA C++ (cudash)"}})
    book.cells = [nbformat.v4.new_code_cell(code) for code in codes]
    return book


def code_cells(book):
    return [each for each in book.cells if each.cell_type == "code"]


def without_color(text):
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def printed(cell):
    """A cell's outputs as plain text, and the parts of its error."""
    text, error = "", []
    for output in cell.outputs:
        if output.output_type == "error":
            error += output.traceback
            continue
        if output.output_type == "stream":
            text += output.text
            continue
        if text and not text.endswith("\n"):
            text += "\n"
        text += output.data["text/plain"] + "\n"
    return without_color(text), [without_color(each) for each in error]


def as_terminal(book):
    """The same cells, one after the other, at a terminal as wide as a notebook: what each prints. An exercise's code is
    no cell of the session in a notebook, and here neither: it is checked as a submission without its first line."""
    text = f"WIDTH: {PAGE_WIDTH}\n\n" + "\n".join(f"```cuda\n{each.source}\n```\n\n```output\nX\n```\n"
                                                   for each in code_cells(book))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "cells.md")
        path.write_text(text)
        subprocess.run([CUDASH, "transcript", "--rewrite", path], check=True, capture_output=True)
        parts = path.read_text().split("```cuda\n")[1:]
    outputs = [re.search(r"```output\n(.*?)```\n", each, re.DOTALL) for each in parts]
    # A line of dots has a backslash before it, as it would stand for others.
    return [re.sub(r"^\\", "", each.group(1), flags=re.MULTILINE) if each else "" for each in outputs]


# What may differ between the two, and why: each row takes it out of both texts.
DIFFERENCES = [
    ("numbers of cells have other lengths, so that columns are wider and lines end elsewhere", r"\s+", " "),
    ("cells have the numbers of the notebook, where commands count, too", r"cell \d+(\.\d+)?", "cell N"),
    ("an exercise's lines are those of its cell, whose first line is the command", r"\.cu( line |:)\d+", r".cu\1N"),
    ("host memory lies elsewhere in each process", r"0x[57][0-9a-f]{11}\b", "0xHOST"),
    ("a notebook says how the debugger's lines are entered there",
     r"Cells are now commands of the debugger.*?give the session back\. ?", ""),
]
# Lines of a cell count from its first one, and those with commands count, too: not so in a terminal.
LINES_AMONG_COMMANDS = (r"cell N( line |:)\d+", r"cell N\1N")


def without_differences(text, source):
    for _, pattern, replacement in DIFFERENCES:
        text = re.sub(pattern, replacement, text)
    if re.search("^:", source, re.MULTILINE):
        text = re.sub(*LINES_AMONG_COMMANDS, text)
    return text.strip()


class Pictures(HTMLParser):
    """What a page shows, and what it loads."""

    def __init__(self, page):
        super().__init__()
        self.shown, self.loaded, self.ids = {"svg": 0, "img": 0, "rect": 0, "script": 0}, [], []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag in self.shown:
            self.shown[tag] += 1
        for name in ("src", "srcset", "data", "xlink:href", "href"):
            value = attributes.get(name) or ""
            if (name != "href" or tag in ("link", "image", "use")) and re.match(r"(https?:)?//|file:", value):
                self.loaded.append(value)


def exported(book):
    """As `jupyter nbconvert --to html`, for a reader without a network."""
    return HTMLExporter(mathjax_url="", require_js_url="").from_notebook_node(book)[0]


class Headless(unittest.TestCase):
    def test_outputs_are_in_the_notebook(self):
        book = notebook("#include <cstdio>\nint n = 3;", 'printf("n is %d\\n", n);\nn', ":vars")
        NotebookClient(book, kernel_name="cudash", timeout=60).execute()
        nbformat.validate(book)
        first = [(each.output_type, each.get("text")) for each in book.cells[1].outputs]
        self.assertEqual(first, [("stream", "n is 3\n"), ("execute_result", None)])
        self.assertIn("n     int   3", book.cells[2].outputs[0].data["text/plain"])

    def test_a_failed_cell_ends_it(self):
        with self.assertRaises(CellExecutionError) as raised:
            NotebookClient(notebook("int x = 1;", "x + wrong", "x"), kernel_name="cudash", timeout=60).execute()
        self.assertIn("cell 2:1: use of undeclared identifier 'wrong'", str(raised.exception))

    def test_what_reads_input_does_not_wait(self):
        book = notebook('#include <cstdio>\nint x; scanf("%d", &x);')
        with self.assertRaises(CellExecutionError) as raised:
            NotebookClient(book, kernel_name="cudash", timeout=60).execute()
        self.assertIn("reads standard input", str(raised.exception))

    def test_a_finding_is_shown_once(self):
        book = notebook("int x = 1;", "x + wrong")
        NotebookClient(book, kernel_name="cudash", timeout=60, allow_errors=True).execute()
        page = exported(book)
        self.assertEqual(page.count("use of undeclared identifier"), 1)
        self.assertNotIn("\x1b", page)

    def test_results_are_small(self):
        book = notebook("int x = 1;", ":vars", "#include <cudash/display.h>\nfloat f[3] = {1, 4, 2}; cudash::plot(f, 3);")
        NotebookClient(book, kernel_name="cudash", timeout=60).execute()
        table, curve = (cell.outputs[0].data["text/html"] for cell in book.cells[1:])
        self.assertLess(len(table), 1800, table)
        self.assertLess(len(curve), 2500, curve)


def grade_of(cell):
    """A test's points as nbgrader's manual has it ("Autograder tests cell"): none if the cell has an error."""
    failed = any(each.output_type == "error" for each in cell.outputs)
    return 0 if failed else cell.metadata.nbgrader.points


class Grading(unittest.TestCase):
    """nbgrader runs submissions by nbconvert's ExecutePreprocessor, which goes on after errors; it is not a package of
    Debian's, so that is done here."""

    def submission(self, solution):
        book = notebook(solution,
                        'if (twice(2) != 4) throw std::runtime_error("twice(2) is not 4");',
                        'if (twice(-3) != -6) throw std::runtime_error("twice(-3) is not -6");')
        for at, cell in enumerate(book.cells):
            cell.metadata["nbgrader"] = {"schema_version": 3, "grade_id": f"cell-{at}", "solution": at == 0,
                                         "grade": at > 0, "locked": at > 0, "task": False}
            if at > 0:
                cell.metadata["nbgrader"]["points"] = at
        book.cells.insert(0, nbformat.v4.new_code_cell("#include <stdexcept>"))
        return book

    def points(self, solution):
        book = self.submission(solution)
        ExecutePreprocessor(timeout=30, allow_errors=True, interrupt_on_timeout=True, raise_on_iopub_timeout=True).preprocess(
            book, {"metadata": {"path": "."}})
        nbformat.validate(book)
        return [grade_of(each) for each in book.cells if each.metadata.get("nbgrader", {}).get("grade")]

    def test_points(self):
        self.assertEqual(self.points("int twice(int x) { return 2 * x; }"), [1, 2])
        self.assertEqual(self.points("int twice(int x) { return x * x; }"), [1, 0])
        self.assertEqual(self.points("int twice(int x) { return 2 * x }"), [0, 0])
        self.assertEqual(self.points(""), [0, 0])

    def test_what_never_ends_is_interrupted(self):
        book = self.submission("int twice(int x) { while (x != 4) { } return x; }")
        ExecutePreprocessor(timeout=3, allow_errors=True, interrupt_on_timeout=True).preprocess(book, {})
        self.assertEqual([grade_of(each) for each in book.cells[2:]], [0, 0])


class Lessons(unittest.TestCase):
    """All lessons: CUDASH_ALL_LESSONS=1."""

    def executed(self, name):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, name + ".ipynb")
            subprocess.run([CUDASH, "lesson", "export", name, path], check=True, capture_output=True)
            book = nbformat.read(path, 4)
        NotebookClient(book, kernel_name="cudash", timeout=120, allow_errors=True).execute()
        nbformat.validate(book)
        return book

    def outputs_are_those_of_a_terminal(self, book):
        self.assertTrue(all(each.execution_count for each in code_cells(book)))
        for cell, terminal in zip(code_cells(book), as_terminal(book), strict=True):
            text, error = printed(cell)
            given, expected = (without_differences(each, cell.source) for each in (text, terminal))
            # An exercise's code is a cell of the session in a terminal, too.
            if "exercise" in cell.metadata.get("cudash", {}):
                same = expected.endswith(given) or "error[no-submission]" in expected
            else:
                # The findings that ended the cell; if they were shown already, it is a line that names the first of them.
                finding = without_differences(" ".join(error), cell.source)
                same = expected == f"{given} {finding}".strip() or (
                    expected == given and re.sub(r"^[\w-]+: (cell N:\w+(:\d+)?: )?", "", finding) in expected)
            if not same:
                lines = difflib.unified_diff(terminal.splitlines(), (text + "\n".join(error)).splitlines(), "terminal",
                                             "notebook", n=1)
                self.fail("\n".join([cell.source, *lines]))

    def pictures_are_in_the_page(self, book):
        page = Pictures(exported(book))
        outputs = [output.data for cell in code_cells(book) for output in cell.outputs if "data" in output]
        drawings = sum("<svg" in each.get("text/html", "") for each in outputs)
        rectangles = sum(each.get("text/html", "").count("<rect") for each in outputs)
        self.assertGreaterEqual(page.shown["svg"], drawings)
        self.assertEqual(page.shown["rect"], rectangles)
        self.assertEqual(page.loaded, [])

    def test_lessons(self):
        folder = Path(__file__).parents[2] / "lessons"
        names = sorted(each.name for each in folder.iterdir() if re.match(r"[0-9][0-9]_", each.name))
        if not os.environ.get("CUDASH_ALL_LESSONS"):
            names = [each for each in names if each[:2] in ("00", "05", "15", "20", "28")]
        self.assertGreaterEqual(len(names), 5)
        for name in names:
            with self.subTest(lesson=name):
                book = self.executed(name)
                self.outputs_are_those_of_a_terminal(book)
                self.pictures_are_in_the_page(book)
