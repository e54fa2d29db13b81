// ATTACK: traces the process that started it, and itself
// STOPS: seccomp; namespaces
// POINTS: 0
// FAILS: the answer
#include <cuda_runtime.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <unistd.h>

int main() {
    if (ptrace(PTRACE_SEIZE, getppid(), 0, 0) == 0) puts("LEAK: traces its parent");
    if (ptrace(PTRACE_TRACEME, 0, 0, 0) == 0) puts("LEAK: traced");
    char byte = 0;
    iovec here{&byte, 1}, there{(void*)main, 1};
    if (process_vm_readv(getppid(), &here, 1, &there, 1, 0) >= 0) puts("LEAK: reads its parent");
}
