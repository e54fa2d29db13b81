// Six kernels of different kinds that tests/bench/debugger measures with and without a debugger. Each has a line that
// no thread comes to (NEVER), for a breakpoint. Prints one line a kernel: name, processor milliseconds (the median of
// three after a warm-up), ok or the number of wrong elements.
#include <stdio.h>

#include <algorithm>
#include <ctime>
#include <vector>

constexpr int elements = 1 << 20, size = 256, tile = 16, bins = 64;

__global__ void scale(int* data, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (n < 0) {
        out[i] = -1;  // NEVER
    }
    if (i < n) data[i] = 3 * data[i] + 1;
}

__global__ void product(const int* a, int* out, int n) {
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    int sum = 0;
    for (int k = 0; k < n; ++k) {
        if (n < 0) {
            out[0] = -1;  // NEVER
        }
        sum += a[row * n + k] * a[k * n + column];
    }
    out[row * n + column] = sum;
}

__global__ void tiled_product(const int* a, int* out, int n) {
    __shared__ int left[tile][tile], right[tile][tile];
    int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * tile + x, row = blockIdx.y * tile + y;
    int sum = 0;
    for (int step = 0; step < n / tile; ++step) {
        left[y][x] = a[row * n + step * tile + x];
        right[y][x] = a[(step * tile + y) * n + column];
        __syncthreads();
        if (n < 0) {
            out[0] = -1;  // NEVER
        }
        for (int k = 0; k < tile; ++k) sum += left[y][k] * right[k][x];
        __syncthreads();
    }
    out[row * n + column] = sum;
}

__global__ void block_sums(const int* data, int* out, int n) {
    __shared__ int partial[256];
    int t = threadIdx.x;
    partial[t] = data[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (n < 0) {
            out[0] = -1;  // NEVER
        }
        if (t < half) partial[t] += partial[t + half];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = partial[0];
}

// Each thread goes through its loop another number of times.
__global__ void divergent(const int* data, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, steps = 0;
    for (unsigned value = i % 1000 + 1; value != 1; ++steps) {
        if (n < 0) {
            out[0] = -1;  // NEVER
        }
        value = value % 2 == 0 ? value / 2 : 3 * value + 1;
    }
    out[i] = steps + data[0] * 0;
}

__global__ void histogram(const int* data, int* out, int n) {
    __shared__ int counts[bins];
    if (threadIdx.x < bins) counts[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        if (n < 0) {
            out[0] = -1;  // NEVER
        }
        atomicAdd(&counts[data[i] % bins], 1);
    }
    __syncthreads();
    if (threadIdx.x < bins) atomicAdd(&out[threadIdx.x], counts[threadIdx.x]);
}

int *data, *out;
std::vector<int> host(elements), result(elements);

template <class Launch, class Expected>
void measure(const char* name, int count, Launch launch, Expected expected) {
    std::vector<double> times;
    for (int round = 0; round < 4; ++round) {
        for (int i = 0; i < elements; ++i) host[i] = i % 97;
        cudaMemcpy(data, host.data(), elements * sizeof(int), cudaMemcpyHostToDevice);
        cudaMemset(out, 0, elements * sizeof(int));
        const std::clock_t begin = std::clock();
        launch();
        cudaDeviceSynchronize();
        if (round > 0) times.push_back(1e3 * double(std::clock() - begin) / CLOCKS_PER_SEC);
    }
    std::sort(times.begin(), times.end());
    cudaMemcpy(result.data(), out, elements * sizeof(int), cudaMemcpyDeviceToHost);
    if (count == 0) cudaMemcpy(result.data(), data, elements * sizeof(int), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < (count == 0 ? elements : count); i += 37) wrong += result[i] != expected(i);
    if (wrong == 0)
        printf("%-18s %10.3f ms  ok\n", name, times[1]);
    else
        printf("%-18s %10.3f ms  %d wrong\n", name, times[1], wrong);
    fflush(stdout);
}

int product_at(int i) {
    int sum = 0;
    for (int k = 0; k < size; ++k) sum += host[i / size * size + k] * host[k * size + i % size];
    return sum;
}

int main() {
    cudaMalloc(&data, elements * sizeof(int));
    cudaMalloc(&out, elements * sizeof(int));
    const dim3 tiles(size / tile, size / tile), block(tile, tile);
    measure(
        "scale", 0, [] { scale<<<elements / 256, 256>>>(data, out, elements); }, [](int i) { return 3 * host[i] + 1; });
    measure(
        "product", size * size, [&] { product<<<tiles, block>>>(data, out, size); }, product_at);
    measure(
        "tiled_product", size * size, [&] { tiled_product<<<tiles, block>>>(data, out, size); }, product_at);
    measure(
        "block_sums", elements / 256, [] { block_sums<<<elements / 256, 256>>>(data, out, elements); },
        [](int i) {
            int sum = 0;
            for (int k = 0; k < 256; ++k) sum += host[256 * i + k];
            return sum;
        });
    measure(
        "divergent", 1 << 16, [] { divergent<<<256, 256>>>(data, out, elements); },
        [](int i) {
            int steps = 0;
            for (unsigned value = i % 1000 + 1; value != 1; ++steps) value = value % 2 == 0 ? value / 2 : 3 * value + 1;
            return steps;
        });
    measure(
        "histogram", bins, [] { histogram<<<64, 256>>>(data, out, elements); },
        [](int bin) {
            int count = 0;
            for (int each : host) count += each % bins == bin;
            return count;
        });
}
