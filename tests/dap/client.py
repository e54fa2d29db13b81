"""A small client of the Debug Adapter Protocol: it sends requests and collects what comes back."""
import json
import os
import queue
import subprocess
import threading


class Client:
    def __init__(self, program, patience=60):
        self.patience = patience
        self.process = subprocess.Popen([program, "debug", "--dap"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE)
        self.sequence = 0
        self.messages = queue.Queue()
        self.output = ""
        self.events = []
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        stream = self.process.stdout
        while True:
            header = {}
            while True:
                line = stream.readline()
                if not line:
                    self.messages.put(None)
                    return
                line = line.strip()
                if not line:
                    break
                name, _, value = line.partition(b":")
                header[name.strip().lower()] = value.strip()
            self.messages.put(json.loads(stream.read(int(header[b"content-length"]))))

    def write(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, command, **arguments):
        self.sequence += 1
        text = json.dumps({"seq": self.sequence, "type": "request", "command": command, "arguments": arguments}).encode()
        self.write(b"Content-Length: %d\r\n\r\n" % len(text) + text)
        return self.sequence

    def receive(self):
        message = self.messages.get(timeout=self.patience)
        if message is None:
            raise EOFError("the adapter has ended")
        if message["type"] == "event":
            self.events.append(message)
            if message["event"] == "output":
                self.output += message["body"]["output"]
        return message

    def response(self, sequence):
        while True:
            message = self.receive()
            if message["type"] == "response" and message["request_seq"] == sequence:
                return message

    def ask(self, command, **arguments):
        """The body of a response that succeeds."""
        response = self.response(self.send(command, **arguments))
        if not response["success"]:
            raise AssertionError(f"{command}: {response['message']}")
        return response.get("body", {})

    def refusal(self, command, **arguments):
        response = self.response(self.send(command, **arguments))
        if response["success"]:
            raise AssertionError(f"{command} was not refused")
        return response["message"]

    def event(self, name):
        """The next event of this name; those that came before it was asked for count."""
        while True:
            for index, event in enumerate(self.events):
                if event["event"] == name:
                    del self.events[: index + 1]
                    return event["body"]
            self.receive()

    def begin(self, program, breakpoints=(), **configuration):
        """Initializes, launches and sets breakpoints; the answer to those."""
        self.ask("initialize", adapterID="cudash", linesStartAt1=True)
        self.ask("launch", program=program, **configuration)
        self.event("initialized")
        told = self.ask("setBreakpoints", source={"path": os.path.abspath(program)}, breakpoints=list(breakpoints))
        self.ask("configurationDone")
        return told["breakpoints"]

    def top(self, thread):
        return self.ask("stackTrace", threadId=thread)["stackFrames"][0]

    def locals(self, frame):
        scope = self.ask("scopes", frameId=frame["id"])["scopes"][0]
        listed = self.ask("variables", variablesReference=scope["variablesReference"])["variables"]
        return {each["name"]: each for each in listed}

    def close(self):
        """Ends stdin; the exit code and what was said on stderr."""
        if not self.process.stdin.closed:
            self.process.stdin.close()
        code = self.process.wait(timeout=self.patience)
        return code, self.process.stderr.read().decode()
