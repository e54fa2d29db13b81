// ATTACK: compiles without end
// STOPS: processor time
// POINTS: 0
// FAILS: compiles
template <unsigned long long N, unsigned long long M>
struct Deep {
    static constexpr int value = Deep<N - 1, M>::value + Deep<N - 1, M + (1ull << N)>::value;
};
template <unsigned long long M>
struct Deep<0, M> {
    static constexpr int value = 1;
};
__global__ void add_up(int* out, const int* in, int n) {
    out[threadIdx.x] = Deep<40, 0>::value;
}
