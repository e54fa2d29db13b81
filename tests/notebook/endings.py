"""Ends of workers, kernels and clients; messages from others."""
import os
import signal
import subprocess
import sys
import time
import unittest

import zmq
from client import Kernel, KernelTest, is_running, wait_until


class Worker(KernelTest):
    def setUp(self):
        self.ok(":reset")
        self.ok("int kept = 17;")

    def test_killed_between_cells(self):
        os.kill(self.kernel.worker(), signal.SIGKILL)
        cell = self.fails("kept", "worker-lost")
        self.assertIn("SIGKILL", cell.told())
        self.assertIn("`:replay` runs your cell again", cell.told())
        self.ok(":replay")
        self.assertEqual(self.ok("kept").values(), ["(int) 17"])

    def test_killed_in_a_cell(self):
        worker = self.kernel.worker()
        cell = self.fails("while (true) { }", "worker-lost", on_busy=lambda: (time.sleep(0.3),
                                                                              os.kill(worker, signal.SIGKILL)))
        self.assertIn("SIGKILL", cell.told())
        self.assertTrue(self.kernel.manager.is_alive())
        self.ok(":replay")
        self.assertEqual(self.ok("kept").values(), ["(int) 17"])

    def test_killed_in_the_debugger(self):
        self.ok("__global__ void f(int* p) { p[0] = 1; }\nint* d; cudaMalloc(&d, 4);")
        self.ok(":debug f<<<1, 1>>>(d)")
        os.kill(self.kernel.worker(), signal.SIGKILL)
        self.fails("step", "worker-lost")
        self.ok(":replay")
        self.assertEqual(self.ok("kept").values(), ["(int) 17"])


