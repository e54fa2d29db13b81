"""Conversations with `cudash debug --dap`: conversations.py CUDASH PROGRAMS_FOLDER. The last line counts."""
import os
import sys
import time
import traceback

from client import Client

cudash, folder = sys.argv[1], os.path.abspath(sys.argv[2])
SCALE = os.path.join(folder, "scale.cu")


def equal(actual, expected, what):
    if actual != expected:
        raise AssertionError(f"{what}: {actual!r} instead of {expected!r}")


def holds(text, part):
    if part not in text:
        raise AssertionError(f"{part!r} is not in {text!r}")


def a_breakpoint_stops_and_shows_values(client):
    told = client.begin(SCALE, [{"line": 18}])
    equal([told[0]["verified"], told[0]["line"]], [True, 18], "the breakpoint")
    stop = client.event("stopped")
    equal([stop["reason"], stop["hitBreakpointIds"]], ["breakpoint", [told[0]["id"]]], "the stop")
    frame = client.top(stop["threadId"])
    equal([frame["name"], frame["line"], frame["source"]["path"]], ["scale", 18, SCALE], "the frame")
    values = client.locals(frame)
    equal(values["i"]["value"], "0", "i")
    equal(values["n"]["value"], "128", "n")
    pair = client.ask("variables", variablesReference=values["pair"]["variablesReference"])["variables"]
    equal([each["name"] for each in pair], ["first", "second"], "members")
    second = client.ask("variables", variablesReference=pair[1]["variablesReference"])["variables"]
    equal([each["value"] for each in second], ["1", "2", "3"], "elements of pair.second")
    equal(values["p"]["indexedVariables"], 128, "elements behind p")
    part = client.ask("variables", variablesReference=values["p"]["variablesReference"], start=126, count=2)
    equal([each["name"] for each in part["variables"]], ["[126]", "[127]"], "a page of p")
    shared = client.ask("scopes", frameId=frame["id"])["scopes"][1]
    equal(client.ask("variables", variablesReference=shared["variablesReference"])["variables"][0]["name"], "s", "shared")


def a_line_without_code_is_moved(client):
    told = client.begin(SCALE, [{"line": 21}, {"line": 400}])
    equal([told[0]["verified"], told[0]["line"]], [True, 22], "the moved breakpoint")
    holds(told[0]["message"], "moved to line 22")
    equal(told[1]["verified"], False, "the breakpoint behind the file")
    holds(told[1]["message"], "no kernel has code at or after line 400")


def conditions_hold_for_one_thread(client):
    client.begin(SCALE, [{"line": 18, "condition": "i == 77"}])
    stop = client.event("stopped")
    equal(stop["threadId"], 77 - 64 + 1, "the thread")
    equal(client.locals(client.top(stop["threadId"]))["i"]["value"], "77", "i")


def hits_are_counted(client):
    told = client.begin(SCALE, [{"line": 24, "hitCondition": ">= 6"}, {"line": 23, "hitCondition": "often"}])
    equal([told[0]["verified"], told[1]["verified"]], [True, False], "the breakpoints")
    holds(told[1]["message"], "can't read 'often' as a number of hits")
    # Four warps come there in a launch: none has six hits.
    equal(client.event("exited")["exitCode"], 3, "the exit code")


def a_hit_condition_stops_at_that_hit(client):
    client.begin(SCALE, [{"line": 24, "hitCondition": "3"}])
    stop = client.event("stopped")
    equal(client.locals(client.top(stop["threadId"]))["i"]["value"], "64", "i of the third warp")


def log_points_do_not_stop(client):
    told = client.begin(SCALE, [{"line": 18, "logMessage": "i is {i}\nof {n}"}])
    equal(told[0]["verified"], True, "the log point")
    equal(client.event("exited")["exitCode"], 3, "the exit code")
    client.event("terminated")
    holds(client.output, "thread (32,0,0) of block (1,0,0) (and 31 more of its warp): i is 96 of 128")


def what_a_replay_would_lose_is_not_offered(client):
    offered = client.ask("initialize", adapterID="cudash")
    for each in ("supportsSetVariable", "supportsSetExpression", "supportsGotoTargetsRequest", "supportsRestartFrame"):
        equal(offered.get(each, False), False, each)
    equal(offered["supportsLogPoints"] and offered["supportsHitConditionalBreakpoints"], True, "what is offered")


def launches_after_the_first_stop(client):
    client.begin(SCALE, [{"line": 24}])
    for _ in range(3):  # one of the rounds; two warps of two blocks each
        for _ in range(4):
            stop = client.event("stopped")
            equal(client.top(stop["threadId"])["name"], "add", "the kernel")
            client.ask("continue", threadId=stop["threadId"])
    equal(client.event("exited")["exitCode"], 3, "the exit code")
    client.event("terminated")
    holds(client.output, "scaled\nlast: 258\n")


