// ATTACK: never ends
// STOPS: processor time
// POINTS: 0
// FAILS: the sums
// SAYS: error[deadlock]
__global__ void add_up(int* out, const int* in, int n) {
    while (true) __nanosleep(1);
}
