// Kernels that change arrays in place, for walks of the debugger; debug_in_place.ptx is made of them by
// NVRTC 13.0: -G -arch=compute_75 -default-device --std=c++17.

// Each thread has its own place.
extern "C" __global__ void in_place(int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 3 * out[i] + n;
}

// Whether each has, the launch says: they have not.
extern "C" __global__ void same_place(int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x * (n - 5);
    out[i] = out[i] + 1;
}

extern "C" __global__ void adds_up(int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < n; ++k) out[i] = out[i] + k;
}

// In each round, a warp comes to the place that another one had in the round before.
extern "C" __global__ void moves_on(int* out, int n) {
    for (int k = 0; k < n; ++k) {
        int i = threadIdx.x + 32 * k;
        out[i] = 2 * out[i] + k;
    }
}

extern "C" __global__ void shared_in_place(int* out, int n) {
    __shared__ int s[128];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t] = out[i];
    for (int k = 0; k < n; ++k) s[t] = s[t] * 2 + k;
    out[i] = s[t];
}

// Most threads never write x.
extern "C" __global__ void masked(int* out, int n) {
    int t = threadIdx.x;
    if (t < n) {
        int x = 7, y = x + n;
        out[t] = y * t;
    }
    out[t + 256] = t;
}

// Variables change places in each round.
extern "C" __global__ void turns_round(int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, a = i, b = 1, c = 2;
    for (int k = 0; k < n; ++k) {
        int old = a;
        a = b;
        b = c;
        c = old + k;
    }
    out[i] = 100 * a + 10 * b + c;
}

// Computes the same again in other branches, and behind a change.
extern "C" __global__ void again(int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = i % 4;
    if (k == 0)
        out[i * 2 % 512] = i * 2;
    else if (k < 3)
        out[i * 2 % 512] = i * 2 + 1;
    for (k = i % 4; k < n; ++k) {
        int twice = k * 2;
        if (i % 2 == 0) k = k + 1;
        out[i] = out[i] + k * 2 - twice;
    }
}