def steps_go_both_ways(client):
    client.begin(SCALE, [{"line": 16, "condition": "i == 0"}])  # the other warp stops nowhere
    thread = client.event("stopped")["threadId"]
    lines = []
    for request in ("next", "next", "stepBack", "next", "stepIn", "stepOut", "reverseContinue"):
        client.ask(request, threadId=thread)
        stop = client.event("stopped")
        frame = client.top(stop["threadId"])
        lines.append((request, frame["name"], frame["line"]))
    equal(lines[0], ("next", "scale", 17), "next")
    equal(lines[2][1], "scale", "stepBack stays in the kernel")
    equal(lines[4][1], "twice", "stepIn")
    equal(lines[5][1], "scale", "stepOut")
    equal(lines[6], ("reverseContinue", "scale", 16), "reverseContinue goes back to the breakpoint")


def the_entry_stops(client):
    client.begin(SCALE, stopOnEntry=True)
    stop = client.event("stopped")
    equal(stop["reason"], "entry", "the reason")
    holds(stop["description"], "launch 1: scale")
    threads = client.ask("threads")["threads"]
    equal(len(threads), 33, "threads: a warp's lanes, and one of the other warp")
    frame = client.top(stop["threadId"])
    code = client.ask("disassemble", memoryReference=frame["instructionPointerReference"], instructionOffset=-2,
                      instructionCount=5)["instructions"]
    equal(len(code), 5, "instructions")
    client.ask("stepIn", threadId=stop["threadId"], granularity="instruction")
    client.event("stopped")


def functions_and_data_have_breakpoints(client):
    client.ask("initialize")
    client.ask("launch", program=SCALE)
    client.event("initialized")
    told = client.ask("setFunctionBreakpoints", breakpoints=[{"name": "twice"}, {"name": "nowhere"}])["breakpoints"]
    equal([each["verified"] for each in told], [True, False], "function breakpoints")
    client.ask("configurationDone")
    stop = client.event("stopped")
    frame = client.ask("stackTrace", threadId=stop["threadId"])["stackFrames"]
    equal([each["name"] for each in frame], ["twice", "scale"], "the calls")
    info = client.ask("dataBreakpointInfo", name="p[0]", frameId=frame[1]["id"])
    equal(client.ask("setDataBreakpoints", breakpoints=[{"dataId": info["dataId"]}])["breakpoints"][0]["verified"], True,
          "the data breakpoint")
    client.ask("setFunctionBreakpoints", breakpoints=[])
    client.ask("continue", threadId=stop["threadId"])
    stop = client.event("stopped")
    equal(stop["reason"], "data breakpoint", "the reason")
    holds(stop["description"], "0 -> 1")


def the_console_takes_expressions_and_commands(client):
    client.begin(SCALE, [{"line": 18}])
    stop = client.event("stopped")
    frame = client.top(stop["threadId"])
    ask = lambda text, context="repl": client.ask("evaluate", expression=text, frameId=frame["id"], context=context)
    equal(ask("s[3] + 1", "watch")["result"], "4", "a watched expression")
    holds(ask("lanes i")["result"], "31: 31")
    holds(ask("who wrote s[3]")["result"], "thread (3,0,0)")
    client.event("stopped")
    frame = client.top(stop["threadId"])
    message = client.refusal("evaluate", expression="nowhere", frameId=frame["id"], context="hover")
    holds(message, "there is no `nowhere`")


def a_finding_stops_before_it(client):
    client.begin(os.path.join(folder, "out_of_bounds.cu"))
    stop = client.event("stopped")
    equal(stop["reason"], "exception", "the reason")
    equal(client.top(stop["threadId"])["line"], 3, "the line")
    holds(client.ask("exceptionInfo", threadId=stop["threadId"])["description"], "p")
    client.ask("continue", threadId=stop["threadId"])
    equal(client.event("exited")["exitCode"], 1, "the exit code")


def pause_stops_an_endless_kernel(client):
    client.begin(os.path.join(folder, "endless.cu"))
    time.sleep(1)
    client.ask("pause", threadId=1)
    stop = client.event("stopped")
    equal(stop["reason"], "pause", "the reason")
    told = client.send("continue", threadId=stop["threadId"])
    client.response(told)
    time.sleep(0.5)
    told = client.ask("setBreakpoints", source={"path": os.path.join(folder, "endless.cu")}, breakpoints=[{"line": 4}])
    equal(told["breakpoints"][0]["verified"], True, "a breakpoint that is set while the kernel runs")
    equal(client.event("stopped")["reason"], "breakpoint", "the reason")
    client.send("continue", threadId=1)
    client.ask("setBreakpoints", source={"path": os.path.join(folder, "endless.cu")}, breakpoints=[])
    client.ask("disconnect")
    equal(client.close()[0], 0, "the exit code of the adapter")


def a_client_vanishes_while_the_kernel_runs(client):
    client.begin(os.path.join(folder, "endless.cu"))
    time.sleep(0.5)
    equal(client.close()[0], 0, "the exit code of the adapter")


