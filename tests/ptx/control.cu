// Divergence, barriers, warp-level calls, locks, calls and faults. Each kernel's expected result is in
// tests/unit/exec_kernels_test.cpp. The .ptx beside this file is what `nvcc -ptx -arch=compute_75 -lineinfo` makes of it.
#include <cooperative_groups.h>
#include <cassert>
#include <cstdio>

extern "C" {

__global__ void if_else(int* out) {
    int i = threadIdx.x;
    if (i % 3 == 0)
        out[i] = i * 10;
    else if (i % 3 == 1)
        out[i] = -i;
    else
        out[i] = 7;
}

__global__ void loop_by_thread(int* out) {
    int sum = 0;
    for (int k = 0; k <= (int)threadIdx.x; ++k) sum += k;
    out[threadIdx.x] = sum;
}

__global__ void nested(int* out, int n) {
    int i = threadIdx.x, sum = 0;
    for (int a = 0; a < n; ++a) {
        if ((i + a) % 2) continue;
        for (int b = 0; b < i % 5; ++b) {
            if (b == 3) break;
            sum += a * b + 1;
        }
        if (sum > 1000) return;
    }
    out[i] = sum;
}

__global__ void early_return(int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    __shared__ int s[64];
    s[threadIdx.x] = i;
    __syncthreads();
    out[i] = s[threadIdx.x ^ 1];
}

__global__ void spin_lock(int* lock, int* counter) {
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            volatile int* c = counter;
            *c = *c + 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}

__global__ void naive_spin_lock(int* lock, int* counter) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    volatile int* c = counter;
    *c = *c + 1;
    __threadfence();
    atomicExch(lock, 0);
}

__global__ void shuffles(int* out) {
    int lane = threadIdx.x;
    int v = lane * lane;
    int s = v;
    for (int d = 16; d > 0; d /= 2) s += __shfl_xor_sync(0xffffffff, s, d);
    int up = __shfl_up_sync(0xffffffff, v, 3);
    int down = __shfl_down_sync(0xffffffff, v, 2, 8);
    int idx = __shfl_sync(0xffffffff, v, 5, 16);
    out[lane] = s + up * 3 + down * 5 + idx * 7;
}

__global__ void votes(unsigned* out) {
    unsigned lane = threadIdx.x;
    out[lane * 6 + 0] = __ballot_sync(0xffffffff, lane % 3 == 0);
    out[lane * 6 + 1] = __all_sync(0xffffffff, lane < 32);
    out[lane * 6 + 2] = __any_sync(0xffffffff, lane == 40);
    out[lane * 6 + 3] = __activemask();
    out[lane * 6 + 4] = __match_any_sync(0xffffffff, lane / 5);
    int pred;
    out[lane * 6 + 5] = __match_all_sync(0xffffffff, lane / 32, &pred) + pred;
}

// Lanes that reach a warp-level call at different times wait for each other.
__global__ void late_lanes(int* out) {
    int lane = threadIdx.x;
    int v = lane;
    if (lane < 8)
        for (int k = 0; k < 100; ++k) v = v * 3 + k;
    __syncwarp();
    out[lane] = __shfl_sync(0xffffffff, v, (lane + 8) % 32);
}

__global__ void half_warp_calls(int* out) {
    int lane = threadIdx.x;
    if (lane < 16)
        out[lane] = __shfl_sync(0x0000ffff, lane * 2, 3);
    else
        out[lane] = __shfl_sync(0xffff0000, lane * 3, 20);
}

__global__ void barrier_votes(int* out) {
    int t = threadIdx.x;
    out[t * 3 + 0] = __syncthreads_count(t % 4 == 0);
    out[t * 3 + 1] = __syncthreads_and(t < 1000);
    out[t * 3 + 2] = __syncthreads_or(t == 77);
}

// Thread-dependent barriers: each thread passes the same number of them, in different branches.
__global__ void barrier_in_branches(int* out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t;
    if (t < 32) {
        __syncthreads();
        out[t] = s[63 - t];
    } else {
        __syncthreads();
        out[t] = s[63 - t] + 100;
    }
}

__global__ void stuck(int* out) {
    if (threadIdx.x < 32) {
        asm volatile("bar.sync 1, 64;");
    } else {
        asm volatile("bar.sync 2, 64;");
    }
    out[threadIdx.x] = 1;
}

__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__global__ void recursion(int* out) { out[threadIdx.x] = fibonacci(threadIdx.x % 12); }

