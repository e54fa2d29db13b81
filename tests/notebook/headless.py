"""Notebooks that run without a person, as nbconvert and nbgrader run them."""
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError


def notebook(*codes):
    book = nbformat.v4.new_notebook(metadata={"kernelspec": {"name": "cudash", "display_name": "CUDA C++ (cudash)"}})
    book.cells = [nbformat.v4.new_code_cell(code) for code in codes]
    return book


def unnumbered(text):
    """Cells of a notebook have other numbers than those at a prompt."""
    return re.sub(r"cell [0-9]+( line [0-9]+)?", "cell N", text)


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

    def test_lessons_run(self):
        """Each error of a lesson's notebook is one that the lesson tells of. All lessons: CUDASH_ALL_LESSONS=1."""
        lessons = Path(__file__).parents[2] / "lessons"
        names = sorted(each.name for each in lessons.iterdir() if re.match(r"[0-9][0-9]_", each.name))
        if not os.environ.get("CUDASH_ALL_LESSONS"):
            names = [each for each in names if each[:2] in ("00", "05", "15", "20", "28")]
        self.assertGreaterEqual(len(names), 5)
        with tempfile.TemporaryDirectory() as folder:
            for name in names:
                with self.subTest(lesson=name):
                    path = os.path.join(folder, name + ".ipynb")
                    subprocess.run([os.environ["CUDASH"], "lesson", "export", name, path], check=True, capture_output=True)
                    book = nbformat.read(path, 4)
                    NotebookClient(book, kernel_name="cudash", timeout=120, allow_errors=True).execute()
                    text = unnumbered("\n".join(each.read_text() for each in (lessons / name).glob("*.md")))
                    cells = [each for each in book.cells if each.cell_type == "code"]
                    self.assertTrue(all(each.execution_count for each in cells))
                    for error in (o for each in cells for o in each.outputs if o.output_type == "error"):
                        message = re.sub(r"^cell [0-9.]+(:[0-9]+)?: ", "", error.evalue)
                        self.assertTrue(unnumbered(message) in text, error.evalue)
