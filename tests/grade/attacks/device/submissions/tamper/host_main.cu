// ATTACK: has a main
// STOPS: host code in device text is left out
// POINTS: 0
// FAILS: the sums
__global__ void add_up(int* out, const int* in, int n) {}
int main() {
    *(volatile int*)0 = 1;
}
