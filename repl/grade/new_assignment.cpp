#include "repl/grade/new_assignment.h"

#include <fmt/format.h>

#include <array>

#include "repl/exit_codes.h"
#include "repl/grade/template_files.h"

namespace cudash::grade {
namespace {

// Device code with a visible check, a hidden one and one for findings; `cudash grade verify` passes on it.
constexpr std::array files = {
    TemplateFile{"assignment.md", R"(# Scaling a vector

Write the kernel

    __global__ void scale(float* data, float factor, int n)

It multiplies each of the `n` numbers at `data` by `factor`. It is launched with blocks of 128 threads and at least `n`
threads in all. Threads without an element touch nothing.

Hand in one `.cu` file with the kernel. The grader ignores a `main`.
)"},
    TemplateFile{"assignment.toml", R"(title = "Scaling a vector"
kind = "device"
seed = "@SEED@"   # of random inputs; keep it to yourself
timeout = 5
kernels = "__global__ void scale(float* data, float factor, int n) {}"

[[check]]
name = "compiles"
points = 0

[[check]]
name = "256 numbers are scaled"
points = 4
cell = "n = 256; run();"
why = "Each thread multiplies one element; its index counts through all blocks."
[[check.input]]
name = "data"
type = "float"
count = 256
counted = [1, 1]
[[check.result]]
name = "data"
type = "float"
count = 256

[[check]]
name = "1000 numbers are scaled"
points = 3
cell = "n = 1000; run();"
runs = 2                           # each time with other random numbers
visibility = "after_due_date"
why = "The length is n, which need not be a multiple of 128."
[[check.input]]
name = "data"
type = "float"
count = 1000
random = [-100, 100]
[[check.result]]
name = "data"
type = "float"
count = 1000

[[check]]
name = "no thread leaves the array or races another"
points = 3
needs = ["256 numbers are scaled"]
findings = []
why = "The grid has whole blocks: compare the index with n before you use it."

# The first reply that fits is what the student is told.
[[reply]]
finding = "oob-read"
say = "Eight blocks of 128 threads are more than 1000 numbers. What must a thread without an element do?"

[[reply]]
failed = "256 numbers are scaled"
source = 'data\[\s*threadIdx\.x\s*\]'
say = "threadIdx.x begins at 0 in every block: all blocks scale the same elements."
)"},
    TemplateFile{"harness.cu",
                 R"(// Runs the submission's kernel. The grader puts numbers into `data` and reads them back.
#include <cuda_runtime.h>

float data[1024];
int n;

void run() {
    float* d = nullptr;
    if (cudaMalloc(&d, n * sizeof(float)) != cudaSuccess) return;
    cudaMemcpy(d, data, n * sizeof(float), cudaMemcpyHostToDevice);
    scale<<<(n + 127) / 128, 128>>>(d, 3.0f, n);
    cudaMemcpy(data, d, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d);
}
)"},
    TemplateFile{"starter.cu", R"(__global__ void scale(float* data, float factor, int n) {
    // Your code.
}
)"},
    TemplateFile{"solution.cu", R"(__global__ void scale(float* data, float factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] *= factor;
}
)"},
    TemplateFile{"submissions/accepted/grid_stride.cu", R"(__global__ void scale(float* data, float factor, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) data[i] *= factor;
}
)"},
    TemplateFile{"submissions/wrong/no_guard.cu", R"(// POINTS: 4
// FAILS: 1000 numbers are scaled
// FAILS: no thread leaves the array or races another
// REPLY: What must a thread without an element do?
__global__ void scale(float* data, float factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    data[i] *= factor;
}
)"},
    TemplateFile{"submissions/wrong/block_only.cu", R"(// POINTS: 0
// FAILS: 256 numbers are scaled
// FAILS: 1000 numbers are scaled
// REPLY: threadIdx.x begins at 0 in every block
__global__ void scale(float* data, float factor, int n) {
    data[threadIdx.x] *= factor;
}
)"},
};

}  // namespace

int new_assignment(const std::string& path, const std::string& format_page, const view::Display& display) {
    if (const auto problem = write_template(path, files)) {
        display.show(*problem, {});
        return problem->code == "exists" ? exit_codes::usage : exit_codes::failed;
    }
    const std::string word = new_folder_word(path);
    display.results(
        fmt::format("Created {0}, a small working assignment. Edit it, then test it with\n"
                    "  cudash grade verify {0}\n"
                    "Grade a submission with\n"
                    "  cudash grade {0} FILE.cu\n",
                    word));
    if (!format_page.empty()) display.results(fmt::format("{} describes the format.\n", format_page));
    return 0;
}

}  // namespace cudash::grade
