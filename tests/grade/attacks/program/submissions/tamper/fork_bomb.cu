// ATTACK: forks (a few times: it must do no harm even where it works)
// STOPS: seccomp; namespaces
// POINTS: 0
// FAILS: the answer
// SAYS: it prints
#include <cuda_runtime.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
#include <sys/syscall.h>

int main() {
    for (int i = 0; i < 4; ++i) {
        const pid_t child = fork();
        if (child == 0) {
            sleep(1);
            _exit(0);
        }
        if (child > 0) puts("LEAK: a process was started");
    }
    if (vfork() == 0) _exit(0);
    if (syscall(SYS_clone, 17, 0, 0, 0, 0) == 0) _exit(0);
}
