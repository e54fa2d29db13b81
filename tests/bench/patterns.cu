// Twelve more kernels that executors are measured on, beside the six of bench.cu: the loops, branches, shared arrays,
// atomics and warp operations that programs from books are made of. Prints one line a kernel, as bench.cu does: name,
// milliseconds (median of five after a warm-up), ok or the number of wrong elements.
#include "patterns.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <utility>
#include <vector>

using namespace patterns;

// Ends the program at the first call that fails.
void end_unless_success(cudaError_t status, const char* call, int line) {
    if (status == cudaSuccess) return;
    fprintf(stderr, "line %d: %s gave %s\n", line, call, cudaGetErrorName(status));
    exit(1);
}
#define CHECK(call) end_unless_success(call, #call, __LINE__)

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
    __shared__ unsigned own[bin_count];
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

template <class T>
struct DeviceArray {
    T* data = nullptr;
    explicit DeviceArray(size_t count) { CHECK(cudaMalloc(&data, count * sizeof(T))); }
    DeviceArray(DeviceArray&& other) : data(std::exchange(other.data, nullptr)) {}
    DeviceArray& operator=(DeviceArray&&) = delete;
    ~DeviceArray() { cudaFree(data); }
    operator T*() { return data; }
};

struct Cuda {
    template <class T>
    DeviceArray<T> allocate(size_t count) {
        return DeviceArray<T>(count);
    }
    template <class T>
    DeviceArray<T> upload(const std::vector<T>& from) {
        DeviceArray<T> array(from.size());
        CHECK(cudaMemcpy(array.data, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
        return array;
    }
    template <class T>
    std::vector<T> download(DeviceArray<T>& array, size_t count) {
        std::vector<T> values(count);
        CHECK(cudaMemcpy(values.data(), array.data, count * sizeof(T), cudaMemcpyDeviceToHost));
        return values;
    }
    template <class T>
    void clear(DeviceArray<T>& array, size_t count) {
        CHECK(cudaMemset(array.data, 0, count * sizeof(T)));
    }
    void wait() {
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
    }

    void n_body(float* x, float* y, float* mass, float* force, int n) {
        ::n_body<<<n / body_tile, body_tile>>>(x, y, mass, force, n);
        wait();
    }
    void mandelbrot(int* steps, int n) {
        ::mandelbrot<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(steps, n);
        wait();
    }
    void histogram_shared(unsigned* in, unsigned* bins, int n) {
        ::histogram_shared<<<histogram_blocks, bin_count>>>(in, bins, n);
        wait();
    }
    void histogram_global(unsigned* in, unsigned* bins, int n) {
        ::histogram_global<<<n / 256, 256>>>(in, bins, n);
        wait();
    }
    void stencil_5(float* from, float* to, int n) {
        ::stencil_5<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(from, to, n);
        wait();
    }
    void stencil_3d(float* from, float* to, int n) {
        ::stencil_3d<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(from, to, n);
        wait();
    }
    void bitonic_sort(unsigned* in, unsigned* out, int n) {
        ::bitonic_sort<<<n / sort_block, sort_block>>>(in, out);
        wait();
    }
    void csr_product(int* begins, int* columns, float* values, float* x, float* y, int rows) {
        ::csr_product<<<rows / 256, 256>>>(begins, columns, values, x, y, rows);
        wait();
    }
    void integer_hash(unsigned* in, unsigned* out, int n) {
        ::integer_hash<<<n / 256, 256>>>(in, out, n);
        wait();
    }
    void black_scholes(float* price, float* strike, float* years, float* call, int n) {
        ::black_scholes<<<n / 256, 256>>>(price, strike, years, call, n);
        wait();
    }
    void gather(float* from, int* index, float* out, int n) {
        ::gather<<<n / 256, 256>>>(from, index, out, n);
        wait();
    }
    void shuffle_sum(float* in, float* out, int n) {
        ::shuffle_sum<<<n / 256, 256>>>(in, out, n);
        wait();
    }
};

int main() {
    Cuda device;
    return Patterns<Cuda>(device).run() ? 0 : 1;
}
