// ATTACK: writes over functions of the process
// STOPS: the process ends, and with it the run
// POINTS: 0
// FAILS: the answer
#include <cuda_runtime.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <sys/mman.h>

int main() {
    for (const char* name : {"memcmp", "strcmp", "write", "send", "cudaMemcpy", "cudaGetLastError"}) {
        void* function = dlsym(RTLD_DEFAULT, name);
        if (!function) continue;
        const unsigned long page = (unsigned long)function & ~4095ul;
        if (mprotect((void*)page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) continue;
        const unsigned char code[] = {0x31, 0xc0, 0xc3};  // xor eax, eax; ret
        memcpy(function, code, sizeof code);
    }
    printf("1 2\n");
    fflush(stdout);
}
