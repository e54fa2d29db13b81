// ATTACK: prints 64 MB on stderr
// STOPS: limits on findings: 200 a cell, 1 MB of text a worker; unread answers end it
// POINTS: 0
// FAILS: the answer
// SAYS: more than 1048576 bytes of output
#include <cuda_runtime.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

int main() {
    char line[1024];
    memset(line, 'e', sizeof line);
    for (int i = 0; i < 65536; ++i) fwrite(line, 1, sizeof line, stderr);
}
