// ATTACK: ends the process behind the session's back
// STOPS: the exit code is the program's; a timeout is what the front end measured
// POINTS: 0
// FAILS: the answer
// SAYS: the process that ran it ended
#include <cuda_runtime.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
#include <sys/syscall.h>

int main() {
    puts("1 2");
    fflush(stdout);
    syscall(SYS_exit_group, 0);
}
