#include "repl/lesson/new_lesson.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>

#include "repl/exit_codes.h"
#include "repl/grade/template_files.h"
#include "repl/lesson/lessons_folder.h"

namespace cudash::lesson {
namespace {

using grade::TemplateFile;

// A small lesson with one of everything; `cudash lesson verify` passes on it.
constexpr std::array files = {
    TemplateFile{"lesson.md", R"(<!-- lesson
minutes = 20
documents = ["The document that the lesson follows"]
claims = []
-->
# A new lesson

What the student will be able to do afterwards, and what they must know before.

## A first section

Text explains; a `cuda` fence runs, and the `output` fence after it is what it prints. All cells of a lesson share one
session. A question stands before the cells that show its answer.

```question
id = "threads"
ask = "A launch `<<<4, 32>>>`: how many threads run?"
number = 128
shown_by = "blocks * threads"
hints = ["What does each of the two numbers count?", "The first number counts blocks, the second the threads of each."]
because = "4 blocks have 32 threads each."
[[wrong]]
answer = 36
reply = "The two numbers are not added: every one of the 4 blocks has 32 threads."
```

```cuda
int blocks = 4, threads = 32;
blocks * threads
```

```output
(int) 128
```

## An exercise

```exercise
name = "fill"
task = "Complete the kernel `fill`, so that every element of `d` gets its own index."
hints = [
    "Each thread writes one element. Which one?",
    "The index is made of `blockIdx.x`, `blockDim.x` and `threadIdx.x`.",
    "The last block may have threads without an element: compare with `n`.",
]
```
)"},
    TemplateFile{"fill/exercise.cu", R"(// Every element of d gets its own index.
__global__ void fill(int* d, int n) {
    // Your code comes here.
}
)"},
    TemplateFile{"fill/solution.cu", R"(__global__ void fill(int* d, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) d[i] = i;
}
)"},
    TemplateFile{
        "fill/checks.toml",
        R"toml(# What a submission is checked for: the student's file, then the harness that uses it, then each check in order.
harness = """
int wrong_elements(int n) {
    int *d, *h = new int[n], wrong = 0;
    cudaMalloc(&d, n * sizeof(int));
    cudaMemset(d, 0xff, n * sizeof(int));
    fill<<<(n + 127) / 128, 128>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(int), cudaMemcpyDefault);
    for (int i = 0; i < n; ++i) wrong += h[i] != i;
    cudaFree(d);
    delete[] h;
    return wrong;
}
"""

[[check]]
name = "256 elements are filled"
cell = "wrong_elements(256)"
output = "(int) 0"
means = "wrong elements"
why = "Each thread works out one index from its block and its place in the block, and writes that element."

[[check]]
name = "200 elements are filled, and nothing else is touched"
cell = "wrong_elements(200)"
output = "(int) 0"
means = "wrong elements"
why = "The grid has whole blocks: the last threads have no element."

[[check]]
name = "nothing is found"
findings = []

# The first that fits is what the student is told.
[[reply]]
source = 'd\[\s*threadIdx\.x\s*\]'
say = "threadIdx.x counts inside of one block: threads of different blocks write the same elements."

[[reply]]
source = '<=\s*n'
say = "The last element is number n - 1; there is no element n."

[[reply]]
source = 'blockIdx\.x\s*\*\s*threadIdx\.x'
say = "The place of a block's first element is its number times the size of a block, which is blockDim.x."

[[reply]]
failed = "256 elements are filled"
source = 'gridDim'
say = "gridDim.x is the number of blocks. How many elements does one block have?"

[[reply]]
failed = "200 elements are filled, and nothing else is touched"
say = "Two blocks of 128 threads are more than 200 elements. What must a thread without an element do?"
)toml"},
    TemplateFile{"fill/wrong/block_only.cu", R"(// REPLY: threadIdx.x counts inside of one block
__global__ void fill(int* d, int n) {
    if (threadIdx.x < n) d[threadIdx.x] = threadIdx.x;
}
)"},
    TemplateFile{"fill/wrong/no_guard.cu", R"(// REPLY: What must a thread without an element do?
__global__ void fill(int* d, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    d[i] = i;
}
)"},
    TemplateFile{"fill/wrong/one_too_many.cu", R"(// REPLY: there is no element n
__global__ void fill(int* d, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) d[i] = i;
}
)"},
    TemplateFile{"fill/wrong/thread_for_block.cu", R"(// REPLY: number times the size of a block
__global__ void fill(int* d, int n) {
    int i = blockIdx.x * threadIdx.x + threadIdx.x;
    if (i < n) d[i] = i;
}
)"},
    TemplateFile{"fill/wrong/grid_for_block.cu", R"(// REPLY: How many elements does one block have?
__global__ void fill(int* d, int n) {
    int i = blockIdx.x * gridDim.x + threadIdx.x;
    if (i < n) d[i] = i;
}
)"},
};

}  // namespace

int new_lesson(const std::string& path, const view::Display& display) {
    if (const auto problem = grade::write_template(path, files)) {
        display.show(*problem, {});
        return problem->code == "exists" ? exit_codes::usage : exit_codes::failed;
    }
    const std::string word = grade::new_folder_word(path);
    display.results(
        fmt::format("Created {0}, a small working lesson. Edit it, then test it with\n"
                    "  cudash lesson verify {0}\n"
                    "Take it as a student does with\n"
                    "  cudash lesson {0}\n",
                    word));
    const std::string page = lessons_folder() + "/README.md";
    std::error_code ignored;
    if (std::filesystem::exists(page, ignored)) display.results(fmt::format("{} describes the format.\n", page));
    return 0;
}

}  // namespace cudash::lesson
