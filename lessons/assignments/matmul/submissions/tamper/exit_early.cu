// POINTS: 0
// FAILS: compiles
// SAYS: it called exit(0)
#include <cstdio>
#include <cstdlib>
struct Early {
    Early() {
        std::puts("sum 0\n0 0 0 0 0");
        std::exit(0);
    }
} early;
int main() { return 0; }
