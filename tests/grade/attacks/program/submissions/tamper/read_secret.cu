// ATTACK: reads a file that others can read
// STOPS: Landlock; file tree
// POINTS: 0
// FAILS: the answer
#include <cuda_runtime.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

// What must not be read begins a line with LEAK.
static void try_file(const char* path) {
    if (FILE* file = fopen(path, "r")) {
        char line[100] = "";
        if (fgets(line, sizeof line, file)) printf("LEAK %s: %s\n", path, line);
        fclose(file);
    }
}

int main() {
    for (const char* path : {"/tmp/cudash-attack-secret", "/etc/passwd", "/etc/hostname", "/root/.bashrc", "/proc/1/environ"})
        try_file(path);
}
