// ATTACK: runs host code before anything else
// STOPS: host code in device text is left out
// POINTS: 0
// FAILS: compiles
#include <cstdio>
#include <cstdlib>
struct Early {
    Early() {
        puts("LE" "AK: native code runs");
        exit(0);
    }
};
static Early early;
__global__ void add_up(int* out, const int* in, int n) {}
