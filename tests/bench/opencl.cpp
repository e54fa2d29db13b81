// Runs the kernels of opencl.cl (first argument: its path): the six of kernels/bench.cu and those of patterns.cu.
#include "opencl.h"
#include "patterns.h"
#include "workload.h"

namespace {

using opencl::Buffer;
using Sizes = std::array<std::size_t, 2>;
using namespace workload;

/// The six of bench.cu.
bool run_six(opencl::Device& device) {
    bool good = true;
    const auto time = [&](const auto& kernel, cl_uint dimensions, Sizes global, Sizes local) {
        return median_ms([&] { device.run(kernel.get(), dimensions, global, local); });
    };
    {
        const Array a = counting(vector_size, 1021), b = counting(vector_size, 509);
        const auto da = device.upload(a), db = device.upload(b), dc = device.allocate<float>(a.size());
        const auto kernel = device.kernel("vector_add", da, db, dc, vector_size);
        const double ms = time(kernel, 1, {vector_size, 1}, {256, 1});
        good &= report("vector_add", ms, device.download(dc, a.size()), expected_sum(a, b));
    }
    {
        constexpr int n = product_size;
        const Array a = counting(n * n, 7), b = counting(n * n, 11), expected = expected_product(a, b);
        const auto da = device.upload(a), db = device.upload(b), dc = device.allocate<float>(a.size());
        for (const char* name : {"matmul_naive", "matmul_tiled"}) {
            device.clear(dc, a.size());
            const double ms = time(device.kernel(name, da, db, dc, n), 2, {n, n}, {tile, tile});
            good &= report(name, ms, device.download(dc, a.size()), expected);
        }
    }
    {
        constexpr int n = transpose_size;
        const Array in = counting(n * n, n * n), expected = expected_transpose(in);
        const auto din = device.upload(in), dout = device.allocate<float>(in.size());
        for (const char* name : {"transpose_naive", "transpose_diagonal"}) {
            device.clear(dout, in.size());
            const double ms = time(device.kernel(name, dout, din, n, n), 2, {n, n}, {tile, tile});
            good &= report(name, ms, device.download(dout, in.size()), expected);
        }
    }
    {
        const Array in = counting(vector_size, 1021);
        const auto din = device.upload(in), dout = device.allocate<float>(in.size() / sum_block);
        const double ms = time(device.kernel("block_sum", din, dout, vector_size), 1, {vector_size, 1}, {sum_block, 1});
        good &= report("block_sum", ms, device.download(dout, in.size() / sum_block), expected_block_sums(in));
    }
    return good;
}

class Rival : public opencl::Device {
public:
    using Device::Device;
    using Floats = const Buffer<float>&;
    using Words = const Buffer<unsigned>&;
    using Numbers = const Buffer<int>&;

    void n_body(Floats x, Floats y, Floats mass, Floats force, int n) {
        in_row("n_body", n, patterns::body_tile, x, y, mass, force, n);
    }
    void mandelbrot(Numbers steps, int n) { in_plane("mandelbrot", n, {16, 16}, steps, n); }
    void histogram_shared(Words in, Words bins, int n) {
        in_row("histogram_shared", patterns::histogram_blocks * patterns::bin_count, patterns::bin_count, in, bins, n);
    }
    void histogram_global(Words in, Words bins, int n) { in_row("histogram_global", n, 256, in, bins, n); }
    void stencil_5(Floats from, Floats to, int n) { in_plane("stencil_5", n, {32, 8}, from, to, n); }
    void stencil_3d(Floats from, Floats to, int n) { in_plane("stencil_3d", n, {32, 8}, from, to, n); }
    void bitonic_sort(Words in, Words out, int n) { in_row("bitonic_sort", n, patterns::sort_block, in, out); }
    void csr_product(Numbers begins, Numbers columns, Floats values, Floats x, Floats y, int rows) {
        in_row("csr_product", rows, 256, begins, columns, values, x, y, rows);
    }
    void integer_hash(Words in, Words out, int n) { in_row("integer_hash", n, 256, in, out, n); }
    void black_scholes(Floats price, Floats strike, Floats years, Floats call, int n) {
        in_row("black_scholes", n, 256, price, strike, years, call, n);
    }
    void gather(Floats from, Numbers index, Floats out, int n) { in_row("gather", n, 256, from, index, out, n); }
    void shuffle_sum(Floats in, Floats out, int n) { in_row("shuffle_sum", n, 256, in, out, n); }

private:
    template <class... Arguments>
    void in_row(const char* name, std::size_t threads, std::size_t block, const Arguments&... arguments) {
        run(kernel(name, arguments...).get(), 1, {threads, 1}, {block, 1});
    }
    template <class... Arguments>
    void in_plane(const char* name, int n, Sizes block, const Arguments&... arguments) {
        const auto side = static_cast<std::size_t>(n);
        run(kernel(name, arguments...).get(), 2, {side, side}, block);
    }
};

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fprintf(stderr, "usage: opencl KERNELS.cl\n");
        return 2;
    }
    Rival device(argv[1]);
    const bool six = run_six(device), others = patterns::Patterns<Rival>(device).run();
    return six && others ? 0 : 1;
}
