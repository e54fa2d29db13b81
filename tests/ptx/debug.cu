// Kernels for the debugger's tests; debug.ptx is made of them by NVRTC 13.0: -G -arch=compute_75 -default-device
// --std=c++17.
struct Pair {
    float low;
    int count[2];
};

__device__ int counter;

__device__ int factorial(int n) {
    if (n < 2) return 1;
    return n * factorial(n - 1);
}

__device__ __noinline__ float blend(Pair p, float t) {
    float all = p.low;
    for (int i = 0; i < 2; ++i) all += p.count[i] * t;
    return all;
}

extern "C" __global__ void loop(int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = 0;
    for (int j = 0; j <= i % n; ++j) sum += j;
    out[i] = sum;
}

extern "C" __global__ void branches(int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = i;
    if (i % 3 == 0) {
        value *= n;
    } else if (i % 3 == 1) {
        while (value > 10) value -= 7;
    } else {
        value = -value;
    }
    out[i] += value;
}

extern "C" __global__ void reduce(int* out, int n) {
    __shared__ int s[128];
    s[threadIdx.x] = out[blockIdx.x * blockDim.x + threadIdx.x] + n;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) s[threadIdx.x] += s[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

extern "C" __global__ void race(int* out, int n) {
    __shared__ int s;
    s = threadIdx.x;
    out[threadIdx.x] = s * n;
}

extern "C" __global__ void atomics(int* out, int n) {
    int old = atomicAdd(&out[0], n);
    atomicMax(&out[1], old);
    atomicAdd(&counter, 1);
    out[2 + threadIdx.x] = counter;
}

extern "C" __global__ void recursion(int* out, int n) {
    out[threadIdx.x] = factorial(threadIdx.x % n + 1);
}

extern "C" __global__ void structs(int* out, int n) {
    Pair p = {0.5f, {(int)threadIdx.x, n}};
    Pair all[2] = {p, {1.5f, {n, n}}};
    out[threadIdx.x] = (int)blend(all[threadIdx.x & 1], 2.0f);
}

extern "C" __global__ void shuffles(int* out, int n) {
    int value = out[threadIdx.x] + threadIdx.x;
    for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(~0u, value, step);
    if (__any_sync(~0u, value > n)) out[threadIdx.x] = value;
}

extern "C" __global__ void early(int* out, int n) {
    if (threadIdx.x >= n) return;
    double x = threadIdx.x;
    for (int i = 0; i < 3; ++i) x = x * 0.5 + 1;
    out[threadIdx.x] = (int)(x * 1000);
}

extern "C" __global__ void warps(int* out, int n) {
    __shared__ int flags[4];
    int warp = threadIdx.x / 32;
    if (threadIdx.x % 32 == 0) flags[warp] = warp * n;
    __syncthreads();
    int all = 0;
    for (int i = 0; i < 4; ++i) all += flags[i];
    if (warp == 1) all = -all;
    __syncthreads();
    out[threadIdx.x] = all;
}
