// ATTACK: reads what the grader has open
// STOPS: clean start
// POINTS: 0
// FAILS: the answer
#include <cuda_runtime.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

int main() {
    for (int fd = 3; fd < 1024; ++fd) {
        struct stat status;
        if (fstat(fd, &status) != 0 || S_ISSOCK(status.st_mode)) continue;
        char bytes[16];
        char link[64], name[256] = "";
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        if (readlink(link, name, sizeof name - 1) < 0) strcpy(name, "a file without a name");
        if (strncmp(name, "/usr/", 5) == 0) continue;  // a header that the compiler has open
        if (S_ISREG(status.st_mode) && pread(fd, bytes, sizeof bytes, 0) > 0) printf("LEAK: %d: %s\n", fd, name);
    }
}
