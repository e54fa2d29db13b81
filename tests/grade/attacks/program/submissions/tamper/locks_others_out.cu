// ATTACK: locks files that others read
// STOPS: seccomp; Landlock; file tree
// POINTS: 0
// FAILS: the answer
#include <cstdio>
#include <fcntl.h>
#include <sys/file.h>

int main() {
    for (const char* path : {"/usr/include/stdio.h", "/usr/lib", ".", "/proc/self/exe"})
        if (const int file = open(path, O_RDONLY); file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0)
            printf("LEAK: %s is locked\n", path);
}
