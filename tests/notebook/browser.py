#!/usr/bin/env python3
"""Drives a real browser against `cudash serve`: tests/notebook/browser.py BUILD_FOLDER [SCREENSHOT_FOLDER]

Types, runs, completes, inspects and interrupts cells, looks at pictures, and exports the notebook and lessons, as pages
and as PDF. Every request of the browser must go to this machine, and its console must stay without errors. Needs Debian's
packages jupyter-notebook, chromium, chromium-driver, python3-selenium and poppler-utils (some 600 MB installed): it is run
by hand, not by ./cudash test. The last line counts."""
import base64
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import urllib.error
import urllib.request

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

BUILD = os.path.realpath(sys.argv[1])
SHOTS = os.path.realpath(sys.argv[2]) if len(sys.argv) > 2 else tempfile.mkdtemp(prefix="cudash-browser-")
BANKS = """__global__ void transpose(float* out, const float* in) {
    __shared__ float tile[32][32];
    tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
float *in, *out;
cudaMalloc(&in, 4096); cudaMalloc(&out, 4096);
cudaMemset(in, 0, 4096);
transpose<<<1, dim3(32, 32)>>>(out, in); cudaDeviceSynchronize();
"""
HEAT = """__global__ void waves(float* p) {
    int x = threadIdx.x, y = blockIdx.x;
    p[y * 64 + x] = __sinf(x * 0.2f) * __cosf(y * 0.15f);
}
float* w; cudaMalloc(&w, 64 * 64 * 4);
waves<<<64, 64>>>(w); cudaDeviceSynchronize();
:show w 64x64 heat
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Page:
    def __init__(self, address, token, name):
        options = webdriver.ChromeOptions()
        for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1200,1400",
                     "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
                     "--disable-component-update", "--disable-sync"):
            options.add_argument(word)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)
        self.driver.get(f"{address}/notebooks/{name}?token={token}")
        self.requests, self.errors = [], []
        self.wait(lambda: self.js("return !!(window.Jupyter && Jupyter.notebook && Jupyter.notebook.kernel && "
                                  "Jupyter.notebook.kernel.is_connected() && Jupyter.notebook._fully_loaded)"))

    def js(self, code, *arguments):
        return self.driver.execute_script(code, *arguments)

    def wait(self, condition, seconds=30):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                value = condition()
            except Exception:  # the page is not there yet
                value = None
            if value:
                return value
            time.sleep(0.1)
        raise AssertionError("nothing came in the page")

    def type(self, text):
        """Into the last cell, key by key."""
        self.js("var n = Jupyter.notebook, at = n.ncells() - 1; n.select(at); n.edit_mode(); n.scroll_to_cell(at);")
        time.sleep(0.2)
        ActionChains(self.driver).send_keys(text).perform()

    def put(self, text):
        """As a paste: the editor closes no brackets."""
        self.js("var n = Jupyter.notebook, at = n.ncells() - 1; n.select(at); n.get_cell(at).set_text(arguments[0]);"
                "n.edit_mode();", text)

    def run(self):
        before = self.js("return Jupyter.notebook.ncells()")
        ActionChains(self.driver).key_down(Keys.SHIFT).send_keys(Keys.ENTER).key_up(Keys.SHIFT).perform()
        self.wait(lambda: self.js("return Jupyter.notebook.ncells()") > before)
        return before - 1

    def outputs(self, at, seconds=30):
        self.wait(lambda: self.js("return /\\d/.test(Jupyter.notebook.get_cell(arguments[0]).element.find("
                                  "'.input_prompt').text())", at), seconds)
        time.sleep(0.3)
        return self.js("return Jupyter.notebook.get_cell(arguments[0]).output_area.outputs", at)

    def cell(self, text):
        self.put(text)
        return self.outputs(self.run())

    def shot(self, name):
        time.sleep(0.3)
        self.driver.save_screenshot(os.path.join(SHOTS, name + ".png"))

    def set_system_theme(self, theme):
        """As if the reader's system were "dark"; "": as it is."""
        features = [{"name": "prefers-color-scheme", "value": theme}] if theme else []
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def colors_of(self, selector):
        """Of text and background, as they are drawn."""
        return self.js("var s = getComputedStyle(document.querySelector(arguments[0])); return [s.color, s.backgroundColor]",
                       selector)

    def read_logs(self):
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                self.requests.append(message["params"]["request"]["url"])
        self.errors += [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]


def typed_and_run(page):
    page.type("int answer = 42;\nanswer")
    outputs = page.outputs(page.run())
    assert outputs[0]["data"]["text/plain"] == "(int) 42", outputs
    page.shot("1-typed")


def completed(page):
    page.type("cudaMallocPi" + Keys.TAB)
    page.wait(lambda: "cudaMallocPitch" in page.js("return Jupyter.notebook.get_selected_cell().get_text()"))
    page.put("")
    page.type("cudaMemcpy" + Keys.TAB)
    listed = page.wait(lambda: page.driver.find_elements(By.CSS_SELECTOR, "#complete option"))
    assert any("cudaMemcpyAsync" in each.text for each in listed), [each.text for each in listed]
    page.shot("2-completed")
    ActionChains(page.driver).send_keys(Keys.ESCAPE).perform()
    page.put("")


