// ATTACK: has a main
// POINTS: 0
// FAILS: the sums
__global__ void add_up(int* out, const int* in, int n) {}
int main() {
    *(volatile int*)0 = 1;
}
