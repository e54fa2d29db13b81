// ATTACK: removes and renames files of others
// STOPS: seccomp; Landlock; file tree
// POINTS: 0
// FAILS: the answer
#include <cuda_runtime.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
#include <sys/stat.h>

int main() {
    if (unlink("/tmp/cudash-attack-secret") == 0) puts("LEAK: removed");
    if (rename("/tmp/cudash-attack-secret", "/tmp/cudash-attack-moved") == 0) puts("LEAK: renamed");
    if (truncate("/tmp/cudash-attack-secret", 0) == 0) puts("LEAK: emptied");
    if (chmod("/tmp/cudash-attack-secret", 0777) == 0) puts("LEAK: mode changed");
    if (rmdir(".") == 0) puts("LEAK: its folder is gone");
}
