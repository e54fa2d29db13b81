// ATTACK: makes processes by every call that can
// STOPS: seccomp; namespaces
// POINTS: 0
// FAILS: the answer
#include <cstdio>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

int main() {
    alignas(8) char arguments[88] = {};
    const long results[] = {syscall(SYS_fork), syscall(SYS_vfork), syscall(SYS_clone, 17, 0, 0, 0, 0),
                            syscall(SYS_clone3, arguments, sizeof arguments),
                            syscall(SYS_clone, CLONE_NEWUSER | 17, 0, 0, 0, 0)};
    for (const long result : results)
        if (result > 0) printf("LEAK: process %ld\n", result);
        else if (result == 0) _exit(0);
}
