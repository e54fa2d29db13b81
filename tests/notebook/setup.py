"""`cudash kernel` on the command line, and files that clients write."""
import json
import os
import shutil
import socket
import subprocess
import tempfile
import unittest

from client import CUDASH


def cudash(*words, program=CUDASH, **environment):
    return subprocess.run([program, *words], capture_output=True, text=True, timeout=60,
                          env={**os.environ, **environment})


class InFolder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(dir=os.environ["HOME"])
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def said(self, done, code, *texts):
        self.assertEqual(done.returncode, code, done.stderr)
        for text in texts:
            self.assertIn(text, done.stderr)


class Setup(InFolder):
    def test_install_and_uninstall(self):
        done = cudash("kernel", "install", "--prefix", self.folder, "--name", "cuda-a100", "--device", "virtual:a100")
        self.assertEqual(done.returncode, 0, done.stderr)
        place = os.path.join(self.folder, "share/jupyter/kernels/cuda-a100")
        with open(os.path.join(place, "kernel.json")) as file:
            spec = json.load(file)
        self.assertEqual(spec["argv"], [CUDASH, "kernel", "run", "{connection_file}", "--device", "virtual:a100"])
        self.assertEqual((spec["language"], spec["interrupt_mode"]), ("c++", "message"))
        self.assertEqual(cudash("kernel", "install", "--prefix", self.folder, "--name", "cuda-a100").returncode, 0)
        self.assertEqual(cudash("kernel", "uninstall", "--prefix", self.folder, "--name", "cuda-a100").returncode, 0)
        self.assertFalse(os.path.exists(place))
        self.said(cudash("kernel", "uninstall", "--prefix", self.folder), 1, "no kernel is installed in")

    def test_kernels_of_others_stay(self):
        place = os.path.join(self.folder, "share/jupyter/kernels/cudash")
        os.makedirs(place)
        with open(os.path.join(place, "kernel.json"), "w") as file:
            file.write('{"argv": ["python3"]}')
        self.said(cudash("kernel", "install", "--prefix", self.folder), 73, "holds another kernel")
        self.said(cudash("kernel", "uninstall", "--prefix", self.folder), 1, "not cudash's")
        self.assertTrue(os.path.exists(os.path.join(place, "kernel.json")))

    def test_a_program_that_is_gone(self):
        def install(*words):
            return cudash("kernel", "install", "--user", *words, JUPYTER_DATA_DIR=self.folder)

        self.assertEqual(install().stderr, "")
        path = os.path.join(self.folder, "kernels/cudash/kernel.json")
        with open(path) as file:
            spec = json.load(file)
        spec["argv"][0] = "/gone/cudash"
        with open(path, "w") as file:
            json.dump(spec, file)
        done = cudash("doctor", JUPYTER_DATA_DIR=self.folder)
        self.assertIn("kernels/cudash starts /gone/cudash, which is gone", done.stdout)
        self.said(install("--name", "other"), 0, "kernels/cudash starts /gone/cudash, which is gone", "rm -r")
        self.said(install(), 0, "takes the place of one that started /gone/cudash")
        self.assertEqual(install().stderr, "")
        self.assertIn("kernels/cudash\n", cudash("doctor", JUPYTER_DATA_DIR=self.folder).stdout)

    def test_damaged_kernelspecs_are_no_kernels_of_ours(self):
        for number, text in enumerate(["", "[]", '{"metadata": 1}', '{"argv": 1, "metadata": {"cudash": {}}}']):
            place = os.path.join(self.folder, f"kernels/k{number}")
            os.makedirs(place)
            with open(os.path.join(place, "kernel.json"), "w") as file:
                file.write(text)
        done = cudash("kernel", "install", "--user", JUPYTER_DATA_DIR=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_wrong_words(self):
        self.said(cudash("kernel"), 2, "install, uninstall, or run")
        self.said(cudash("kernel", "instal"), 2, "install, uninstall, or run")
        self.said(cudash("kernel", "run"), 2, "CONNECTION_FILE")
        self.said(cudash("kernel", "install", "--user", "--name", "../up"), 73, "can't be a kernel's name")
        self.said(cudash("kernel", "install", "--user", "--prefix", "/x"), 73, "name two places")
        self.said(cudash("kernel", "install", "--prefix", "/dev/null"), 73, "can't be written")

    def connection(self, **changes):
        content = {"transport": "tcp", "ip": "127.0.0.1", "key": "k", "signature_scheme": "hmac-sha256",
                   **{f"{name}_port": port for port, name in enumerate(("shell", "control", "stdin", "iopub", "hb"),
                                                                       50123)}, **changes}
        path = os.path.join(self.folder, "connection.json")
        with open(path, "w") as file:
            json.dump({name: value for name, value in content.items() if value is not None}, file)
        return path

    def test_connection_files(self):
        self.said(cudash("kernel", "run", "/no/such/file"), 66, "No such file")
        with open(os.path.join(self.folder, "damaged"), "w") as file:
            file.write('{"shell_port": 1')
        self.said(cudash("kernel", "run", os.path.join(self.folder, "damaged")), 66, "holds no JSON object")
        self.said(cudash("kernel", "run", self.connection(key=None)), 66, '"key" is missing')
        self.said(cudash("kernel", "run", self.connection(hb_port=70000)), 66, '"hb_port" is not a port')
        self.said(cudash("kernel", "run", self.connection(ip="0.0.0.0")), 66, "this machine alone")
        self.said(cudash("kernel", "run", self.connection(signature_scheme="rot13")), 69, "rot13")

    def test_a_port_in_use(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            path = self.connection(shell_port=taken.getsockname()[1])
            self.said(cudash("kernel", "run", path), 69, "can't be had", "Address already in use")

    def test_without_xeus(self):
        build = os.path.dirname(CUDASH)
        os.mkdir(os.path.join(self.folder, "lib"))
        for name in ("cudash", "lib/libcudash_virtual_gpu.so"):
            shutil.copy(os.path.join(build, name), os.path.join(self.folder, name))
        program = os.path.join(self.folder, "cudash")
        for words in (["run", self.connection()], ["install", "--user"]):
            self.said(cudash("kernel", *words, program=program), 69, "xeus-dev", "build cudash again")
        done = cudash("--version", program=program)
        self.assertEqual(done.returncode, 0, done.stderr)


SERVER = """#!/bin/sh
echo "$@" > args
pwd >> args
ls "${JUPYTER_PATH%%:*}/kernels" >> args
echo "$JUPYTER_PATH" "$JUPYTER_TOKEN" > environment
exit 3
"""


class Serve(InFolder):
    """With a program in place of Jupyter's server: browser.py has the real one."""

    def setUp(self):
        super().setUp()
        self.bin = os.path.join(self.folder, "bin")
        os.mkdir(self.bin)
        for name in ("sh", "ls"):
            os.symlink(shutil.which(name), os.path.join(self.bin, name))
        self.books = os.path.join(self.folder, "books")

    def serve(self, *words, server=True):
        if server:
            path = os.path.join(self.bin, "jupyter-notebook")
            with open(path, "w") as file:
                file.write(SERVER)
            os.chmod(path, 0o755)
        return cudash("serve", *words, PATH=self.bin)

    def read(self, name):
        with open(os.path.join(self.books, name)) as file:
            return file.read().splitlines()

    def test_server_gets_kernel_lessons_and_token(self):
        done = self.serve(self.books, "--no-browser")
        self.assertEqual(done.returncode, 3, done.stderr)
        words, folder, kernels = self.read("args")
        self.assertIn("--ip=127.0.0.1", words)
        self.assertIn("--no-browser", words)
        self.assertEqual((folder, kernels), (self.books, "cudash"))
        paths, token = self.read("environment")[0].split()
        self.assertGreaterEqual(len(token), 32)
        self.assertIn(f"/?token={token}", done.stderr)
        self.assertFalse(os.path.exists(paths.split(":")[0]))
        lessons = os.listdir(os.path.join(self.books, "lessons"))
        self.assertIn("01_device_memory.ipynb", lessons)

    def test_work_in_a_lesson_stays(self):
        self.serve(self.books)
        lesson = os.path.join(self.books, "lessons/01_device_memory.ipynb")
        with open(lesson, "a") as file:
            file.write(" ")
        before = os.stat(lesson).st_size
        self.serve(self.books)
        self.assertEqual(os.stat(lesson).st_size, before)

    def test_what_is_missing_or_in_use(self):
        self.said(self.serve(self.books, server=False), 69, "apt-get install jupyter-notebook")
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            self.said(self.serve(self.books, "--port", str(taken.getsockname()[1])), 69, "is in use", "without --port")
        self.said(self.serve("/dev/null/books"), 73, "can't be made", "cudash serve FOLDER")
        self.said(self.serve("--port", "70000"), 2)
        self.said(self.serve(os.path.join(self.folder, "tpyo/books")), 73, "can't be made", "one that is there")
        self.assertFalse(os.path.exists(os.path.join(self.folder, "tpyo")))
        self.said(cudash("serve", PATH=self.bin, HOME=""), 2, "HOME is not set", "cudash serve FOLDER")

    @unittest.skipIf(os.geteuid() != 0, "only root can be another's root")
    def test_sudo_is_refused(self):
        self.serve(self.books)
        self.said(cudash("serve", self.books, PATH=self.bin, SUDO_UID="1000"), 2, "as root", "without sudo")
