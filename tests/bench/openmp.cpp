// The six kernels of kernels/bench.cu and those of patterns.cu as plain C++ on the host's cores: blocks are spread over
// threads, and inside a block data moves as it does in the kernel. It shows what the same work costs without a GPU's
// programming model.
#include "patterns.h"
#include "workload.h"

using namespace workload;

namespace {

void vector_add(const float* a, const float* b, float* c, int n) {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; ++i) c[i] = a[i] + b[i];
}

// A row of a block is one short vector, as half a warp is in the kernel.
void matmul_naive(const float* a, const float* b, float* c, int n) {
#pragma omp parallel for collapse(2) schedule(static)
    for (int block_y = 0; block_y < n; block_y += tile)
        for (int block_x = 0; block_x < n; block_x += tile)
            for (int row = block_y; row < block_y + tile; ++row) {
                float sum[tile] = {};
                for (int k = 0; k < n; ++k)
                    for (int x = 0; x < tile; ++x) sum[x] += a[row * n + k] * b[k * n + block_x + x];
                for (int x = 0; x < tile; ++x) c[row * n + block_x + x] = sum[x];
            }
}

void matmul_tiled(const float* a, const float* b, float* c, int n) {
#pragma omp parallel for collapse(2) schedule(static)
    for (int block_y = 0; block_y < n; block_y += tile)
        for (int block_x = 0; block_x < n; block_x += tile) {
            float a_tile[tile][tile], b_tile[tile][tile], sum[tile][tile] = {};
            for (int step = 0; step < n; step += tile) {
                for (int y = 0; y < tile; ++y)
                    for (int x = 0; x < tile; ++x) {
                        a_tile[y][x] = a[(block_y + y) * n + step + x];
                        b_tile[y][x] = b[(step + y) * n + block_x + x];
                    }
                for (int y = 0; y < tile; ++y) {
                    float row[tile];
                    for (int x = 0; x < tile; ++x) row[x] = sum[y][x];
                    for (int k = 0; k < tile; ++k)
                        for (int x = 0; x < tile; ++x) row[x] += a_tile[y][k] * b_tile[k][x];
                    for (int x = 0; x < tile; ++x) sum[y][x] = row[x];
                }
            }
            for (int y = 0; y < tile; ++y)
                for (int x = 0; x < tile; ++x) c[(block_y + y) * n + block_x + x] = sum[y][x];
        }
}

void transpose_block(float* out, const float* in, int n, int block_x, int block_y) {
    for (int y = block_y * tile; y < (block_y + 1) * tile; ++y)
        for (int x = block_x * tile; x < (block_x + 1) * tile; ++x) out[x * n + y] = in[y * n + x];
}

void transpose_naive(float* out, const float* in, int n) {
    const int grid = n / tile;
#pragma omp parallel for collapse(2) schedule(static)
    for (int y = 0; y < grid; ++y)
        for (int x = 0; x < grid; ++x) transpose_block(out, in, n, x, y);
}

void transpose_diagonal(float* out, const float* in, int n) {
    const int grid = n / tile;
#pragma omp parallel for collapse(2) schedule(static)
    for (int y = 0; y < grid; ++y)
        for (int x = 0; x < grid; ++x) transpose_block(out, in, n, (x + y) % grid, x);
}

void block_sum(const float* in, float* out, int n) {
#pragma omp parallel for schedule(static)
    for (int block = 0; block < n / sum_block; ++block) {
        float partial[sum_block];
        for (int t = 0; t < sum_block; ++t) partial[t] = in[block * sum_block + t];
        for (int half = sum_block / 2; half > 0; half /= 2)
            for (int t = 0; t < half; ++t) partial[t] += partial[t + half];
        out[block] = partial[0];
    }
}

class Rival {
public:
    template <class T>
    std::vector<T> upload(const std::vector<T>& from) {
        return from;
    }
    template <class T>
    std::vector<T> allocate(std::size_t count) {
        return std::vector<T>(count);
    }
    template <class T>
    std::vector<T> download(const std::vector<T>& from, std::size_t count) {
        return {from.begin(), from.begin() + static_cast<std::ptrdiff_t>(count)};
    }
    template <class T>
    void clear(std::vector<T>& array, std::size_t count) {
        std::fill_n(array.begin(), count, T{});
    }
    using Floats = const std::vector<float>&;
    using Words = const std::vector<unsigned>&;
    using Numbers = const std::vector<int>&;

