"""What cells come to, through the protocol."""
import os
import signal
import threading
import time

from client import Kernel, KernelTest


class Cells(KernelTest):
    def test_values_are_results(self):
        first, second = self.ok("1 + 1"), self.ok("int v = 5\nv\nv * 2")
        self.assertEqual(first.values(), ["(int) 2"])
        self.assertEqual(second.values(), ["(int) 5", "(int) 10"])
        counts = [each["execution_count"] for each in first.of("execute_result") + second.of("execute_result")]
        self.assertEqual(counts, [first.reply["execution_count"]] + 2 * [first.reply["execution_count"] + 1])

    def test_output_streams_as_it_appears(self):
        seen = []
        begun = time.monotonic()
        cell = self.ok('#include <cstdio>\n#include <unistd.h>\nputs("first"); sleep(1); fprintf(stderr, "second\\n");',
                       on_output=lambda: seen.append(time.monotonic() - begun))
        self.assertLess(seen[0], 0.9)
        self.assertEqual((cell.stream(), cell.stream("stderr")), ("first\n", "second\n"))

    def test_code_and_commands_share_a_cell(self):
        cell = self.ok("int shared_cell = 3;\n:type shared_cell\nshared_cell + 1")
        self.assertIn("int", cell.shown()[0])
        self.assertEqual(cell.values(), ["(int) 4"])

    def test_a_cell_is_one_text(self):
        # A kernel is launched in the cell that defines it.
        cell = self.ok("__global__ void fill(int* p) { p[threadIdx.x] = 2 * threadIdx.x; }\n"
                       "int* filled; cudaMalloc(&filled, 128);\nfill<<<1, 32>>>(filled);\n:show filled [30:]\n")
        self.assertIn("60 62", cell.shown()[0])

    def test_lines_of_a_cell_keep_their_numbers(self):
        cell = self.fails("// one\n\nint good = 1\ngood\n:type good\n\nbad_name + 1;\n", "compile-error")
        self.assertIn(":7:1", cell.told())

    def test_nothing_of_a_refused_cell_runs(self):
        cell = self.fails('puts("not this");\nint wrong = ;\n', "compile-error")
        self.assertEqual(cell.stream(), "")

    def test_findings_mark_the_line(self):
        cell = self.fails("__global__ void past(int* p) {\n  p[threadIdx.x + 1] = 1;\n}\n"
                          "int* small; cudaMalloc(&small, 128);\npast<<<1, 32>>>(small); cudaDeviceSynchronize();",
                          "oob-write")
        self.assertIn("threadIdx.x + 1] = 1;", cell.told())
        self.assertIn("\x1b[1;31merror[oob-write]\x1b[0m", cell.told())
        # Shown once: not as a result, too.
        self.assertEqual(cell.shown(), [])
        self.ok("1;")

    def test_all_findings_of_a_failed_cell_are_its_error(self):
        cell = self.fails("int first = ;\nint second = wrong;\n", "compile-error")
        self.assertIn("expected expression", cell.told())
        self.assertIn("wrong", cell.told())
        self.assertEqual(cell.shown(), [])

    def test_findings_stay_in_order_with_output(self):
        cell = self.fails("__global__ void over(int* p) { p[32 + threadIdx.x] = 1; }\nint* over_small; "
                          'cudaMalloc(&over_small, 128);\nover<<<1, 32>>>(over_small); cudaDeviceSynchronize(); '
                          'puts("after"); 5', "oob-write")
        kinds = [kind for kind, _ in cell.messages if kind != "execute_input"]
        self.assertEqual(kinds[:2] + kinds[-1:], ["display_data", "stream", "error"])
        self.assertIn("p[32 + threadIdx.x] = 1;", cell.shown("text/html")[0])
        self.assertNotIn("\n", cell.told())
        self.ok("1;")

    def test_findings_of_a_cell_that_goes_on_are_shown_meanwhile(self):
        shown = []
        begun = time.monotonic()
        self.fails("#include <unistd.h>\n__global__ void past_it(int* p) { p[32 + threadIdx.x] = 1; }\nint* past_small; "
                   "cudaMalloc(&past_small, 128);\npast_it<<<1, 32>>>(past_small); cudaDeviceSynchronize(); sleep(3);",
                   "oob-write", on_output=lambda: shown.append(time.monotonic() - begun))
        self.assertLess(shown[0], 2.5)
        self.ok("1;")

    def test_warnings_are_results(self):
        cell = self.ok('printf("%s<b>&amp;</b>\\n", 3.5 > 3 ? "x" : "y"); printf("%d<b>&amp;</b>\\n", 3.5);')
        self.assertIn("&lt;b&gt;&amp;amp;&lt;/b&gt;", cell.shown("text/html")[0])
        self.assertIn("<mark>", cell.shown("text/html")[0])
        self.assertNotIn("<script", cell.shown("text/html")[0])

    def test_silent_cells_say_no_error(self):
        cell = self.kernel.run("no_such_name;", silent=True)
        self.assertEqual((cell.status, cell.messages), ("error", []))

    def test_a_failed_cell_aborts_those_behind_it(self):
        codes = ["1;", "no_such_name;", "puts(\"never\");", "puts(\"never\");"]
        identities = [self.kernel.send(code, stop_on_error=True) for code in codes]
        cells = [self.kernel.collect(each) for each in identities]
        self.assertEqual([each.status for each in cells], ["ok", "error", "aborted", "aborted"])
        self.assertEqual(cells[2].stream() + cells[3].stream(), "")

    def test_without_stop_on_error_they_run(self):
        identities = [self.kernel.send(code, stop_on_error=False) for code in ["no_such_name;", "3 + 4"]]
        cells = [self.kernel.collect(each) for each in identities]
        self.assertEqual(cells[1].values(), ["(int) 7"])

    def test_other_requests_behind_a_failed_cell_are_answered(self):
        failed = self.kernel.send("no_such_name;", stop_on_error=True)
        info = self.kernel.client.kernel_info()
        self.assertEqual(self.kernel.collect(failed).status, "error")
        self.assertEqual(self.kernel.ask(info)["implementation"], "cudash")

    def test_silent_cells_show_and_count_nothing(self):
        before = self.ok("1;").reply["execution_count"]
        cell = self.ok('puts("quiet"); 7', silent=True)
        self.assertEqual(cell.messages, [])
        self.assertEqual(self.ok("1;").reply["execution_count"], before + 1)

    def test_user_expressions(self):
        cell = self.ok("int asked = 20;", user_expressions={"good": "asked + 1", "bad": "asked +"})
        answers = cell.reply["user_expressions"]
        self.assertEqual(answers["good"]["data"]["text/plain"], "(int) 21")
        self.assertEqual(answers["bad"]["status"], "error")

    def test_exit_is_told(self):
        self.assertIn("called exit(3)", self.fails("exit(3)", "exit").reply["evalue"])
        self.ok("exit(0)")

    def test_quit_asks_the_client(self):
        self.assertEqual(self.ok(":quit").reply["payload"][0]["source"], "ask_exit")
        self.ok("1;")

    def test_commands_for_terminals_are_refused(self):
        self.fails(":edit", "not-in-notebooks")
        self.fails(":nonsense", "unknown-command")

    def test_output_between_cells(self):
        self.ok('#include <thread>\n#include <chrono>\nstd::thread([] { std::this_thread::sleep_for('
                'std::chrono::milliseconds(300)); puts("late"); }).detach();')
        message = self.kernel.client.get_iopub_msg(timeout=5)
        self.assertEqual(message["content"].get("text"), "late\n")

    def test_progress_is_shown_and_taken_away(self):
        cell = self.ok("__global__ void slow(unsigned* p, unsigned n) { unsigned x = threadIdx.x; for (unsigned i = 0; "
                       "i < n; ++i) x = x * 1664525u + i; p[blockIdx.x * blockDim.x + threadIdx.x] = x; }\n"
                       "unsigned* sums; cudaMalloc(&sums, 4 * 4096 * 64);\n"
                       "slow<<<4096, 64>>>(sums, 300000); cudaDeviceSynchronize();", timeout=120)
        first = [each for each in cell.of("display_data") if each["transient"]]
        self.assertEqual(len(first), 1)
        identity = first[0]["transient"]["display_id"]
        updates = [each for each in cell.of("update_display_data") if each["transient"]["display_id"] == identity]
        self.assertEqual(updates[-1]["data"], {"text/plain": ""})

    def test_debugger_commands_are_cells(self):
        self.ok("__global__ void steps(int* p) {\n  int x = threadIdx.x;\n  p[0] = x;\n}\nint* stepped; "
                "cudaMalloc(&stepped, 4);")
        stop = self.ok(":debug steps<<<1, 1>>>(stepped)")
        self.assertIn("steps at", stop.shown()[0])
        self.assertIn("abort", stop.shown()[-1])
        self.assertEqual(self.kernel.ask(self.kernel.client.is_complete("step"))["status"], "complete")
        self.assertIn("moment", self.ok("step\nstep").shown()[0])
        self.fails("dance", "unknown-command")
        self.ok("abort")
        self.assertEqual(self.ok("1 + 2").values(), ["(int) 3"])

    def test_debugger_commands_may_follow_in_the_cell(self):
        self.ok("__global__ void steps_on(int* p) {\n  int x = threadIdx.x;\n  p[0] = x + 7;\n}\nint* stepped_on; "
                "cudaMalloc(&stepped_on, 4);")
        cell = self.ok(":debug steps_on<<<1, 1>>>(stepped_on)\nnext\nprint x\ncontinue\nint after = 3;\nafter")
        self.assertEqual(cell.values(), ["(int) 0", "(int) 3"])
        cell = self.kernel.run(":debug steps_on<<<1, 1>>>(stepped_on)\nabort\nint after_it = 1;\nafter_it + nothing")
        self.assertIn(":4: use of undeclared identifier 'nothing'", cell.reply["evalue"])

    def test_exercises_are_checked_with_what_is_given_there(self):
        cell = self.ok(":lesson exercise 15_streams/hand_over\ncudaError_t hand_over(cudaStream_t a, cudaStream_t b, int* data, "
                       "int* sum, int n) {\n    produce<<<n / 256, 256, 0, a>>>(data);\n    return cudaGetLastError();\n}\n"
                       ":lesson check")
        self.assertNotIn("Solved", "\n".join(cell.shown()))
        self.assertNotIn("undeclared", "\n".join(cell.shown()))
        cell = self.ok(":lesson exercise 0/squares\n__global__ void squares(int* out) {\n"
                       "    out[threadIdx.x] = threadIdx.x * threadIdx.x;\n}\n:lesson check")
        self.assertIn("Solved", "\n".join(cell.shown()))


