// ATTACK: puts directives of its own between PTX instructions
// STOPS: wrong results are wrong results
// POINTS: 0
// FAILS: the sums
__global__ void add_up(int* out, const int* in, int n) {
    asm volatile("}\n.visible .entry other() { ret; }\n.func f() {");
}
