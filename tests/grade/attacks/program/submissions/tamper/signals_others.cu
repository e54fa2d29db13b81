// ATTACK: signals other processes (signal 0: it does no harm even where it works)
// STOPS: seccomp; namespaces
// POINTS: 0
// FAILS: the answer
#include <cuda_runtime.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <csignal>
#include <unistd.h>
#include <sys/syscall.h>

int main() {
    for (int pid : {getppid(), getppid() - 1, -1, 2, 3})
        if (pid != 0 && pid != getpid() && kill(pid, 0) == 0) printf("LEAK: process %d can be signalled\n", pid);
    if (syscall(SYS_tkill, 2, 0) == 0 || syscall(SYS_tgkill, getppid(), getppid(), 0) == 0) puts("LEAK: tkill");
    if (syscall(SYS_pidfd_open, getppid(), 0) >= 0) puts("LEAK: pidfd");
}
