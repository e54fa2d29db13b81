// ATTACK: asks which files there are, how large they are, and when somebody changed them
// STOPS: file tree
// POINTS: 0
// FAILS: the answer
#include <cstdio>
#include <sys/stat.h>
#include <unistd.h>

int main() {
    struct stat status;
    for (const char* path : {"/tmp/cudash-attack-secret", "/etc/passwd", "/etc/shadow", "/etc/hosts"})
        if (stat(path, &status) == 0 || access(path, F_OK) == 0) printf("LEAK: %s, %ld bytes\n", path, (long)status.st_size);
}