class Asking(KernelTest):
    def test_complete(self):
        self.ok("struct Point { int abscissa; int ordinate; } here;")
        code = "int größe = here.abs"
        reply = self.kernel.ask(self.kernel.client.complete(code))
        self.assertEqual(reply["matches"], ["abscissa"])
        self.assertEqual((reply["cursor_start"], reply["cursor_end"]), (len(code) - 3, len(code)))
        kinds = reply["metadata"]["_jupyter_types_experimental"]
        self.assertIn("int abscissa", kinds[0]["signature"])

    def test_complete_in_the_middle(self):
        reply = self.kernel.ask(self.kernel.client.complete(":vars\ncudaMallocPit(&p);\n1;", 19))
        self.assertIn("cudaMallocPitch", reply["matches"])
        self.assertEqual(reply["cursor_start"], 6)
        reply = self.kernel.ask(self.kernel.client.complete("int x;\n:prof"))
        self.assertEqual(reply["matches"], ["profile"])

    def test_inspect(self):
        reply = self.kernel.ask(self.kernel.client.inspect("cudaMemcpy(d, h, 4, ", 20))
        self.assertTrue(reply["found"])
        self.assertIn("cudaMemcpyKind kind", reply["data"]["text/plain"])
        self.ok("// doubles\nint twice(int x) { return 2 * x; }")
        reply = self.kernel.ask(self.kernel.client.inspect("twice(4)", 2))
        self.assertIn("int twice(int x)", reply["data"]["text/plain"])
        reply = self.kernel.ask(self.kernel.client.inspect(":occupancy k", 4))
        self.assertIn(":occupancy KERNEL BLOCK", reply["data"]["text/plain"])
        reply = self.kernel.ask(self.kernel.client.inspect("nothing_of_that_name", 3))
        self.assertEqual((reply["status"], reply["found"]), ("ok", False))

    def test_comm_info(self):
        self.assertEqual(self.kernel.ask(self.kernel.client.comm_info())["comms"], {})

    def test_requests_with_wild_cursors(self):
        for cursor in (-5, 10**6):
            self.assertEqual(self.kernel.ask(self.kernel.client.complete("cudaM", cursor))["status"], "ok")
            self.assertEqual(self.kernel.ask(self.kernel.client.inspect("cudaM", cursor))["status"], "ok")