def inspected(page):
    page.put("cudaMemcpy(in, out, 4, ")
    page.js("var c = Jupyter.notebook.get_selected_cell().code_mirror; c.setCursor(0, 23); c.focus();")
    ActionChains(page.driver).key_down(Keys.SHIFT).send_keys(Keys.TAB).key_up(Keys.SHIFT).perform()
    text = page.wait(lambda: page.driver.find_element(By.CSS_SELECTOR, ".tooltiptext").text)
    assert "cudaMemcpyKind kind" in text, text
    page.shot("3-inspected")
    ActionChains(page.driver).send_keys(Keys.ESCAPE).perform()
    page.put("")


def interrupted(page):
    page.put("while (true) { }")
    at = page.run()
    time.sleep(0.7)
    page.js("Jupyter.notebook.kernel.interrupt()")
    outputs = page.outputs(at)
    assert outputs[-1]["ename"] == "interrupted", outputs
    page.shot("4-interrupted")


def asked(page):
    page.put('#include <cstdio>\nint n; printf("how many? "); scanf("%d", &n); n * 2')
    at = page.run()
    box = page.wait(lambda: page.driver.find_element(By.CSS_SELECTOR, "input.raw_input"))
    box.send_keys("21" + Keys.ENTER)
    outputs = page.outputs(at)
    assert outputs[-1]["data"]["text/plain"] == "(int) 42", outputs
    page.shot("5-asked")


def banks_seen(page):
    page.cell(":profile on")
    page.cell(BANKS)
    page.cell(":profile banks 5")
    page.wait(lambda: page.driver.find_elements(By.CSS_SELECTOR, "div.output svg"))
    page.shot("6-banks")


def heat_seen(page):
    outputs = page.cell(HEAT)
    assert any("image/svg+xml" in each.get("data", {}) or "image/png" in each.get("data", {}) or
               "<img" in each.get("data", {}).get("text/html", "") or "<svg" in each.get("data", {}).get("text/html", "")
               for each in outputs), [list(each.get("data", {})) for each in outputs]
    page.shot("7-heat")


def finding_seen(page):
    outputs = page.cell("__global__ void past(int* p) {\n    p[threadIdx.x + 1] = 1;\n}\nint* d; cudaMalloc(&d, 128);\n"
                        "past<<<1, 32>>>(d); cudaDeviceSynchronize();")
    assert outputs[-1]["ename"] == "oob-write", outputs
    page.shot("8-finding")


def exported(page):
    page.js("Jupyter.notebook.save_notebook()")
    page.wait(lambda: not page.js("return Jupyter.notebook.dirty"))
    address, token = page.address, page.token
    request = urllib.request.Request(f"{address}/nbconvert/html/work.ipynb?download=false&token={token}")
    with urllib.request.urlopen(request, timeout=60) as reply:
        html = reply.read().decode()
    with open(os.path.join(SHOTS, "exported.html"), "w") as file:
        file.write(html)
    assert "oob-write" in html
    # Older nbconverts leave nothing of an SVG but its words.
    assert html.count("<rect") > 1000, "the picture of the banks is not in the page"
    assert "\x1b" not in html
    page.driver.get("file://" + os.path.join(SHOTS, "exported.html"))
    page.shot("9-exported")


def readable_when_the_system_is_dark(page):
    """Notebook's page stays light: what has colors of its own needs a background, too."""
    page.cell(":vars")
    light = page.colors_of("div.output div.cudash")
    page.set_system_theme("dark")
    dark = page.colors_of("div.output div.cudash")
    page.shot("7-dark")
    page.set_system_theme("")
    assert light == ["rgb(34, 34, 34)", "rgb(255, 255, 255)"], light
    assert dark == ["rgb(228, 228, 231)", "rgb(24, 24, 27)"], dark


LESSONS = ["01_device_memory", "05_barriers_and_races", "13_l2_windows"]


