// ATTACK: reads the solution beside the assignment
// STOPS: Landlock; file tree
// POINTS: 0
// FAILS: the answer
#include <cuda_runtime.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

// What must not be read begins a line with LEAK.
static void try_file(const char* path) {
    if (FILE* file = fopen(path, "r")) {
        char line[100] = "";
        if (fgets(line, sizeof line, file)) printf("LEAK %s: %s\n", path, line);
        fclose(file);
    }
}

int main() {
    for (const char* path : {"solution.cu", "../solution.cu", "../../solution.cu", "tests/grade/attacks/program/solution.cu",
                             "/proc/self/cwd/../solution.cu", "/proc/1/cwd/solution.cu"})
        try_file(path);
    // Beside the program, and from there.
    char program[512] = "", path[1024];
    if (readlink("/proc/self/exe", program, sizeof program - 1) > 0) {
        *strrchr(program, '/') = 0;
        for (const char* there : {"share/lessons/assignments/reverse/solution.cu", "../../lessons/assignments/reverse/solution.cu",
                                  "../../tests/grade/attacks/program/solution.cu", "../../README.md"}) {
            snprintf(path, sizeof path, "%s/%s", program, there);
            try_file(path);
        }
    }
}
