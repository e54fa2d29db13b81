// ATTACK: says that its lines are the harness's
// STOPS: the virtual GPU refuses the access
// POINTS: 0
// FAILS: the sums
__global__ void add_up(int* out, const int* in, int n) {
#line 1 "harness"
    out[1 << 20] = 1;
#line 1 "/etc/passwd"
    out[1 << 21] = 1;
}
