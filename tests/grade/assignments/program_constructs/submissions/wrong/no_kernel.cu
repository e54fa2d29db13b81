// POINTS: 0
// FAILS: the kernel makes the squares
// SAYS: there is no kernel in it
#include <cstdio>
#include <cstdlib>
int main(int, char** argv) {
    for (int i = 0; i < std::atoi(argv[1]); ++i) std::printf("%d\n", i * i);
}
