// Eleven more kernels that executors are measured on, beside the six of bench.cu: the loops, branches, shared arrays,
// atomics and warp operations that programs from books are made of. Prints one line a kernel, as bench.cu does: name,
// milliseconds (median of five after a warm-up), ok or the number of wrong elements.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <vector>

// Ends the program at the first call that fails.
void end_unless_success(cudaError_t status, const char* call, int line) {
    if (status == cudaSuccess) return;
    fprintf(stderr, "line %d: %s gave %s\n", line, call, cudaGetErrorName(status));
    exit(1);
}
#define CHECK(call) end_unless_success(call, #call, __LINE__)

constexpr int body_count = 2048, body_tile = 128;
constexpr int image_size = 512, most_steps = 256;
constexpr int value_count = 1 << 20;
constexpr int grid_size = 1024, cube_size = 128;
constexpr int sort_block = 256;
constexpr int row_count = 1 << 16;

__global__ void n_body(const float* x, const float* y, const float* mass, float* force, int n) {
    __shared__ float tile_x[body_tile], tile_y[body_tile], tile_mass[body_tile];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float own_x = x[i], own_y = y[i], sum = 0;
    for (int first = 0; first < n; first += body_tile) {
        tile_x[threadIdx.x] = x[first + threadIdx.x];
        tile_y[threadIdx.x] = y[first + threadIdx.x];
        tile_mass[threadIdx.x] = mass[first + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < body_tile; ++j) {
            float dx = tile_x[j] - own_x, dy = tile_y[j] - own_y;
            float inverse = rsqrtf(dx * dx + dy * dy + 0.01f);
            sum += tile_mass[j] * inverse * inverse * inverse * dx;
        }
        __syncthreads();
    }
    force[i] = sum;
}

__global__ void mandelbrot(int* steps, int size) {
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= size || row >= size) return;
    float cx = -2.0f + 3.0f * column / size, cy = -1.5f + 3.0f * row / size, x = 0, y = 0;
    int step = 0;
    while (step < most_steps && x * x + y * y < 4.0f) {
        float next = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = next;
        ++step;
    }
    steps[row * size + column] = step;
}

__global__ void histogram_shared(const unsigned* in, unsigned* bins, int n) {
    __shared__ unsigned own[256];
    own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&own[in[i] >> 24], 1u);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

__global__ void histogram_global(const unsigned* in, unsigned* bins, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[in[i] >> 24], 1u);
}

__global__ void stencil_5(const float* in, float* out, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && y > 0 && x < n - 1 && y < n - 1)
        out[y * n + x] =
            0.25f * (in[y * n + x - 1] + in[y * n + x + 1] + in[(y - 1) * n + x] + in[(y + 1) * n + x]) - in[y * n + x];
}

__global__ void stencil_3d(const float* in, float* out, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
    int plane = n * n, i = plane + y * n + x;
    for (int z = 1; z < n - 1; ++z, i += plane)
        out[i] = in[i - 1] + in[i + 1] + in[i - n] + in[i + n] + in[i - plane] + in[i + plane] - 6.0f * in[i];
}

__global__ void bitonic_sort(const unsigned* in, unsigned* out) {
    __shared__ unsigned s[sort_block];
    unsigned t = threadIdx.x, first = blockIdx.x * sort_block;
    s[t] = in[first + t];
    __syncthreads();
    for (unsigned size = 2; size <= sort_block; size *= 2)
        for (unsigned stride = size / 2; stride > 0; stride /= 2) {
            unsigned other = t ^ stride;
            if (other > t) {
                bool ascending = (t & size) == 0;
                if ((s[t] > s[other]) == ascending) {
                    unsigned kept = s[t];
                    s[t] = s[other];
                    s[other] = kept;
                }
            }
            __syncthreads();
        }
    out[first + t] = s[t];
}

__global__ void csr_product(const int* begins, const int* columns, const float* values, const float* x, float* y,
                            int rows) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0;
    for (int k = begins[row]; k < begins[row + 1]; ++k) sum += values[k] * x[columns[k]];
    y[row] = sum;
}

