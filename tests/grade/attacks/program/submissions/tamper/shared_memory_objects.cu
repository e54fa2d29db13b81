// ATTACK: keeps memory in objects that are not mapped, where nobody counts it
// STOPS: seccomp; limits (RLIMIT_FSIZE, RLIMIT_MSGQUEUE); file tree
// POINTS: 0
// FAILS: the answer
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

int main() {
    signal(SIGXFSZ, SIG_IGN);
    const long made[] = {syscall(SYS_memfd_create, "m", 0), shm_open("/cudash-attack", O_CREAT | O_RDWR, 0600),
                         syscall(SYS_memfd_secret, 0)};
    char page[4096] = {};
    for (const long each : made)
        if (each >= 0 && (ftruncate(each, 1 << 20) == 0 || write(each, page, sizeof page) > 0)) printf("LEAK: %ld\n", each);
    if (syscall(SYS_mq_open, "cudash-attack", 0102, 0600, 0) >= 0) puts("LEAK: a queue");
}
