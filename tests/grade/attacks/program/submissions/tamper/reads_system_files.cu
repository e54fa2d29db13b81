// ATTACK: reads what the system tells all processes, and lists the root of its tree
// STOPS: Landlock
// POINTS: 0
// FAILS: the answer
#include <cstdio>
#include <dirent.h>

int main() {
    for (const char* path : {"/proc/version", "/proc/loadavg"})
        if (FILE* file = fopen(path, "r"))
            if (fgetc(file) != EOF) printf("LEAK: %s\n", path);
    if (opendir("/")) puts("LEAK: the root folder");
}
