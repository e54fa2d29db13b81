// clang 19 ends on a reduction that a template declares.
#include <cstdio>

template <class T>
void print_sum(const T* a, int n) {
    T total = 0;
#pragma omp declare reduction(plus:T : omp_out += omp_in) initializer(omp_priv = 0)
#pragma omp parallel for reduction(plus : total)
    for (int i = 0; i < n; i++) total += a[i];
    std::printf("%g\n", static_cast<double>(total));
}

int main() {
    const float a[4] = {1, 2, 3, 4};
    print_sum(a, 4);
}
