// ATTACK: prints 64 MB
// STOPS: limits on output: 1 MB a cell
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
    memset(line, 'a', sizeof line);
    line[1023] = 0;
    for (int i = 0; i < 65536; ++i) puts(line);
}
