// Kernels that take lambdas: several of one function with the same parameters, in two functions, one within a member, some of templates.
#include <cstdio>
#include <cuda_runtime.h>

template <class F>
__global__ void fill(int* out, F f)
{
    out[threadIdx.x] = f(threadIdx.x);
}

template <class F>
int last(F f)
{
    int *out, h[4];
    cudaMalloc(&out, sizeof h);
    fill<<<1, 4>>>(out, f);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(out);
    return h[3];
}

int of_function(int a)
{
    return last([=] __device__(int i) { return i + a; });
}

struct Scale {
    int factor;
    int apply() const
    {
        const int by = factor;
        return last([=] __device__(int i) { return i * by; });
    }
};

template <class T>
int of_template(T a)
{
    auto on_host = [=](int i) { return i - a; };
    return last([=] __device__(int i) { return int(i * a); }) + last([=] __device__(int i) { return int(i - a); }) +
           int(on_host(0));
}

struct Scaled {
    template <class T>
    int apply(T by) const
    {
        return last([=] __device__(int i) { return int(i * by) + 1; });
    }
};

template <class U, int offset>
struct Shifted {
    U shift;
    template <class T>
    int apply(T by) const
    {
        const U own = shift;
        return last([own, twice = by * 2] __device__(int i) { return int(i * twice + own) + offset; });
    }
    int plain() const;
};
template <class V, int n>
int Shifted<V, n>::plain() const
{
    const V own = shift;
    return last([=] __device__(auto i) { return int(V(i) + own) + n; });
}

int main()
{
    int a = 10, b = 100;
    auto on_host = [=](int i) { return i + a + b; };
    const int results[] = {last([=] __device__(int i) { return i + a; }), last([=] __device__(int i) { return i + b; }),
                           last([] __device__(int i) { return i * i; }),  of_function(1000),
                           Scale{7}.apply(),                              on_host(0),
                           of_template(2),                                of_template(1.5f),
                           Scaled().apply(3),                             Scaled().apply(0.5),
                           Shifted<int, 5>{7}.apply(2.5f),                Shifted<float, 5>{0.5f}.plain()};
    const int expected[] = {13, 103, 9, 1003, 21, 110, 5, 4, 10, 2, 27, 8};
    int wrong = 0;
    for (int i = 0; i < 12; ++i)
        if (results[i] != expected[i]) wrong += printf("result %d: %d, not %d\n", i, results[i], expected[i]) > 0;
    return wrong;
}
