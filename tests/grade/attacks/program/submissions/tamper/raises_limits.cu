// ATTACK: raises its own limits and those of others
// STOPS: no privileges; limits can only sink
// POINTS: 0
// FAILS: the answer
#include <cuda_runtime.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/resource.h>
#include <sys/prctl.h>
#include <unistd.h>

int main() {
    rlimit more{RLIM_INFINITY, RLIM_INFINITY};
    for (int what : {RLIMIT_CPU, RLIMIT_DATA, RLIMIT_FSIZE, RLIMIT_NOFILE})
        if (setrlimit((__rlimit_resource)what, &more) == 0) printf("LEAK: limit %d is raised\n", what);
    if (prlimit(getppid() + 1, RLIMIT_CPU, &more, nullptr) == 0) puts("LEAK: a limit of another process");
    if (prctl(PR_SET_DUMPABLE, 1) == 0 || prctl(PR_SET_PDEATHSIG, 0) == 0) puts("LEAK: prctl");
}
