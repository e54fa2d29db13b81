// ATTACK: reads files through other names of theirs
// STOPS: Landlock; file tree
// POINTS: 0
// FAILS: the answer
#include <cstdio>
#include <fcntl.h>
#include <string>
#include <unistd.h>

int main() {
    const char* paths[] = {"/proc/self/root/tmp/cudash-attack-secret", "/proc/self/cwd/../../cudash-attack-secret",
                           "/proc/1/root/tmp/cudash-attack-secret", "/proc/thread-self/root/etc/passwd",
                           "/proc/1/environ", "/proc/self/task/1/root/etc/shadow", "/dev/fd/../root/etc/passwd"};
    for (const char* path : paths) {
        char bytes[4096];
        const int file = open(path, O_RDONLY);
        const long size = file < 0 ? -1 : read(file, bytes, sizeof bytes);
        const std::string text(bytes, size > 0 ? size : 0);
        if (text.find("TOKEN") != text.npos || text.find("root:") != text.npos) printf("LEAK: %s\n", path);
    }
}
