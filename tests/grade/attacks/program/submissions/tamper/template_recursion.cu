// ATTACK: compiles without end
// STOPS: processor time and memory of the compiler
// POINTS: 0
// FAILS: compiles
#include <cuda_runtime.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

// Each has a long list of arguments, so that memory ends well before time.
template <unsigned long long N, unsigned long long M>
struct Deep {
    using List = std::make_integer_sequence<int, 20000 + N * 100 + M % 1000>;
    static const int value = Deep<N - 1, M>::value + Deep<N - 1, M + (1ull << N)>::value;
};
template <unsigned long long M>
struct Deep<0, M> {
    static const int value = 1;
};
int main() { return Deep<40, 0>::value; }