    void n_body(Floats x, Floats y, Floats mass, std::vector<float>& force, int n) {
        constexpr int block = patterns::body_tile;
#pragma omp parallel for schedule(static)
        for (int begin = 0; begin < n; begin += block) {
            float tile_x[block], tile_y[block], tile_mass[block], sum[block] = {};
            for (int first = 0; first < n; first += block) {
                for (int t = 0; t < block; ++t) {
                    tile_x[t] = x[first + t];
                    tile_y[t] = y[first + t];
                    tile_mass[t] = mass[first + t];
                }
                for (int t = 0; t < block; ++t) {
                    const float own_x = x[begin + t], own_y = y[begin + t];
                    float own = 0;
                    for (int j = 0; j < block; ++j) {
                        const float dx = tile_x[j] - own_x, dy = tile_y[j] - own_y;
                        const float inverse = 1.0f / std::sqrt(dx * dx + dy * dy + 0.01f);
                        own += tile_mass[j] * inverse * inverse * inverse * dx;
                    }
                    sum[t] += own;
                }
            }
            for (int t = 0; t < block; ++t) force[begin + t] = sum[t];
        }
    }
    void mandelbrot(std::vector<int>& steps, int n) {
#pragma omp parallel for schedule(dynamic, 8)
        for (int row = 0; row < n; ++row)
            for (int column = 0; column < n; ++column) {
                const float cx = -2.0f + 3.0f * float(column) / float(n), cy = -1.5f + 3.0f * float(row) / float(n);
                float a = 0, b = 0;
                int step = 0;
                while (step < patterns::most_steps && a * a + b * b < 4.0f) {
                    const float next = a * a - b * b + cx;
                    b = 2.0f * a * b + cy;
                    a = next;
                    ++step;
                }
                steps[row * n + column] = step;
            }
    }
    void histogram_shared(Words in, std::vector<unsigned>& bins, int n) {
        constexpr int blocks = patterns::histogram_blocks;
#pragma omp parallel for schedule(static)
        for (int block = 0; block < blocks; ++block) {
            unsigned own[patterns::bin_count] = {};
            for (int i = n / blocks * block; i < n / blocks * (block + 1); ++i) ++own[in[i] >> 24];
            for (int bin = 0; bin < patterns::bin_count; ++bin) {
#pragma omp atomic
                bins[bin] += own[bin];
            }
        }
    }
    void histogram_global(Words in, std::vector<unsigned>& bins, int n) {
#pragma omp parallel for schedule(static)
        for (int i = 0; i < n; ++i) {
#pragma omp atomic
            ++bins[in[i] >> 24];
        }
    }
    void stencil_5(Floats in, std::vector<float>& out, int n) {
#pragma omp parallel for schedule(static)
        for (int y = 1; y < n - 1; ++y)
            for (int x = 1; x < n - 1; ++x) {
                const int i = y * n + x;
                out[i] = 0.25f * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n]) - in[i];
            }
    }
    void stencil_3d(Floats in, std::vector<float>& out, int n) {
        const int plane = n * n;
#pragma omp parallel for schedule(static)
        for (int z = 1; z < n - 1; ++z)
            for (int y = 1; y < n - 1; ++y)
                for (int i = z * plane + y * n + 1; i < z * plane + y * n + n - 1; ++i)
                    out[i] =
                        in[i - 1] + in[i + 1] + in[i - n] + in[i + n] + in[i - plane] + in[i + plane] - 6.0f * in[i];
    }
    void bitonic_sort(Words in, std::vector<unsigned>& out, int n) {
        constexpr unsigned block = patterns::sort_block;
#pragma omp parallel for schedule(static)
        for (unsigned first = 0; first < unsigned(n); first += block) {
            unsigned s[block];
            for (unsigned t = 0; t < block; ++t) s[t] = in[first + t];
            for (unsigned size = 2; size <= block; size *= 2)
                for (unsigned stride = size / 2; stride > 0; stride /= 2)
                    for (unsigned t = 0; t < block; ++t) {
                        const unsigned other = t ^ stride;
                        if (other > t && (s[t] > s[other]) == ((t & size) == 0)) std::swap(s[t], s[other]);
                    }
            for (unsigned t = 0; t < block; ++t) out[first + t] = s[t];
        }
    }
    void csr_product(Numbers begins, Numbers columns, Floats values, Floats x, std::vector<float>& y, int rows) {
#pragma omp parallel for schedule(static)
        for (int row = 0; row < rows; ++row) {
            float sum = 0;
            for (int k = begins[row]; k < begins[row + 1]; ++k) sum += values[k] * x[columns[k]];
            y[row] = sum;
        }
    }
    void integer_hash(Words in, std::vector<unsigned>& out, int n) {
#pragma omp parallel for schedule(static)
        for (int i = 0; i < n; ++i) out[i] = patterns::hash_of(in[i]);
    }
    void black_scholes(Floats price, Floats strike, Floats years, std::vector<float>& call, int n) {
#pragma omp parallel for schedule(static)
        for (int i = 0; i < n; ++i) {
            const float rate = 0.02f, volatility = 0.30f;
            const float s = price[i], k = strike[i], t = years[i], root = std::sqrt(t);
            const float d1 = (std::log(s / k) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root);
            const float d2 = d1 - volatility * root;
            const auto normal = [](float d) { return 0.5f * std::erfc(-d * 0.70710678f); };
            call[i] = s * normal(d1) - k * std::exp(-rate * t) * normal(d2);
        }
    }
    void gather(Floats from, Numbers index, std::vector<float>& out, int n) {
#pragma omp parallel for schedule(static)
        for (int i = 0; i < n; ++i) out[i] = from[index[i]];
    }
    void shuffle_sum(Floats in, std::vector<float>& out, int n) {
#pragma omp parallel for schedule(static)
        for (int first = 0; first < n; first += 32) {
            float sums[32];
            for (int lane = 0; lane < 32; ++lane) sums[lane] = in[first + lane];
            for (int distance = 16; distance > 0; distance /= 2)
                for (int lane = 0; lane < distance; ++lane) sums[lane] += sums[lane + distance];
            out[first / 32] = sums[0];
        }
    }
};

}  // namespace

