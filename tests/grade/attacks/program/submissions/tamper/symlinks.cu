// ATTACK: reads and writes through links
// STOPS: seccomp; Landlock; file tree
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
    if (symlink("/etc/passwd", "x") == 0) puts("LEAK: a link was made");
    if (symlink("/tmp/cudash-attack-secret", "y") == 0) puts("LEAK: a link was made");
    if (link("/etc/passwd", "z") == 0) puts("LEAK: a hard link was made");
    for (const char* path : {"x", "y", "z", "/proc/self/root/etc/passwd", "/proc/self/cwd/../../etc/passwd"}) try_file(path);
}
