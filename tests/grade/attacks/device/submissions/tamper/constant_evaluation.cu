// ATTACK: lets the compiler compute without end
// STOPS: processor time
// POINTS: 0
// FAILS: compiles
constexpr unsigned f(unsigned n) { return n < 2 ? n : f(n - 1) + f(n - 2); }
static_assert(f(60) != 0, "");
__global__ void add_up(int* out, const int* in, int n) {}
