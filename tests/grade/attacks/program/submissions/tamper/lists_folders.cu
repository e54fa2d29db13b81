// ATTACK: looks what there is, and who else is there
// STOPS: Landlock; file tree
// POINTS: 0
// FAILS: the answer
#include <cstdio>
#include <cstring>
#include <dirent.h>

int main() {
    for (const char* path : {"/tmp", "/home", "/root", "..", "/etc", "/var", "/"})
        if (DIR* folder = opendir(path))
            while (const dirent* entry = readdir(folder))
                for (const char* name : {"cudash-attack-secret", "passwd", "hosts", ".bashrc", "log", "sbin"})
                    if (strcmp(entry->d_name, name) == 0) printf("LEAK: %s/%s\n", path, name);
}