__device__ __noinline__ int plus_one(int x) { return x + 1; }
__device__ __noinline__ int times_two(int x) { return x * 2; }
__device__ __noinline__ int negated(int x) { return -x; }
typedef int (*Function)(int);
__device__ Function table[3] = {plus_one, times_two, negated};
__global__ void pointers(int* out) { out[threadIdx.x] = table[threadIdx.x % 3](threadIdx.x); }
__global__ void null_pointer_call(int* out, Function f) { out[0] = f(1); }

struct Big {
    double a;
    int b[5];
    char c;
};
__device__ __noinline__ Big shift(Big v, int by) {
    for (int k = 0; k < 5; ++k) v.b[k] += by;
    v.a *= 2;
    v.c += 1;
    return v;
}
__global__ void structures(double* out) {
    Big v{1.5 + threadIdx.x, {1, 2, 3, 4, 5}, 'a'};
    v = shift(v, threadIdx.x);
    out[threadIdx.x] = v.a + v.b[threadIdx.x % 5] * 100 + v.c * 10000;
}

__global__ void local_array(int* out, int n) {
    int a[16];
    for (int k = 0; k < 16; ++k) a[k] = k * threadIdx.x;
    for (int k = 0; k < n; ++k) a[(k * 7) % 16] += k;
    int s = 0;
    for (int k = 0; k < 16; ++k) s = s * 3 + a[k];
    out[threadIdx.x] = s;
}

__global__ void histogram(const int* in, int* bins, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[in[i]], 1);
}
__global__ void tickets(int* counter, int* out) { out[blockIdx.x * blockDim.x + threadIdx.x] = atomicAdd(counter, 1); }
__global__ void float_sum(float* sum) { atomicAdd(sum, 1.0f / (1 + blockIdx.x * blockDim.x + threadIdx.x)); }

// Block 0 waits for the flag that the last block sets.
__global__ void wait_for_block(volatile int* flag, int* out) {
    if (blockIdx.x == 0) {
        while (*flag == 0) {
        }
        out[0] = *flag;
    } else if (blockIdx.x == gridDim.x - 1) {
        *flag = 42;
    }
}

__global__ void grid_sync(int* data, int n) {
    auto grid = cooperative_groups::this_grid();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int round = 0; round < 3; ++round) {
        int next = data[(i + 1) % n];
        grid.sync();
        data[i] = next + 1;
        grid.sync();
    }
}

__global__ void prints() { printf("block %d thread %d %s %.2f\n", blockIdx.x, threadIdx.x, "text", threadIdx.x * 0.5); }

__global__ void asserts(int limit) { assert((int)threadIdx.x < limit); }

__global__ void heap(int** out) {
    int* p = (int*)malloc(sizeof(int) * 4);
    p[0] = threadIdx.x;
    p[3] = threadIdx.x * 2;
    out[threadIdx.x] = p;
}
__global__ void heap_free(int** in, int* out) {
    out[threadIdx.x] = in[threadIdx.x][0] + in[threadIdx.x][3];
    free(in[threadIdx.x]);
}

__global__ void write_at(int* p, int index) { p[index + threadIdx.x] = 5; }
__global__ void read_byte_as_int(char* p, int* out) { out[0] = *(int*)(p + 1); }
__global__ void shared_overrun(int* out, int index) {
    extern __shared__ int s[];
    s[threadIdx.x + index] = 1;
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x];
}
__constant__ int scale[4] = {3, 5, 7, 9};
__device__ int last = 11;
__global__ void variables(int* out) {
    out[threadIdx.x] = scale[threadIdx.x % 4] * last;
    if (threadIdx.x == 0) last = 12;
}
__global__ void endless(int* p) {
    while (atomicAdd(p, 0) == 0) {
    }
}
__global__ void trap_in_block(int n) {
    if (blockIdx.x == n && threadIdx.x == 3) __trap();
}
__global__ void switches(int* out) {
    int r;
    switch (threadIdx.x % 7) {
        case 0: r = 12; break;
        case 1: r = threadIdx.x * 3; break;
        case 2: r = 5; break;
        case 3: r = -1; break;
        case 4: r = 99 - threadIdx.x; break;
        case 5: r = 1 << (threadIdx.x % 8); break;
        default: r = 0;
    }
    out[threadIdx.x] = r;
}
}

// Plain accesses whose outcome depends on the order of blocks: they run in a fixed one.
extern "C" {
__global__ void racy_histogram(const int* in, int* bins, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) bins[in[i]] += 1;
}
__global__ void racy_winner(int* out) { out[threadIdx.x] = blockIdx.x; }
__global__ void racy_neighbours(int* a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 1 < n) a[i] = a[i] + a[i + 1];
}
__global__ void copy(int* to, const int* from, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 1 < n) to[i] = from[i + 1] + 1;
}
__global__ void scale_in_place(float* a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = a[i] * 2;
}
}
