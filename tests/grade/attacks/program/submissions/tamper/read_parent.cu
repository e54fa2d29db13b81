// ATTACK: reads the memory and the files of the process that started it
// STOPS: namespaces; seccomp; Landlock
// POINTS: 0
// FAILS: the answer
#include <cuda_runtime.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
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
    char path[64];
    for (int pid = getppid(); pid > 0 && pid > getppid() - 3; --pid) {
        for (const char* what : {"environ", "maps", "cmdline"}) {
            snprintf(path, sizeof path, "/proc/%d/%s", pid, what);
            try_file(path);
        }
    }
}
