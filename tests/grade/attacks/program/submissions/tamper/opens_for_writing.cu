// ATTACK: opens, makes and cuts files wherever there may be room
// STOPS: Landlock; seccomp; file tree; RLIMIT_FSIZE
// POINTS: 0
// FAILS: the answer
#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int main() {
    for (const char* path : {"/dev/shm/cudash-attack-w", "/tmp/cudash-attack-w", "./w", "/var/tmp/cudash-attack-w"})
        for (const int flags : {O_WRONLY | O_CREAT, O_RDWR | O_CREAT, O_RDONLY | O_CREAT, O_WRONLY | O_TRUNC})
            if (open(path, flags, 0600) >= 0) printf("LEAK: %s\n", path);
    for (const char* path : {"/tmp", ".", "/dev/shm"})
        if (open(path, O_TMPFILE | O_RDWR, 0600) >= 0) printf("LEAK: a file in %s\n", path);
    if (mkdir("/tmp/cudash-attack-d", 0700) == 0 || mkdir("d", 0700) == 0) puts("LEAK: a folder");
    if (truncate("/tmp/cudash-attack-secret", 0) == 0) puts("LEAK: truncated");
    if (rename("/tmp/cudash-attack-secret", "/tmp/cudash-attack-other") == 0) puts("LEAK: renamed");
    if (chmod("/tmp/cudash-attack-secret", 0777) == 0) puts("LEAK: mode");
}