def programs_that_cannot_be_debugged(client):
    client.ask("initialize")
    holds(client.refusal("launch", program=os.path.join(folder, "mistake.cu")), "missing")
    client.event("terminated")


def a_program_without_kernels(client):
    client.ask("initialize")
    holds(client.refusal("launch", program=os.path.join(folder, "no_kernel.cu")), "no kernel")


def a_file_that_is_not_there(client):
    client.ask("initialize")
    holds(client.refusal("launch", program=os.path.join(folder, "nothing.cu")), "nothing.cu")
    holds(client.refusal("next", threadId=1), "ended")


def nonsense_is_told(client):
    holds(client.refusal("launch", program=SCALE), "'initialize' comes first")
    client.ask("initialize")
    holds(client.refusal("stackTrace", threadId=1), "'launch' comes first")
    holds(client.refusal("makeCoffee"), "no request 'makeCoffee'")
    holds(client.refusal("launch", program=7), "program")
    holds(client.refusal("launch", program=SCALE, args="no list"), "types")
    holds(client.refusal("launch", program=SCALE, options=["--nonsense"]), "options")
    for text in (b"{", b"[1, 2]", b'"text"', b"[" * 5000, b'{"type":"request","seq":1}', b"\xff\xfe"):
        client.write(b"Content-Length: %d\r\n\r\n" % len(text) + text)
    holds(client.refusal("initialize"), "second time")
    equal(client.output.count("cudash: a message"), 6, "messages that were refused")
    client.write(b"Content-Length: 99999999999\r\n\r\n")
    code, said = client.close()
    equal([code, said], [0, ""], "the end")


def a_header_without_length(client):
    client.write(b"Hello\r\n\r\n")
    try:
        while True:
            client.receive()
    except EOFError:
        pass
    holds(client.output, "needs a header with Content-Length")


def lines_count_from_zero(client):
    client.ask("initialize", linesStartAt1=False)
    client.ask("launch", program=SCALE)
    client.event("initialized")
    told = client.ask("setBreakpoints", source={"path": SCALE}, breakpoints=[{"line": 17}])["breakpoints"]
    equal(told[0]["line"], 17, "the line")
    client.ask("configurationDone")
    equal(client.top(client.event("stopped")["threadId"])["line"], 17, "the line of the stop")


def breakpoints_may_come_first(client):
    client.ask("initialize")
    told = client.ask("setBreakpoints", source={"path": SCALE}, breakpoints=[{"line": 18}])["breakpoints"]
    equal(told[0]["verified"], False, "before the program is compiled")
    client.ask("launch", program="scale.cu", cwd=folder)
    changed = client.event("breakpoint")["breakpoint"]
    equal([changed["id"], changed["verified"]], [told[0]["id"], True], "afterwards")


def the_adapter_ends_when_the_client_disconnects(client):
    client.ask("initialize")
    client.ask("disconnect")
    equal(client.process.wait(timeout=client.patience), 0, "the exit code, with stdin still open")


def kernels_of_several_files(client):
    main, halve = (os.path.join(folder, "two_files", name) for name in ("main.cu", "halve.cu"))
    client.ask("initialize")
    client.ask("launch", program=[main, halve])
    client.event("initialized")
    for path, line in ((main, 6), (halve, 7)):
        told = client.ask("setBreakpoints", source={"path": path}, breakpoints=[{"line": line}])["breakpoints"]
        equal([told[0]["verified"], told[0]["line"]], [True, line], "the breakpoint")
    client.ask("configurationDone")
    for path, line, kernel, name, value in ((main, 6, "triple", "value", "0"), (halve, 7, "halve", "cut", "{at = 0}")):
        stop = client.event("stopped")
        frames = client.ask("stackTrace", threadId=stop["threadId"])["stackFrames"]
        equal([each["name"] for each in frames], ["part", kernel], "the calls")
        equal([frames[0]["source"]["path"], frames[0]["line"]], [path, line], "the place")
        equal(client.locals(frames[0])[name]["value"], value, name)
        client.ask("continue", threadId=stop["threadId"])
    equal(client.event("exited")["exitCode"], 0, "the exit code")
    holds(client.output, "46")


conversations = [value for name, value in list(globals().items())
                 if callable(value) and getattr(value, "__module__", "") == "__main__"
                 and name not in ("equal", "holds")]
passed = failed = 0
for conversation in conversations:
    client = Client(cudash)
    try:
        conversation(client)
        passed += 1
    except Exception:
        failed += 1
        print(f"FAILED {conversation.__name__}", file=sys.stderr)
        traceback.print_exc()
        print("output events:", client.output, file=sys.stderr)
    finally:
        try:
            client.close()
        except Exception:
            client.process.kill()
print(f"{passed} passed, {failed} failed")
sys.exit(failed != 0)
