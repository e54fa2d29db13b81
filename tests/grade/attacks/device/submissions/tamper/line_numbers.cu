// ATTACK: says that its lines are the grader's
// STOPS: wrong results are wrong results
// POINTS: 0
// FAILS: the sums
#line 1 "harness"
__global__ void add_up(int* out, const int* in, int n) {
    asm volatile("trap;");
}
