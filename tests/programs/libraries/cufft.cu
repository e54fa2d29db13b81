// cuFFT: transforms of random sizes, types and layouts, against sums on the host as the definition has them.
#include <cufft.h>
#include <cmath>
#include <complex>
#include "check.h"

using Number = std::complex<double>;

unsigned state = 1;
int below(int limit) {
    state = state * 1664525u + 1013904223u;
    return int(state >> 8) % limit;
}

/// One dimension of a packed array: `length` numbers that are `stride` apart, for each start.
void along(std::vector<Number>& numbers, int length, int stride, int direction) {
    const double pi = std::acos(-1.0);
    std::vector<Number> line(length);
    for (int start = 0; start < int(numbers.size()); ++start) {
        if (start / stride % length != 0) continue;
        for (int k = 0; k < length; ++k) {
            line[k] = 0;
            for (int j = 0; j < length; ++j)
                line[k] += numbers[start + j * stride] * std::polar(1.0, direction * 2 * pi * (j * k % length) / length);
        }
        for (int k = 0; k < length; ++k) numbers[start + k * stride] = line[k];
    }
}

/// How one side of a plan lies in memory.
struct Side {
    int embed[3], stride, distance;
    int place(int transform, int x, int y, int z) const {
        return transform * distance + ((x * embed[1] + y) * embed[2] + z) * stride;
    }
    static Side around(const int* sizes) {
        Side side{};
        for (int i = 0; i < 3; ++i) side.embed[i] = sizes[i] + below(3);
        side.stride = 1 + below(3);
        side.distance = side.embed[0] * side.embed[1] * side.embed[2] * side.stride + below(4);
        return side;
    }
};

template <class Visit>
void each(const int* sizes, Visit visit) {
    for (int x = 0; x < sizes[0]; ++x)
        for (int y = 0; y < sizes[1]; ++y)
            for (int z = 0; z < sizes[2]; ++z) visit(x, y, z);
}

/// The largest difference between cuFFT and the sums.
template <class Complex>
double difference(cufftType type) {
    int sizes[3] = {1 + below(4), 1 + below(6), 1 + below(20)};
    const int batch = 1 + below(3);
    const Side from = Side::around(sizes), to = Side::around(sizes);
    std::vector<Complex> input(from.distance * batch), output(to.distance * batch, Complex{7, 7});
    for (Complex& value : input) value = {below(2000) / 1000.f - 1, below(2000) / 1000.f - 1};
    const int direction = below(2) ? CUFFT_FORWARD : CUFFT_INVERSE;
    Complex *d_from = to_device(input), *d_to = to_device(output);
    Side in = from, out = to;
    cufftHandle plan;
    cufftResult result = cufftPlanMany(&plan, 3, sizes, in.embed, in.stride, in.distance, out.embed, out.stride,
                                       out.distance, type, batch);
    if (result == CUFFT_SUCCESS) {
        if constexpr (sizeof(Complex) == sizeof(cufftComplex))
            result = cufftExecC2C(plan, d_from, d_to, direction);
        else
            result = cufftExecZ2Z(plan, d_from, d_to, direction);
    }
    if (result != CUFFT_SUCCESS) {
        std::printf("status %d\n", result);
        std::exit(1);
    }
    cufftDestroy(plan);
    std::vector<Complex> wanted = output;
    output = from_device(d_to, output.size());
    cudaFree(d_from);
    cudaFree(d_to);
    for (int i = 0; i < batch; ++i) {
        std::vector<Number> numbers;
        each(sizes, [&](int x, int y, int z) {
            const Complex value = input[from.place(i, x, y, z)];
            numbers.emplace_back(value.x, value.y);
        });
        along(numbers, sizes[2], 1, direction);
        along(numbers, sizes[1], sizes[2], direction);
        along(numbers, sizes[0], sizes[1] * sizes[2], direction);
        std::size_t next = 0;
        each(sizes, [&](int x, int y, int z) {
            const Number value = numbers[next++];
            wanted[to.place(i, x, y, z)] = {decltype(Complex::x)(value.real()), decltype(Complex::x)(value.imag())};
        });
    }
    double largest = 0;
    for (std::size_t i = 0; i < output.size(); ++i)
        largest = std::fmax(largest, std::hypot(double(output[i].x) - wanted[i].x, double(output[i].y) - wanted[i].y));
    return largest;
}

/// Real numbers, their spectrum and back, in rows that hold both.
template <class Real, class Complex>
double there_and_back(cufftType forward, cufftType inverse) {
    const int rows = 1 + below(12), columns = 1 + below(70), padded = 2 * (columns / 2 + 1);
    std::vector<Real> numbers(rows * padded);
    for (Real& value : numbers) value = Real(below(2000)) / 1000 - 1;
    Real* d = to_device(numbers);
    cufftHandle plans[2];
    cufftPlan2d(&plans[0], rows, columns, forward);
    cufftPlan2d(&plans[1], rows, columns, inverse);
    cufftResult there, back;
    if constexpr (sizeof(Real) == sizeof(float)) {
        there = cufftExecR2C(plans[0], d, reinterpret_cast<Complex*>(d));
        back = cufftExecC2R(plans[1], reinterpret_cast<Complex*>(d), d);
    } else {
        there = cufftExecD2Z(plans[0], d, reinterpret_cast<Complex*>(d));
        back = cufftExecZ2D(plans[1], reinterpret_cast<Complex*>(d), d);
    }
    if (there != CUFFT_SUCCESS || back != CUFFT_SUCCESS) std::exit(1);
    const std::vector<Real> after = from_device(d, numbers.size());
    for (const cufftHandle plan : plans) cufftDestroy(plan);
    cudaFree(d);
    double largest = 0;
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j)
            largest = std::fmax(largest, std::fabs(double(after[i * padded + j]) / (rows * columns) - numbers[i * padded + j]));
    return largest;
}

int main() {
    bool right = true;
    for (int i = 0; i < 40; ++i) {
        right &= difference<cufftComplex>(CUFFT_C2C) < 1e-4 && difference<cufftDoubleComplex>(CUFFT_Z2Z) < 1e-11;
        right &= there_and_back<cufftReal, cufftComplex>(CUFFT_R2C, CUFFT_C2R) < 1e-5;
        right &= there_and_back<cufftDoubleReal, cufftDoubleComplex>(CUFFT_D2Z, CUFFT_Z2D) < 1e-13;
    }
    expect("random transforms", right, true);
}
