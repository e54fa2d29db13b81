// ATTACK: runs other programs
// STOPS: seccomp; Landlock; file tree
// POINTS: 0
// FAILS: the answer
#include <cuda_runtime.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

int main() {
    if (system("echo LEAK: a shell ran") == 0) puts("LEAK: system works");
    if (FILE* pipe = popen("id", "r")) {
        char line[100];
        if (fgets(line, sizeof line, pipe)) printf("LEAK %s", line);
    }
    execl("/bin/echo", "echo", "LEAK: exec works", nullptr);
}
