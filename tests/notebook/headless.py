"""Notebooks that run without a person, as nbconvert and nbgrader run them."""
import unittest

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError


def notebook(*codes):
    book = nbformat.v4.new_notebook(metadata={"kernelspec": {"name": "cudash", "display_name": "CUDA C++ (cudash)"}})
    book.cells = [nbformat.v4.new_code_cell(code) for code in codes]
    return book


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