def lessons_exported(page):
    """Executed and exported without a server: pages and PDF have all pictures, and load nothing."""
    page.read_logs()
    for name in LESSONS:
        book = os.path.join(SHOTS, name + ".ipynb")
        subprocess.run([BUILD + "/cudash", "lesson", "export", name, book], check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["/usr/bin/python3", "-m", "nbconvert", "--to", "html", "--execute", "--allow-errors",
                        "--HTMLExporter.mathjax_url=", "--HTMLExporter.require_js_url=", book],
                       check=True, capture_output=True, env=page.environment)
        with open(book[:-6] + ".html") as file:
            html = file.read()
        before = len(page.requests)
        page.driver.get("file://" + book[:-6] + ".html")
        page.read_logs()
        loaded = [url for url in page.requests[before:] if not url.startswith(("file://" + book[:-6], "data:"))]
        assert not loaded, loaded
        drawn = page.js("return Array.from(document.querySelectorAll('svg.cudash, .cudash svg'))"
                        ".filter(each => each.getBoundingClientRect().width > 50).length")
        assert drawn > 0 and drawn == html.count('role="img"'), (name, drawn, html.count('role="img"'))
        # The page's own rules for tables don't apply: lines of source would end at the right, and rows would be striped.
        odd = page.js("return Array.from(document.querySelectorAll('.cudash td')).map(each => [each.className, "
                      "getComputedStyle(each).textAlign, getComputedStyle(each.parentNode).backgroundColor])"
                      ".filter(each => (each[1] == 'right') != /\\bn\\b/.test(each[0]) || "
                      "!['rgba(0, 0, 0, 0)', 'rgb(187, 222, 251)'].includes(each[2]))")
        assert not odd, odd[:5]
        page.js("document.querySelector('svg.cudash, .cudash svg').scrollIntoView({block: 'center'})")
        page.shot("10-" + name)
        pdf = base64.b64decode(page.driver.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})["data"])
        with open(book[:-6] + ".pdf", "wb") as file:
            file.write(pdf)
        text = subprocess.run(["pdftotext", book[:-6] + ".pdf", "-"], capture_output=True, text=True, check=True).stdout
        captions = page.js("return Array.from(document.querySelectorAll('svg.cudash text:last-of-type, .cudash figcaption'))"
                           ".map(each => each.textContent)")
        missing = [each for each in captions if each.split()[0] not in text]
        assert captions and not missing, (name, missing)


def nothing_left_the_machine(page):
    page.read_logs()
    others = [url for url in page.requests
              if not re.match(r"(https?|wss?)://127\.0\.0\.1[:/]|data:|blob:|file:|chrome", url)]
    assert page.requests and not others, others
    print(f"  {len(page.requests)} requests", file=sys.stderr)


def no_error_in_the_console(page):
    # Jupyter looks for the scripts of ipywidgets, which are another package.
    errors = [each for each in page.errors if "nbextensions/widgets/" not in each]
    assert not errors, errors


STEPS = [typed_and_run, completed, inspected, interrupted, asked, banks_seen, heat_seen, readable_when_the_system_is_dark,
         finding_seen, exported, lessons_exported, nothing_left_the_machine, no_error_in_the_console]


def wrong_token(address):
    try:
        urllib.request.urlopen(f"{address}/api/kernels?token=wrong", timeout=10)
    except urllib.error.HTTPError as refusal:
        return refusal.code == 403
    return False


def main():
    os.makedirs(SHOTS, exist_ok=True)
    home = tempfile.mkdtemp()
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    environment = {**os.environ, "HOME": home, "CUDASH_CONFIG": "/dev/null", "XDG_RUNTIME_DIR": home,
                   "JUPYTER_RUNTIME_DIR": home + "/runtime", "JUPYTER_DATA_DIR": home + "/data",
                   "PATH": "/usr/bin:" + os.environ["PATH"]}
    server = subprocess.Popen([BUILD + "/cudash", "serve", "--no-browser", "--port", str(port), home + "/notebooks"],
                              stderr=subprocess.PIPE, text=True, env=environment)
    failed = passed = 0
    page = None
    try:
        first = server.stderr.readline()
        token = re.search(r"token=(\w+)", first).group(1)
        log = open(os.path.join(SHOTS, "server.log"), "w")
        threading.Thread(target=lambda: [log.write(line) for line in server.stderr], daemon=True).start()
        end = time.monotonic() + 30
        while time.monotonic() < end:
            try:
                urllib.request.urlopen(f"{address}/api?token={token}", timeout=1)
                break
            except OSError:
                time.sleep(0.2)
        assert wrong_token(address), "a wrong token is let in"
        lessons = sorted(os.listdir(home + "/notebooks/lessons"))
        assert lessons and all(name.endswith(".ipynb") for name in lessons), lessons
        book = {"cells": [], "metadata": {"kernelspec": {"name": "cudash", "display_name": "CUDA C++ (cudash)",
                                                         "language": "c++"}}, "nbformat": 4, "nbformat_minor": 4}
        with open(home + "/notebooks/work.ipynb", "w") as file:
            json.dump(book, file)
        page = Page(address, token, "work.ipynb")
        page.address, page.token, page.environment = address, token, environment
        subprocess.run([BUILD + "/cudash", "kernel", "install", "--user"], check=True, env=environment,
                       stdout=subprocess.DEVNULL)
        for step in STEPS:
            try:
                step(page)
                passed += 1
                print("ok", step.__name__, file=sys.stderr)
            except Exception:
                failed += 1
                print("FAILED", step.__name__, file=sys.stderr)
                traceback.print_exc()
                page.shot("failed-" + step.__name__)
    finally:
        if page:
            page.driver.quit()
        server.send_signal(signal.SIGTERM)
        server.wait(timeout=20)
        shutil.rmtree(home, ignore_errors=True)
    print(f"screenshots are in {SHOTS}", file=sys.stderr)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
