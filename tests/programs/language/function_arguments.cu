// Device functions as arguments of templates, and pointers to them: taken in device code, from a variable of the device,
// out of a table.
#include <cstdio>
#include <cuda_runtime.h>

typedef float (*Function)(float);

__device__ float square(float x) { return x * x; }
__device__ float half_of(float x) { return x / 2; }
template <int n> __device__ float times(float x) { return n * x; }
struct Math {
    static __device__ float negative(float x) { return -x; }
};

template <Function f> __global__ void apply(float* x) { x[threadIdx.x] = f(x[threadIdx.x]); }
template <float f(float), int count> __global__ void repeat(float* x)
{
    for (int i = 0; i < count; ++i) x[threadIdx.x] = f(x[threadIdx.x]);
}
__global__ void call(float* x, Function f) { x[threadIdx.x] = f(x[threadIdx.x]); }
__global__ void choose(float* x, int which)
{
    Function f = which == 0 ? square : which == 1 ? &half_of : times<3>;
    x[threadIdx.x] = f(x[threadIdx.x]);
}

__device__ Function pointer = square;
__device__ Function table[] = {square, half_of, times<5>, Math::negative};
__constant__ Function fixed[2] = {half_of, square};
__global__ void from_table(float* x, int which) { x[threadIdx.x] = table[which](x[threadIdx.x]); }
__global__ void from_constant(float* x, int which) { x[threadIdx.x] = fixed[which](x[threadIdx.x]); }

float* x;
int failures;

float first()
{
    float value = 0;
    cudaMemcpy(&value, x, sizeof value, cudaMemcpyDeviceToHost);
    return value;
}
template <class Launch> void expect(const char* what, float expected, Launch launch)
{
    const float start = 4;
    cudaMemcpy(x, &start, sizeof start, cudaMemcpyHostToDevice);
    launch();
    if (cudaGetLastError() != cudaSuccess || first() != expected) {
        printf("%s: %g, not %g\n", what, first(), expected);
        ++failures;
    }
}
template <Function f> void launch() { apply<f><<<1, 1>>>(x); }
template <Function f> struct Launcher {
    void operator()() const { repeat<f, 2><<<1, 1>>>(x); }
};

int main()
{
    cudaMalloc(&x, sizeof(float));
    expect("apply", 16, [] { apply<square><<<1, 1>>>(x); });
    expect("apply, of a template", 28, [] { apply<times<7>><<<1, 1>>>(x); });
    expect("apply, of a member", -4, [] { apply<Math::negative><<<1, 1>>>(x); });
    expect("repeat", 1, [] { repeat<half_of, 2><<<1, 1>>>(x); });
    expect("launch", 16, launch<square>);
    expect("Launcher", 1, Launcher<half_of>());
    for (int which = 0; which < 3; ++which)
        expect("choose", which == 0 ? 16 : which == 1 ? 2 : 12, [=] { choose<<<1, 1>>>(x, which); });
    for (int which = 0; which < 4; ++which)
        expect("table", which == 0 ? 16 : which == 1 ? 2 : which == 2 ? 20 : -4, [=] { from_table<<<1, 1>>>(x, which); });
    for (int which = 0; which < 2; ++which)
        expect("constant table", which == 0 ? 2 : 16, [=] { from_constant<<<1, 1>>>(x, which); });
    Function on_host = nullptr;
    cudaMemcpyFromSymbol(&on_host, pointer, sizeof on_host);
    expect("pointer", 16, [=] { call<<<1, 1>>>(x, on_host); });
    cudaMemcpyFromSymbol(&on_host, table, sizeof on_host, 3 * sizeof on_host);
    expect("pointer of a table", -4, [=] { call<<<1, 1>>>(x, on_host); });
    return failures;
}
