// ATTACK: looks who else is there
// STOPS: Landlock; file tree
// POINTS: 0
// FAILS: the answer
#include <cstdio>
#include <dirent.h>
#include <unistd.h>

int main() {
    for (const char* path : {"/tmp", "/home", "/root", "..", "/etc", "/var"})
        if (DIR* folder = opendir(path)) {
            int count = 0;
            while (readdir(folder)) ++count;
            if (count > 2) printf("LEAK: %s has %d entries\n", path, count);
        }
}
