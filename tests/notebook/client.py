"""A client of kernels: what a cell came to, as one object."""
import os
import queue
import time
import unittest

from jupyter_client.manager import start_new_kernel

CUDASH = os.environ["CUDASH"]
TIMEOUT = 30


class Cell:
    """The messages that belong to one execution."""

    def __init__(self):
        self.messages, self.reply, self.asked = [], None, 0

    def of(self, kind):
        return [content for name, content in self.messages if name == kind]

    def stream(self, name="stdout"):
        return "".join(each["text"] for each in self.of("stream") if each["name"] == name)

    def values(self):
        return [each["data"]["text/plain"] for each in self.of("execute_result")]

    def shown(self, mime="text/plain"):
        return [each["data"][mime] for each in self.of("display_data") if mime in each["data"]]

    def told(self):
        """The error, as front ends show it: once."""
        [error] = self.of("error")
        assert error["traceback"] == self.reply["traceback"], self.reply
        return "\n".join(error["traceback"])

    @property
    def status(self):
        return self.reply["status"]


def children_of(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as file:
            return [int(word) for word in file.read().split()]
    except FileNotFoundError:
        return []


def is_running(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def wait_until(condition, seconds=TIMEOUT):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return condition()


class Kernel:
    def __init__(self, name="cudash", **arguments):
        self.manager, self.client = start_new_kernel(kernel_name=name, **arguments)
        self.early, self.replies = [], {}  # of requests whose turn comes later

    @property
    def pid(self):
        return self.manager.provisioner.pid

    def worker(self):
        wait_until(lambda: children_of(self.pid))
        return children_of(self.pid)[0]

    def send(self, code, **options):
        options.setdefault("allow_stdin", False)
        return self.client.execute(code, **options)

    def run(self, code, answers=None, on_busy=None, on_output=None, timeout=TIMEOUT, **options):
        """Evaluates; `answers` are for what the cell reads. `on_busy` is called once it runs, `on_output` at its first
        output."""
        identity = self.send(code, allow_stdin=answers is not None, **options)
        return self.collect(identity, answers, on_busy, on_output, timeout)

    def collect(self, identity, answers=None, on_busy=None, on_output=None, timeout=TIMEOUT):
        cell = Cell()
        end = time.monotonic() + timeout
        while True:
            if time.monotonic() > end:
                raise AssertionError(f"no end after {timeout} s: {cell.messages}")
            if answers is not None:
                try:
                    self.client.get_stdin_msg(timeout=0.01)
                    cell.asked += 1
                    answer = answers.pop(0)
                    if callable(answer):
                        answer()
                    else:
                        self.client.input(answer)
                except queue.Empty:
                    pass
            message = self.message_of(identity)
            if not message:
                continue
            kind, content = message["msg_type"], message["content"]
            if kind != "status":
                cell.messages.append((kind, content))
                if on_output and kind not in ("execute_input",):
                    on_output, call = None, on_output
                    call()
            elif content["execution_state"] == "busy":
                if on_busy:
                    on_busy()
            elif content["execution_state"] == "idle":
                break
        cell.reply = self.ask(identity)
        return cell

    def message_of(self, identity):
        for message in self.early:
            if message["parent_header"].get("msg_id") == identity:
                self.early.remove(message)
                return message
        try:
            message = self.client.get_iopub_msg(timeout=0.05)
        except queue.Empty:
            return None
        if message["parent_header"].get("msg_id") == identity:
            return message
        self.early.append(message)
        return None

    def ask(self, identity):
        """The content of the reply to a request."""
        while identity not in self.replies:
            reply = self.client.get_shell_msg(timeout=TIMEOUT)
            self.replies[reply["parent_header"].get("msg_id")] = reply["content"]
        return self.replies.pop(identity)

    def close(self):
        self.client.stop_channels()
        if self.manager.is_alive():
            self.manager.shutdown_kernel()


class KernelTest(unittest.TestCase):
    """Tests that share a kernel."""

    @classmethod
    def setUpClass(cls):
        cls.kernel = Kernel()

    @classmethod
    def tearDownClass(cls):
        cls.kernel.close()

    def ok(self, code, **options):
        cell = self.kernel.run(code, **options)
        self.assertEqual(cell.status, "ok", cell.reply)
        return cell

    def fails(self, code, name, **options):
        cell = self.kernel.run(code, **options)
        self.assertEqual(cell.status, "error")
        self.assertEqual(cell.reply["ename"], name)
        self.assertEqual([each["ename"] for each in cell.of("error")], [name])
        return cell