class Input(KernelTest):
    def setUp(self):
        self.ok("#include <cstdio>\n#include <iostream>\n#include <string>\nint number = 0;")

    def test_scanf(self):
        cell = self.ok('printf("how many? "); scanf("%d", &number); number * 2', answers=["21"])
        self.assertEqual((cell.stream(), cell.values(), cell.asked), ("how many? ", ["(int) 42"], 1))

    def test_cin(self):
        cell = self.ok('std::string name; std::cout << "name? "; std::cin >> name; std::cout << name.size() << "\\n";',
                       answers=["größe"])
        self.assertEqual(cell.stream(), "name? 7\n")

    def test_descriptor_and_other_processes(self):
        cell = self.ok("#include <unistd.h>\n#include <cstdlib>\nchar text[8] = {}; read(0, text, 7); text[0]",
                       answers=["abc"])
        self.assertEqual(cell.values(), ["(char) 'a'"])
        cell = self.ok('system("read word; echo got $word");', answers=["this"])
        self.assertEqual(cell.stream(), "got this\n")

    def test_end_of_input(self):
        cell = self.ok("int sum = 0; while (std::cin >> number) sum += number; sum", answers=["1 2", "3", ":eof"])
        self.assertEqual((cell.values(), cell.asked), (["(int) 6"], 3))
        cell = self.ok("std::cin >> number; number", answers=["70"])
        self.assertEqual(cell.values(), ["(int) 70"])

    def test_long_input(self):
        cell = self.ok("std::string line; std::getline(std::cin >> std::ws, line); int(line.size())",
                       answers=["x" * 300000])
        self.assertEqual(cell.values(), ["(int) 300000"])

    def test_client_without_input(self):
        self.fails('scanf("%d", &number);', "no-input")
        self.assertEqual(self.ok("number = 1").values(), ["(int) 1"])

    def test_interrupted_question(self):
        self.fails('scanf("%d", &number);', "interrupted", answers=[self.kernel.manager.interrupt_kernel])
        cell = self.ok('scanf("%d", &number); number', answers=["5"])
        self.assertEqual(cell.values(), ["(int) 5"])


