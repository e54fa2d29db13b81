// ATTACK: waits until the clock has gone round
// STOPS: processor time
// POINTS: 0
// FAILS: the sums
__global__ void add_up(int* out, const int* in, int n) {
    while (clock64() < (1ll << 62)) {
    }
}
