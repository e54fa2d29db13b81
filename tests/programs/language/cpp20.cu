// What C++20 adds, in device code and in launches.
// options: --std c++20
#include <cuda_runtime.h>
#include <cstdio>

__managed__ int result;
int failures = 0;

void expect(const char* what, int value) {
    const cudaError_t status = cudaDeviceSynchronize();
    if (status == cudaSuccess && result == value) return;
    printf("%s: %d, not %d (%s)\n", what, result, value, cudaGetErrorName(status));
    ++failures;
}

consteval int square(int x) {
    return x * x;
}
constinit int begins_with_three = 3;
__global__ void immediate() {
    result = square(7);
}

struct Configuration {
    int first = 1, second = 2, third = 3;
};
__global__ void designated(Configuration given) {
    const Configuration made{.first = 5, .third = given.second};
    result = made.first * 100 + made.second * 10 + made.third;
}

template <Configuration C>
__global__ void of_a_value() {
    result = C.first * C.second * C.third;
}

__global__ void lambdas() {
    auto sized = []<class T>(T x) { return static_cast<int>(sizeof(T) + x); };
    using Next = decltype([](int x) { return x + 1; });
    result = sized(static_cast<char>(2)) + sized(3.0) + Next{}(1);
}

enum class Color { red = 1, blue = 5 };
__device__ int weight_of(Color color) {
    using enum Color;
    switch (color) {
        case red:
            return 10;
        case blue:
            return 50;
    }
    return 0;
}
__global__ void enumerated() {
    result = weight_of(Color::blue);
}

__global__ void small_things(float x, int n) {
    int sum = 0;
    for (int list[] = {1, 2, 3}; int each : list) sum += each;
    const char8_t* text = u8"a";
    if (n > 0) [[likely]]
        sum += text[0];
    else [[unlikely]]
        sum = 0;
    result = sum + static_cast<int>(x);
}

int main() {
    immediate<<<1, 1>>>();
    expect("consteval", 49);
    designated<<<1, 1>>>({.second = 8});
    expect("designated initializers", 528);
    of_a_value<Configuration{2, 3, 4}><<<1, 1>>>();
    expect("a class as a template's value", 24);
    lambdas<<<1, 1>>>();
    expect("lambdas", 16);
    enumerated<<<1, 1>>>();
    expect("using enum", 50);
    small_things<<<1, 1>>>(1.0f, 3);
    expect("small things", 6 + 97 + 1);
    return failures + (begins_with_three != 3);
}