class Sizes(KernelTest):
    def test_ten_megabytes_of_output(self):
        cell = self.ok('#include <cstdio>\nfor (int i = 0; i < 1000000; ++i) printf("%09d\\n", i);', timeout=60)
        self.assertEqual(cell.stream(), "".join(f"{i:09}\n" for i in range(1000000)))

    def test_a_line_of_ten_megabytes(self):
        cell = self.ok('#include <string>\nfputs(std::string(10000000, \'y\').c_str(), stdout);')
        self.assertEqual(len(cell.stream()), 10000000)

    def test_bytes_that_are_no_text(self):
        cell = self.ok('#include <cstdio>\nfwrite("a\\xff\\xe4z\\xe2\\x82", 1, 6, stdout); fwrite("\\0b\\n", 1, 3, stdout);')
        self.assertEqual(cell.stream(), "a\ufffd\ufffdz\ufffd\ufffd\ufffdb\n")

    def test_characters_that_come_in_parts(self):
        cell = self.ok('#include <unistd.h>\nwrite(1, "\\xe2", 1); usleep(100000); write(1, "\\x82\\xac\\n", 3);')
        self.assertEqual(cell.stream(), "€\n")

    def test_a_cell_of_one_megabyte(self):
        cell = self.ok("// " + "x" * 1000000 + "\nint big = 1;\nbig")
        self.assertEqual(cell.values(), ["(int) 1"])
        lines = "".join(f"int line_{i} = {i};\n" for i in range(1000))
        self.assertEqual(self.ok(lines + "line_999").values(), ["(int) 999"])

    def test_a_cell_of_one_megabyte_of_nonsense(self):
        cell = self.kernel.run("(" * 1000000, timeout=120)
        self.assertEqual(cell.status, "error")
        self.assertEqual(self.kernel.run("1 + 1").values(), ["(int) 2"])

    def test_a_text_with_zero_bytes(self):
        self.assertEqual(self.kernel.run("1 + \0 1").status, "error")