__host__ __device__ inline unsigned hash_of(unsigned h) {
    for (int round = 0; round < 16; ++round) {
        h ^= h >> 16;
        h *= 0x7FEB352Du;
        h ^= h >> 15;
        h *= 0x846CA68Bu;
        h ^= h >> 16;
    }
    return h;
}
__global__ void integer_hash(const unsigned* in, unsigned* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = hash_of(in[i]);
}

__global__ void black_scholes(const float* price, const float* strike, const float* years, float* call, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float rate = 0.02f, volatility = 0.30f;
    float s = price[i], k = strike[i], t = years[i], root = sqrtf(t);
    float d1 = (logf(s / k) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root);
    float d2 = d1 - volatility * root;
    call[i] = s * normcdff(d1) - k * expf(-rate * t) * normcdff(d2);
}

__global__ void gather(const float* from, const int* index, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = from[index[i]];
}

__global__ void shuffle_sum(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = i < n ? in[i] : 0.0f;
    for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(0xFFFFFFFFu, sum, distance);
    if (threadIdx.x % 32 == 0) out[i / 32] = sum;
}

template <class Launch>
double median_ms(Launch launch) {
    auto now = [] {
#ifdef PROCESSOR_TIME
        return 1e3 * double(std::clock()) / CLOCKS_PER_SEC;
#else
        return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
#endif
    };
    std::vector<double> times;
    for (int round = 0; round < 6; ++round) {
        const double start = now();
        launch();
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
        if (round > 0) times.push_back(now() - start);
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

int failures = 0;

// `right(i, value)` tells whether element i may be `value`.
template <class T, class Right>
void report(const char* name, double ms, const T* device, size_t count, Right right) {
    std::vector<T> values(count);
    CHECK(cudaMemcpy(values.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (size_t i = 0; i < count; ++i) wrong += !right(i, values[i]);
    failures += wrong != 0;
    if (wrong == 0)
        printf("%-18s %10.3f ms  ok\n", name, ms);
    else
        printf("%-18s %10.3f ms  %d wrong\n", name, ms, wrong);
    fflush(stdout);
}

template <class T>
struct DeviceArray {
    T* data = nullptr;
    explicit DeviceArray(size_t count) {
        CHECK(cudaMalloc(&data, count * sizeof(T)));
        CHECK(cudaMemset(data, 0, count * sizeof(T)));
    }
    explicit DeviceArray(const std::vector<T>& from) : DeviceArray(from.size()) {
        CHECK(cudaMemcpy(data, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
    }
    DeviceArray(const DeviceArray&) = delete;
    ~DeviceArray() { cudaFree(data); }
};

bool is_near(double value, double expected, double scale) {
    return std::fabs(value - expected) <= 1e-4 * scale + 1e-4 * std::fabs(expected);
}

void bench_n_body() {
    const int n = body_count;
    std::vector<float> x(n), y(n), mass(n);
    for (int i = 0; i < n; ++i) {
        x[i] = float(i * 37 % 1000) / 100;
        y[i] = float(i * 91 % 1000) / 100;
        mass[i] = float(i % 7 + 1) / 8;
    }
    DeviceArray<float> dx(x), dy(y), dmass(mass), force(n);
    const double ms =
        median_ms([&] { n_body<<<n / body_tile, body_tile>>>(dx.data, dy.data, dmass.data, force.data, n); });
    report("n_body", ms, force.data, n, [&](size_t i, float value) {
        double sum = 0, size = 0;
        for (int j = 0; j < n; ++j) {
            const double along = x[j] - x[i], across = y[j] - y[i];
            const double part = mass[j] * along / std::pow(along * along + across * across + 0.01, 1.5);
            sum += part;
            size += std::fabs(part);
        }
        return is_near(value, sum, size);
    });
}

void bench_mandelbrot() {
    const int n = image_size;
    DeviceArray<int> steps(n * n);
    const double ms = median_ms([&] { mandelbrot<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(steps.data, n); });
    // A rounding that differs shows near the border of the set alone.
    int different = 0;
    report("mandelbrot", ms, steps.data, n * n, [&](size_t i, int value) {
        const float cx = -2.0f + 3.0f * (i % n) / n, cy = -1.5f + 3.0f * (i / n) / n;
        float x = 0, y = 0;
        int step = 0;
        while (step < most_steps && x * x + y * y < 4.0f) {
            const float next = x * x - y * y + cx;
            y = 2.0f * x * y + cy;
            x = next;
            ++step;
        }
        return value == step || ++different < n * n / 50;
    });
}

std::vector<unsigned> random_words(int count) {
    std::vector<unsigned> words(count);
    for (int i = 0; i < count; ++i) words[i] = hash_of(unsigned(i));
    return words;
}

void bench_histograms() {
    const std::vector<unsigned> words = random_words(value_count);
    std::vector<unsigned> expected(256);
    for (unsigned word : words) ++expected[word >> 24];
    const DeviceArray<unsigned> in(words);
    DeviceArray<unsigned> bins(256);
    const auto clear = [&] { CHECK(cudaMemset(bins.data, 0, 256 * sizeof(unsigned))); };
    const auto right = [&](size_t i, unsigned value) { return value == expected[i]; };
    double ms = median_ms([&] {
        clear();
        histogram_shared<<<64, 256>>>(in.data, bins.data, value_count);
    });
    report("histogram_shared", ms, bins.data, 256, right);
    ms = median_ms([&] {
        clear();
        histogram_global<<<value_count / 256, 256>>>(in.data, bins.data, value_count);
    });
    report("histogram_global", ms, bins.data, 256, right);
}

void bench_stencils() {
    const int n = grid_size, m = cube_size;
    std::vector<float> in(2 * n * n);
    for (size_t i = 0; i < in.size(); ++i) in[i] = float(hash_of(unsigned(i)) % 64);
    const DeviceArray<float> from(in);
    DeviceArray<float> to(in.size());
    double ms = median_ms([&] { stencil_5<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(from.data, to.data, n); });
    report("stencil_5", ms, to.data, n * n, [&](size_t i, float value) {
        const int x = i % n, y = i / n;
        if (x == 0 || y == 0 || x == n - 1 || y == n - 1) return value == 0;
        return value == 0.25f * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n]) - in[i];
    });
    CHECK(cudaMemset(to.data, 0, in.size() * sizeof(float)));
    ms = median_ms([&] { stencil_3d<<<dim3(m / 32, m / 8), dim3(32, 8)>>>(from.data, to.data, m); });
    report("stencil_3d", ms, to.data, size_t(m) * m * m, [&](size_t i, float value) {
        const int x = i % m, y = i / m % m, z = i / m / m, plane = m * m;
        if (x == 0 || y == 0 || z == 0 || x == m - 1 || y == m - 1 || z == m - 1) return value == 0;
        return value == in[i - 1] + in[i + 1] + in[i - m] + in[i + m] + in[i - plane] + in[i + plane] - 6.0f * in[i];
    });
}

void bench_sort() {
    const std::vector<unsigned> words = random_words(value_count / 4);
    std::vector<unsigned> expected = words;
    for (size_t first = 0; first < expected.size(); first += sort_block)
        std::sort(expected.begin() + first, expected.begin() + first + sort_block);
    const DeviceArray<unsigned> in(words);
    DeviceArray<unsigned> out(words.size());
    const double ms = median_ms([&] { bitonic_sort<<<words.size() / sort_block, sort_block>>>(in.data, out.data); });
    report("bitonic_sort", ms, out.data, words.size(), [&](size_t i, unsigned value) { return value == expected[i]; });
}

void bench_csr() {
    std::vector<int> begins(row_count + 1), columns;
    std::vector<float> values, x(row_count);
    for (int row = 0; row < row_count; ++row) {
        const int length = int(hash_of(unsigned(row)) % 48);
        for (int k = 0; k < length; ++k) {
            columns.push_back(int(hash_of(unsigned(row * 64 + k)) % row_count));
            values.push_back(float(k % 5));
        }
        begins[row + 1] = int(columns.size());
        x[row] = float(row % 9);
    }
    const DeviceArray<int> dbegins(begins), dcolumns(columns);
    const DeviceArray<float> dvalues(values), dx(x);
    DeviceArray<float> y(row_count);
    const double ms = median_ms([&] {
        csr_product<<<row_count / 256, 256>>>(dbegins.data, dcolumns.data, dvalues.data, dx.data, y.data, row_count);
    });
    report("csr_product", ms, y.data, row_count, [&](size_t row, float value) {
        float sum = 0;
        for (int k = begins[row]; k < begins[row + 1]; ++k) sum += values[k] * x[columns[k]];
        return value == sum;
    });
}

void bench_hash() {
    const std::vector<unsigned> words = random_words(value_count);
    const DeviceArray<unsigned> in(words);
    DeviceArray<unsigned> out(words.size());
    const double ms = median_ms([&] { integer_hash<<<value_count / 256, 256>>>(in.data, out.data, value_count); });
    report("integer_hash", ms, out.data, words.size(),
           [&](size_t i, unsigned value) { return value == hash_of(words[i]); });
}

void bench_black_scholes() {
    const int n = value_count;
    std::vector<float> price(n), strike(n), years(n);
    for (int i = 0; i < n; ++i) {
        price[i] = 5.0f + float(hash_of(unsigned(i)) % 2500) / 100;
        strike[i] = 1.0f + float(hash_of(unsigned(i + n)) % 9900) / 100;
        years[i] = 0.25f + float(hash_of(unsigned(i + 2 * n)) % 975) / 100;
    }
    const DeviceArray<float> s(price), k(strike), t(years);
    DeviceArray<float> call(n);
    const double ms = median_ms([&] { black_scholes<<<n / 256, 256>>>(s.data, k.data, t.data, call.data, n); });
    report("black_scholes", ms, call.data, n, [&](size_t i, float value) {
        const double rate = 0.02, volatility = 0.3, root = std::sqrt(double(years[i]));
        const double d1 = (std::log(double(price[i]) / strike[i]) + (rate + 0.5 * volatility * volatility) * years[i]) /
                          (volatility * root);
        const auto normal = [](double d) { return 0.5 * std::erfc(-d * std::sqrt(0.5)); };
        const double expected =
            price[i] * normal(d1) - strike[i] * std::exp(-rate * years[i]) * normal(d1 - volatility * root);
        return is_near(value, expected, price[i]);
    });
}

void bench_gather() {
    const int n = value_count;
    std::vector<float> values(n);
    std::vector<int> places(n);
    for (int i = 0; i < n; ++i) {
        values[i] = float(i);
        places[i] = int(hash_of(unsigned(i)) % n);
    }
    const DeviceArray<float> from(values);
    const DeviceArray<int> index(places);
    DeviceArray<float> out(n);
    const double ms = median_ms([&] { gather<<<n / 256, 256>>>(from.data, index.data, out.data, n); });
    report("gather", ms, out.data, n, [&](size_t i, float value) { return value == float(places[i]); });
}

void bench_shuffles() {
    const int n = 4 * value_count;
    std::vector<float> values(n);
    for (int i = 0; i < n; ++i) values[i] = float(i % 101);
    const DeviceArray<float> in(values);
    DeviceArray<float> out(n / 32);
    const double ms = median_ms([&] { shuffle_sum<<<n / 256, 256>>>(in.data, out.data, n); });
    report("shuffle_sum", ms, out.data, n / 32, [&](size_t i, float value) {
        float sum = 0;
        for (int k = 0; k < 32; ++k) sum += values[32 * i + k];
        return value == sum;
    });
}

int main() {
    bench_n_body();
    bench_mandelbrot();
    bench_histograms();
    bench_stencils();
    bench_sort();
    bench_csr();
    bench_hash();
    bench_black_scholes();
    bench_gather();
    bench_shuffles();
    return failures != 0;
}
