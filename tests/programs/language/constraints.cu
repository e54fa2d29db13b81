// Concepts and constraints in device code: functions, kernels, classes, and parameters of type auto.
// options: --std c++20
#include <cuda_runtime.h>
#include <concepts>
#include <cstdio>

__managed__ double results[16];
int failures = 0;

void expect(const char* what, std::initializer_list<double> wanted) {
    const cudaError_t status = cudaDeviceSynchronize();
    bool same = status == cudaSuccess;
    int at = 0;
    for (const double each : wanted) same &= results[at++] == each;
    if (same) return;
    printf("%s: %g, %g, %g, ... (%s)\n", what, results[0], results[1], results[2], cudaGetErrorName(status));
    ++failures;
}

template <class T>
concept Small = sizeof(T) <= 4;
template <Small T>
__device__ int size_class(T) {
    return 1;
}
template <class T>
__device__ int size_class(T) {
    return 2;
}

template <class T>
    requires std::integral<T>
__device__ T changed(T x) {
    return x + 1;
}
template <std::floating_point T>
__device__ T changed(T x) {
    return x * 2;
}
template <class T>
__device__ int bytes(T) requires(sizeof(T) == 8) {
    return 8;
}
__global__ void functions() {
    results[0] = size_class(1) * 10 + size_class(1.0);
    results[1] = changed(1);
    results[2] = changed(2.5);
    results[3] = bytes(1.0);
}

template <class T>
concept Shape = requires(T shape) {
    { shape.area() } -> std::convertible_to<float>;
    { shape.sides } -> std::same_as<int&>;
    typename T::Length;
};
struct Square {
    using Length = float;
    int sides = 4;
    Length side = 2;
    __host__ __device__ float area() const { return side * side; }
};
__device__ float total(const Shape auto&... shapes) {
    return (shapes.area() + ...);
}
__device__ auto sum(auto a, auto b) {
    return a + b;
}
__global__ void parameters() {
    Square first, second;
    second.side = 3;
    results[0] = total(first, second);
    results[1] = sum(1, 2.5);
    results[2] = Shape<int>;
    if constexpr (requires { first.area(); }) results[3] = 4;
}

template <class T>
concept Number = std::integral<T> || std::floating_point<T>;
template <Number T>
struct Pair {
    T x, y;
    __host__ __device__ T dot(const Pair& other) const { return x * other.x + y * other.y; }
    __host__ __device__ int wide() const requires(sizeof(T) > 4) { return 1; }
    __host__ __device__ int wide() const { return 0; }
};
template <class T>
struct Kind {
    static constexpr int value = 0;
};
template <class T>
    requires(sizeof(T) == 1)
struct Kind<T> {
    static constexpr int value = 1;
};
namespace checks {
template <class T>
concept Word = sizeof(T) == 4;
namespace inner {
template <Word T>
__device__ int get(T) {
    return 3;
}
}  // namespace inner
}  // namespace checks
__global__ void classes() {
    results[0] = Pair<int>{1, 2}.dot({3, 4});
    results[1] = Pair<double>{1, 2}.wide() * 10 + Pair<int>{1, 2}.wide();
    results[2] = Kind<char>::value * 10 + Kind<int>::value;
    results[3] = checks::inner::get(1.0f);
    auto doubled = []<class T>(T x) requires Number<T> { return 2 * x; };
    results[4] = doubled(21);
}

template <std::integral T>
__global__ void fill(double* out, T value) {
    *out = value;
}
__global__ void fill_any(auto* out, auto value) {
    *out = value * 2;
}
template <auto value>
__global__ void fill_with() {
    results[2] = value;
}

int main() {
    functions<<<1, 1>>>();
    expect("functions", {12, 2, 5, 8});
    parameters<<<1, 1>>>();
    expect("parameters", {13, 3.5, 0, 4});
    classes<<<1, 1>>>();
    expect("classes", {11, 10, 10, 3, 42});
    fill<<<1, 1>>>(&results[0], 7);
    fill_any<<<1, 1>>>(&results[1], 4.5);
    fill_with<5><<<1, 1>>>();
    expect("kernels", {7, 9, 5});
    return failures;
}