class Whole(unittest.TestCase):
    def setUp(self):
        self.kernel = Kernel()
        self.addCleanup(self.kernel.close)

    def test_restart(self):
        self.kernel.run("int gone = 1;")
        pids = [self.kernel.pid, self.kernel.worker()]
        self.kernel.manager.restart_kernel()
        self.kernel.client.wait_for_ready(timeout=30)
        self.assertTrue(wait_until(lambda: not any(map(is_running, pids)), 5))
        self.assertEqual(self.kernel.run("gone").status, "error")
        self.assertEqual(self.kernel.run("1").reply["execution_count"], 2)

    def test_shutdown_while_idle(self):
        pids = [self.kernel.pid, self.kernel.worker()]
        begun = time.monotonic()
        self.kernel.manager.shutdown_kernel()
        self.assertLess(time.monotonic() - begun, 3)
        self.assertFalse(any(map(is_running, pids)))

    def test_shutdown_while_a_cell_runs(self):
        pids = [self.kernel.pid, self.kernel.worker()]
        self.kernel.send("while (true) { }")
        time.sleep(0.5)
        begun = time.monotonic()
        self.kernel.manager.shutdown_kernel()
        self.assertLess(time.monotonic() - begun, 4)
        self.assertTrue(wait_until(lambda: not any(map(is_running, pids)), 2))

    def test_shutdown_while_a_cell_reads(self):
        pids = [self.kernel.pid, self.kernel.worker()]
        self.kernel.send('#include <cstdio>\nint x; scanf("%d", &x);', allow_stdin=True)
        self.kernel.client.get_stdin_msg(timeout=10)
        self.kernel.manager.shutdown_kernel()
        self.assertTrue(wait_until(lambda: not any(map(is_running, pids)), 2))

    def test_killed(self):
        worker = self.kernel.worker()
        os.kill(self.kernel.pid, signal.SIGKILL)
        self.assertTrue(wait_until(lambda: not self.kernel.manager.is_alive(), 5))
        self.assertTrue(wait_until(lambda: not is_running(worker), 2))
        # As Jupyter restarts a kernel that died. Without `now` it would ask the dead one to shut down, and the new kernel,
        # which listens at the same port, might get that request.
        self.kernel.manager.restart_kernel(now=True)
        self.kernel.client.wait_for_ready(timeout=30)
        self.assertEqual(self.kernel.run("1 + 1").values(), ["(int) 2"])

    def test_nothing_is_left(self):
        def files():
            # The grader's tests run at the same time.
            ours = {each for each in os.listdir("/tmp") if "cudash" in each and not each.startswith("cudash-grade")}
            return ours | set(os.listdir(os.environ["HOME"]))
        before = files()
        self.kernel.run("1 + 1")
        self.kernel.manager.shutdown_kernel()
        self.assertEqual(files() - before, set())

    def test_listens_on_loopback_alone(self):
        sockets = set()
        for descriptor in os.listdir(f"/proc/{self.kernel.pid}/fd"):
            target = os.readlink(f"/proc/{self.kernel.pid}/fd/{descriptor}")
            if target.startswith("socket:["):
                sockets.add(target[8:-1])
        listening = []
        for name in ("tcp", "tcp6"):
            with open(f"/proc/{self.kernel.pid}/net/{name}") as table:
                rows = [line.split() for line in table.readlines()[1:]]
            listening += [row[1].split(":")[0] for row in rows if row[3] == "0A" and row[9] in sockets]
        self.assertEqual(set(listening), {"0100007F"})
        self.assertEqual(len(listening), 5)

    def test_ends_with_the_client(self):
        script = ("import sys; sys.path.insert(0, sys.argv[1]); from client import Kernel; kernel = Kernel(); "
                  "print(kernel.pid, kernel.worker(), flush=True); kernel.send('while (true) { }'); input()")
        client = subprocess.Popen([sys.executable, "-W", "ignore", "-c", script, os.path.dirname(__file__)],
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        pids = [int(word) for word in client.stdout.readline().split()]
        self.assertTrue(all(map(is_running, pids)))
        client.kill()
        client.wait()
        self.assertTrue(wait_until(lambda: not any(map(is_running, pids)), 5))
        client.stdin.close()
        client.stdout.close()


class Strangers(KernelTest):
    def send(self, frames):
        info = self.kernel.client.get_connection_info()
        for port in ("shell_port", "control_port", "stdin_port"):
            socket = zmq.Context.instance().socket(zmq.DEALER)
            socket.setsockopt(zmq.LINGER, 1000)
            socket.connect(f"tcp://127.0.0.1:{info[port]}")
            socket.send_multipart(frames)
            self.assertEqual(socket.poll(300), 0, "an answer to a message that must be refused")
            socket.close()

    def tearDown(self):
        self.assertEqual(self.ok("1 + 1").values(), ["(int) 2"])

    def message(self, **changes):
        session = self.kernel.client.session
        frames = session.serialize(session.msg("execute_request", {"code": "int stranger = 1;", "silent": True}))
        for at, frame in changes.items():
            frames[int(at[1:])] = frame
        return frames

    def test_broken_signatures(self):
        self.send(self.message(_1=b"0" * 64))
        self.send(self.message(_1=b""))
        self.send(self.message(_1=b"0" * 63))
        frames = self.message()
        frames[-1] = frames[-1].replace(b"= 1", b"= 2")
        self.send(frames)
        self.assertEqual(self.kernel.run("stranger").status, "error")

    def test_messages_without_parts(self):
        for frames in ([b""], [b"<IDS|MSG>"], [b"<IDS|MSG>", b"0" * 64], [b"a", b"b", b"<IDS|MSG>", b"", b"{}", b"{}"],
                       6 * [b"x"]):
            self.send(frames)

    def test_messages_that_are_no_json(self):
        self.send([b"<IDS|MSG>", b"0" * 64, b"{", b"\xff", b"{}", b"[" * 10000])

    def signed(self, content):
        session = self.kernel.client.session
        message = session.msg("execute_request")
        parts = [session.pack(message["header"]), session.pack({}), session.pack({}), content]
        return message["header"]["msg_id"], [b"<IDS|MSG>", session.sign(parts), *parts]

    def test_signed_messages_that_are_no_json(self):
        for content in (b"{", b"", b"[1, 2]", b"\"text\"", b"{\"code\": 1}", b"[" * 10000):
            self.kernel.client.shell_channel.socket.send_multipart(self.signed(content)[1])

    def test_a_cell_that_is_no_text_is_answered(self):
        for bytes_of_cell in (b"int \xff = 1;", b"1 + 1; // \xe2\x82", b"\xed\xa0\x80"):
            identity, frames = self.signed(b'{"code": "' + bytes_of_cell + b'", "silent": false, "store_history": true, '
                                           b'"user_expressions": {}, "allow_stdin": false, "stop_on_error": true}')
            self.kernel.client.shell_channel.socket.send_multipart(frames)
            cell = self.kernel.collect(identity)
            self.assertEqual(cell.status, "ok" if b"//" in bytes_of_cell else "error")
