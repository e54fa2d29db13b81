// Kernels of tests/ptx/matrix.cu. The matrices hold small whole numbers: every way to add gives the same result.
#include "runtime_wrappers/virtual_gpu/isa/semantics.h"
#include "tests/unit/exec_harness.h"

using namespace cudash;
using namespace cudash::virtual_gpu;
using cudash::virtual_gpu::testing::Gpu;

namespace {

const std::string& matrix() {
    static const std::string text = cudash::virtual_gpu::testing::read_text("tests/ptx/matrix.ptx");
    return text;
}

std::uint16_t half_of(int value) {
    return static_cast<std::uint16_t>(
        semantics::round_to<semantics::format_f16, semantics::Rounding::rn>(static_cast<float>(value)));
}
int a_at(int row, int k) {
    return (row * 7 + k * 3) % 11 - 5;
}
int b_at(int k, int column) {
    return (k * 5 + column * 2) % 13 - 6;
}
int product(int row, int column) {
    int sum = 0;
    for (int k = 0; k < 16; ++k) sum += a_at(row, k) * b_at(k, column);
    return sum;
}

}  // namespace

TEST_CASE("wmma multiplies matrices of halves and of bytes") {
    Gpu gpu(matrix());
    auto [a_address, a] = gpu.array<std::uint16_t>(256);
    auto [b_address, b] = gpu.array<std::uint16_t>(256);
    auto [c_address, c] = gpu.array<float>(256);
    for (int i = 0; i < 16; ++i)
        for (int j = 0; j < 16; ++j) {
            a[i * 16 + j] = half_of(a_at(i, j));
            b[j * 16 + i] = half_of(b_at(i, j));  // by columns
        }
    gpu.run("wmma_f16", 1, 32, a_address, b_address, c_address);
    for (int i = 0; i < 16; ++i)
        for (int j = 0; j < 16; ++j) CHECK(c[i * 16 + j] == 2.0f * (1 + product(i, j)));

    auto [x_address, x] = gpu.array<std::int8_t>(256);
    auto [y_address, y] = gpu.array<std::int8_t>(256);
    auto [z_address, z] = gpu.array<int>(256);
    for (int i = 0; i < 16; ++i)
        for (int j = 0; j < 16; ++j) {
            x[i * 16 + j] = static_cast<std::int8_t>(a_at(i, j));
            y[i * 16 + j] = static_cast<std::int8_t>(b_at(i, j));
        }
    gpu.run("wmma_s8", 1, 32, x_address, y_address, z_address);
    for (int i = 0; i < 16; ++i)
        for (int j = 0; j < 16; ++j) CHECK(z[j * 16 + i] == product(i, j));
}

TEST_CASE("mma and ldmatrix agree on where elements lie") {
    Gpu gpu(matrix());
    auto [a_address, a] = gpu.array<std::uint16_t>(256);
    auto [b_address, b] = gpu.array<std::uint16_t>(128);
    auto [c_address, c] = gpu.array<float>(128);
    for (int i = 0; i < 16; ++i) {
        for (int j = 0; j < 16; ++j) a[i * 16 + j] = half_of(a_at(i, j));
        for (int j = 0; j < 8; ++j) b[i * 8 + j] = half_of(b_at(i, j));
    }
    gpu.run("mma_f16", 1, 32, a_address, b_address, c_address);
    for (int i = 0; i < 16; ++i)
        for (int j = 0; j < 8; ++j) CHECK(c[i * 8 + j] == static_cast<float>(product(i, j)));
}

TEST_CASE("asynchronous copies arrive, and mbarriers order warps") {
    Gpu gpu(matrix());
    auto [in_address, in] = gpu.array<int>(128);
    auto [out_address, out] = gpu.array<int>(128);
    for (int i = 0; i < 128; ++i) in[i] = i * i;
    gpu.run("copy_async", 1, 32, in_address, out_address);
    for (int i = 0; i < 128; ++i) CHECK(out[i] == (i ^ 4) * (i ^ 4));
    gpu.run("mbarriers", 1, 64, out_address);
    for (int i = 0; i < 64; ++i) CHECK(out[i] == (i < 32 ? 10 : 11));
}
