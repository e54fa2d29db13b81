// ATTACK: asks fcntl for more than a program needs
// STOPS: seccomp: fcntl only for descriptors
// POINTS: 0
// FAILS: the answer
#include <cstdio>
#include <fcntl.h>
#include <unistd.h>

int main() {
    const int file = open("/usr/include/stdio.h", O_RDONLY);
    struct flock lock = {};
    lock.l_type = F_RDLCK;
    const struct {
        const char* name;
        int result;
    } calls[] = {{"F_SETPIPE_SZ", fcntl(1, F_SETPIPE_SZ, 1 << 20)}, {"F_SETOWN", fcntl(100, F_SETOWN, getppid())},
                 {"F_SETSIG", fcntl(100, F_SETSIG, 9)},             {"F_SETLK", fcntl(file, F_SETLK, &lock)},
                 {"F_OFD_SETLK", fcntl(file, F_OFD_SETLK, &lock)},  {"F_SETLEASE", fcntl(file, F_SETLEASE, F_RDLCK)},
                 {"F_NOTIFY", fcntl(file, F_NOTIFY, 1)},            {"F_ADD_SEALS", fcntl(0, F_ADD_SEALS, 1)}};
    for (const auto& call : calls)
        if (call.result >= 0) printf("LEAK: %s works\n", call.name);
}
