// ATTACK: lets the compiler compute without end
// STOPS: processor time and memory of the compiler
// POINTS: 0
// FAILS: compiles
constexpr unsigned f(unsigned n) {
    unsigned x = 1;
    for (unsigned i = 0; i < n; ++i) x = x * 3 + f(n / 2);
    return x;
}
static_assert(f(1u << 30) != 0);
int main() {}