class Interrupts(KernelTest):
    def interrupted(self, code, interrupt, name="interrupted", timeout=15):
        timer = threading.Timer(0.5, interrupt)
        begun = time.monotonic()
        cell = self.fails(code, name, on_busy=timer.start, timeout=timeout)
        self.assertLess(time.monotonic() - begun, 5)
        self.assertEqual(self.ok("number").values(), ["(int) 17"])
        return cell

    def setUp(self):
        self.ok("int number = 17;\n__device__ int turns;\n__global__ void spins(int n) { while (atomicAdd(&turns, n) >= 0) "
                "{ } }\n#include <unistd.h>")

    def test_host_loop(self):
        self.interrupted("while (true) { }", self.kernel.manager.interrupt_kernel)

    def test_host_loop_by_signal(self):
        self.interrupted("while (true) { }", lambda: os.kill(self.kernel.pid, signal.SIGINT))

    def test_sleep(self):
        self.interrupted("sleep(100);", self.kernel.manager.interrupt_kernel)

    def test_kernel_that_never_ends(self):
        self.interrupted("spins<<<1, 32>>>(1); cudaDeviceSynchronize();", self.kernel.manager.interrupt_kernel,
                         name="kernel-cancelled")

    def test_command_of_the_system(self):
        self.interrupted(":shell sleep 100; sleep 100", self.kernel.manager.interrupt_kernel)

    def test_an_interrupt_of_nothing(self):
        self.kernel.manager.interrupt_kernel()
        time.sleep(0.3)
        self.ok("usleep(100000); number")

    def test_cells_behind_are_aborted(self):
        first = self.kernel.send("while (true) { }", stop_on_error=True)
        second = self.kernel.send("number", stop_on_error=True)
        threading.Timer(0.5, self.kernel.manager.interrupt_kernel).start()
        self.assertEqual(self.kernel.collect(first).status, "error")
        self.assertEqual(self.kernel.collect(second).status, "aborted")


class SideBySide(KernelTest):
    def test_two_kernels(self):
        other = Kernel()
        try:
            self.ok("int mine = 1;")
            self.assertEqual(other.run("mine").status, "error")
            codes = [(self.kernel, "usleep(300000); 11"), (other, "usleep(300000); 22")]
            for kernel, _ in codes:
                kernel.run("#include <unistd.h>")
            sent = [(kernel, kernel.send(code)) for kernel, code in codes]
            self.assertEqual([kernel.collect(each).values() for kernel, each in sent], [["(int) 11"], ["(int) 22"]])
        finally:
            other.close()
        self.assertEqual(self.ok("mine").values(), ["(int) 1"])
