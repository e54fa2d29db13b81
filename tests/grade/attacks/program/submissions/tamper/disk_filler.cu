// ATTACK: fills the disk (64 MB at most)
// STOPS: Landlock; seccomp; file tree; RLIMIT_FSIZE
// POINTS: 0
// FAILS: the answer
#include <cuda_runtime.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>
#include <sys/stat.h>

int main() {
    char block[65536] = "x";
    for (int i = 0; i < 4; ++i) {
        char name[32];
        snprintf(name, sizeof name, i < 2 ? "fill%d" : "/tmp/cudash-attack-fill%d", i);
        const int file = open(name, O_CREAT | O_WRONLY, 0600);
        if (file < 0) continue;
        printf("LEAK: %s is written\n", name);
        for (int k = 0; k < 256; ++k)
            if (write(file, block, sizeof block) < 0) break;
        close(file);
    }
    if (mkdir("folder", 0700) == 0) puts("LEAK: a folder was made");
}