int main() {
    bool good = true;
    {
        const Array a = counting(vector_size, 1021), b = counting(vector_size, 509);
        Array c(a.size());
        const double ms = median_ms([&] { vector_add(a.data(), b.data(), c.data(), vector_size); });
        good &= report("vector_add", ms, c, expected_sum(a, b));
    }
    {
        constexpr int n = product_size;
        const Array a = counting(n * n, 7), b = counting(n * n, 11), expected = expected_product(a, b);
        Array c(a.size());
        good &= report("matmul_naive", median_ms([&] { matmul_naive(a.data(), b.data(), c.data(), n); }), c, expected);
        std::fill(c.begin(), c.end(), 0.0f);
        good &= report("matmul_tiled", median_ms([&] { matmul_tiled(a.data(), b.data(), c.data(), n); }), c, expected);
    }
    {
        constexpr int n = transpose_size;
        const Array in = counting(n * n, n * n), expected = expected_transpose(in);
        Array out(in.size());
        good &= report("transpose_naive", median_ms([&] { transpose_naive(out.data(), in.data(), n); }), out, expected);
        std::fill(out.begin(), out.end(), 0.0f);
        const double ms = median_ms([&] { transpose_diagonal(out.data(), in.data(), n); });
        good &= report("transpose_diagonal", ms, out, expected);
    }
    {
        const Array in = counting(vector_size, 1021);
        Array out(in.size() / sum_block);
        const double ms = median_ms([&] { block_sum(in.data(), out.data(), vector_size); });
        good &= report("block_sum", ms, out, expected_block_sums(in));
    }
    Rival rival;
    good &= patterns::Patterns<Rival>(rival).run();
    return good ? 0 : 1;
}
