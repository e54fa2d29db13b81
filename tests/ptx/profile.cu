// Kernels whose counters are known; tests/unit/exec_profile_test.cpp has them by line. The .ptx beside this file is
// what `nvcc -ptx -arch=compute_75 -lineinfo` makes of it.
constexpr int tile = 16;

extern "C" {

__global__ void add(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

__global__ void strided(const float* in, float* out, int stride) {
    out[threadIdx.x] = in[threadIdx.x * stride];
}

__global__ void multiply(const float* a, const float* b, float* c, int a_width, int b_width) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < a_width; ++k) {
        float left = a[row * a_width + k];
        float right = b[k * b_width + column];
        sum += left * right;
    }
    c[row * b_width + column] = sum;
}

__global__ void multiply_tiled(const float* a, const float* b, float* c, int a_width, int b_width) {
    __shared__ float as[tile][tile], bs[tile][tile];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * tile + y, column = blockIdx.x * tile + x;
    float sum = 0;
#pragma unroll 1
    for (int m = 0; m < a_width / tile; ++m) {
        as[y][x] = a[row * a_width + m * tile + x];
        bs[y][x] = b[(m * tile + y) * b_width + column];
        __syncthreads();
#pragma unroll 1
        for (int k = 0; k < tile; ++k) {
            float left = as[y][k];
            float right = bs[k][x];
            sum += left * right;
        }
        __syncthreads();
    }
    c[row * b_width + column] = sum;
}

// Reads columns of a tile; `pad` 1 has no conflicts.
__global__ void transpose(float* out, const float* in, int n, int pad) {
    extern __shared__ float s[];
    int x = threadIdx.x, y = threadIdx.y, pitch = blockDim.x + pad;
    s[y * pitch + x] = in[(blockIdx.y * 32 + y) * n + blockIdx.x * 32 + x];
    __syncthreads();
    float value = s[x * pitch + y];
    out[(blockIdx.x * 32 + y) * n + blockIdx.y * 32 + x] = value;
}

__global__ void transpose_naive(float* out, const float* in, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) out[x * height + y] = in[y * width + x];
}

__global__ void block_sum(const float* in, float* out, int n) {
    __shared__ float partial[256];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    partial[t] = i < n ? in[i] : 0.0f;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half) partial[t] += partial[t + half];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = partial[0];
}

__global__ void gather(const int* index, const double2* in, double2* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[index[i]];
}

__global__ void histogram(const unsigned char* in, int* bins, int n) {
    __shared__ int counts[256];
    counts[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&counts[in[i]], 1);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], counts[threadIdx.x]);
}

// What the pointer points to is known only while it runs.
__global__ void either(int* global, int n) {
    __shared__ int shared[64];
    int* p = threadIdx.x % 2 ? &shared[threadIdx.x] : &global[threadIdx.x];
    *p = n;
    __syncthreads();
    global[64 + threadIdx.x] = *p;
}

__device__ __noinline__ int collatz(int n) {
    int steps = 0;
    while (n != 1) {
        n = n % 2 ? 3 * n + 1 : n / 2;
        ++steps;
    }
    return steps;
}
__global__ void diverge(int* out, int n) {
    int i = threadIdx.x, sum = 0;
    if (i % 4 == 0) sum += collatz(i + 1);
    for (int k = 0; k < i % n; ++k) sum += out[i];
    switch (i % 5) {
        case 0:
            sum += 7;
            break;
        case 1:
            sum *= 3;
            break;
        case 2:
            sum ^= out[63 - i % 32];
            break;
        case 3:
            sum -= 9;
            break;
        default:
            sum = out[i / 2];
            break;
    }
    if (i % 3 == 0) return;
    out[i] = sum + __shfl_xor_sync(__activemask(), sum, 1);
}
}
