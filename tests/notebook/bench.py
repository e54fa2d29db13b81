#!/usr/bin/env python3
"""Times of the kernel through the protocol: tests/notebook/bench.py BUILD_FOLDER [ROUNDS]. Needs python3-jupyter-client."""
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

BUILD = os.path.realpath(sys.argv[1])
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 7
os.environ.update(CUDASH=BUILD + "/cudash", CUDASH_CONFIG="/dev/null")
scratch = tempfile.TemporaryDirectory()
os.environ["JUPYTER_DATA_DIR"] = scratch.name
os.environ["JUPYTER_RUNTIME_DIR"] = scratch.name
from client import Kernel  # noqa: E402: needs the environment


def milliseconds(call):
    begun = time.perf_counter()
    call()
    return 1000 * (time.perf_counter() - begun)


def show(what, times):
    print(f"{what:<46} {statistics.median(times):8.1f} ms  (of {len(times)}; {min(times):.1f} to {max(times):.1f})")


def first_cell():
    """From the process's start to the value, without the client's own waiting for a heartbeat."""
    from jupyter_client import KernelManager
    manager = KernelManager(kernel_name="cudash")
    begun = time.perf_counter()
    manager.start_kernel()
    client = manager.blocking_client()
    client.start_channels()
    client.execute("1 + 1")
    while client.get_shell_msg(timeout=30)["msg_type"] != "execute_reply":
        pass
    taken = 1000 * (time.perf_counter() - begun)
    client.stop_channels()
    manager.shutdown_kernel(now=True)
    return taken


def main():
    subprocess.run([BUILD + "/cudash", "kernel", "install", "--user"], check=True, stdout=subprocess.DEVNULL)
    first_cell()
    show("kernel's start to the first value", [first_cell() for _ in range(ROUNDS)])
    kernel = Kernel()

    def evaluate(code):
        kernel.client.execute(code)
        while kernel.client.get_shell_msg(timeout=60)["msg_type"] != "execute_reply":
            pass

    evaluate("int x = 0;")
    show("++x, request to reply", [milliseconds(lambda: evaluate("++x;")) for _ in range(10 * ROUNDS)])
    show(":help quit, request to reply (no worker)", [milliseconds(lambda: evaluate(":help quit")) for _ in
                                                      range(10 * ROUNDS)])
    kernel.close()
    kernel = Kernel()
    kernel.run("#include <cstdio>")
    times = []
    for _ in range(ROUNDS):
        cells = []
        times.append(milliseconds(lambda: cells.append(kernel.run(
            'for (int i = 0; i < 1000000; ++i) printf("%09d\\n", i);', timeout=120))))
        size = len(cells[0].stream())
        if size != 10000000:
            print(f"{size} of 10000000 bytes came")
    show("10 MB of output in lines of 10 bytes", times)
    kernel.run("float* d; cudaMalloc(&d, sizeof(float) << 24);")
    kernel.run("__global__ void fill(float* d) { int i = blockIdx.x * blockDim.x + threadIdx.x;"
               " d[i] = (i * 2654435761u) * 1e-9f; }")
    kernel.run("fill<<<65536, 256>>>(d); cudaDeviceSynchronize();")
    times, sizes = [], []
    for _ in range(ROUNDS):
        cells = []
        times.append(milliseconds(lambda: cells.append(kernel.run(":show d 4096x4096 heat"))))
        [shown] = cells[0].of("display_data")
        sizes.append(len(json.dumps(shown["data"])))
    show("heat map of 4096x4096", times)
    print(f"{'its message, all forms together':<46} {statistics.median(sizes) / 1000:8.1f} kB")
    kernel.close()


main()
