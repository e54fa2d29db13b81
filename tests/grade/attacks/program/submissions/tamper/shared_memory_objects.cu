// ATTACK: makes memory that outlives it
// STOPS: namespaces (IPC); seccomp; file tree
// POINTS: 0
// FAILS: the answer
#include <cstdio>
#include <fcntl.h>
#include <mqueue.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

int main() {
    const long made[] = {syscall(SYS_memfd_create, "m", 0), shm_open("/cudash-attack", O_CREAT | O_RDWR, 0600),
                         shmget(IPC_PRIVATE, 1 << 20, 0600), syscall(SYS_mq_open, "cudash-attack", 0100, 0600, 0),
                         syscall(SYS_memfd_secret, 0)};
    for (const long each : made)
        if (each >= 0) printf("LEAK: %ld\n", each);
}
