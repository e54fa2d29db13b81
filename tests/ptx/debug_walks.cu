// Forty more kernels for the debugger's random walks; debug_walks.ptx is made of them by NVRTC 13.0: -G
// -arch=compute_75 -default-device --std=c++17.
__device__ int total;
__device__ int lock;
__constant__ int weights[4] = {1, 3, 5, 7};

template <class T, int N>
struct Box {
    T items[N];
    T sum() const {
        T all = 0;
        for (int i = 0; i < N; ++i) all += items[i];
        return all;
    }
};
struct Shape {
    virtual int area() const { return 0; }
};
struct Square : Shape {
    int side;
    int area() const override { return side * side; }
};
union Bits {
    float number;
    unsigned bits;
};
struct Node {
    short key;
    unsigned char flags;
    long long value;
};

__device__ __noinline__ int gcd(int a, int b) { return b == 0 ? a : gcd(b, a % b); }
__device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__device__ __forceinline__ int square(int v) {
    int r = v * v;
    return r;
}
__device__ __noinline__ int is_even(int n);
__device__ __noinline__ int is_odd(int n) { return n == 0 ? 0 : is_even(n - 1); }
__device__ __noinline__ int is_even(int n) { return n == 0 ? 1 : is_odd(n - 1); }
template <class T>
__device__ T pick(T a, T b, bool first) {
    if (first) return a;
    return b;
}
__device__ __noinline__ void swap_them(int& a, int& b) {
    int t = a;
    a = b;
    b = t;
}

#define KERNEL(name) extern "C" __global__ void name(int* out, int n)
#define ME (blockIdx.x * blockDim.x + threadIdx.x)

KERNEL(gcds) { out[ME] = gcd(ME + 12, n * 6); }
KERNEL(fibonaccis) { out[ME] = fibonacci(threadIdx.x % 4 + 1); }
KERNEL(squares) { out[ME] = square(ME) + square(n); }
KERNEL(parity) { out[ME] = is_even(threadIdx.x % n); }
KERNEL(templates) { out[ME] = pick(int(ME), n, ME % 2 == 0) + int(pick(1.5f, 2.5f, ME % 3 == 0)); }
KERNEL(boxes) {
    Box<int, 3> box = {{int(ME), n, 2}};
    Box<float, 2> other = {{0.5f, float(n)}};
    out[ME] = box.sum() + int(other.sum());
}
KERNEL(shapes) {
    Square square;
    square.side = threadIdx.x % n;
    const Shape* shape = &square;
    out[ME] = shape->area();
}
KERNEL(unions) {
    Bits bits;
    bits.number = float(ME);
    out[ME] = int(bits.bits >> 23);
}
KERNEL(nodes) {
    __shared__ Node nodes[64];
    Node& mine = nodes[threadIdx.x];
    mine.key = short(threadIdx.x);
    mine.flags = (unsigned char)(threadIdx.x * n);
    mine.value = -(long long)threadIdx.x;
    __syncthreads();
    const Node& next = nodes[(threadIdx.x + 1) % blockDim.x];
    out[ME] = next.key + next.flags + int(next.value);
}
KERNEL(references) {
    int a = ME, b = n;
    if (a % 2) swap_them(a, b);
    out[ME] = a - b;
}
KERNEL(switches) {
    int value = 0;
    switch (ME % 5) {
        case 0: value = n; break;
        case 1: value = 2 * n;
        case 2: value += 7; break;
        case 3: value = -1; break;
        default: value = ME;
    }
    out[ME] = value;
}
KERNEL(breaks) {
    int i = 0, sum = 0;
    while (true) {
        if (++i > n + int(threadIdx.x % 4)) break;
        if (i % 2) continue;
        sum += i;
    }
    out[ME] = sum;
}
KERNEL(nested) {
    int sum = 0;
    for (int i = 0; i < int(threadIdx.x % 4); ++i)
        for (int j = i; j < 3; ++j) sum += i * j + n;
    out[ME] = sum;
}
KERNEL(does) {
    int value = ME + 1, count = 0;
    do {
        value = value % 2 ? 3 * value + 1 : value / 2;
        ++count;
    } while (value != 1 && count < 6);
    out[ME] = count;
}
KERNEL(gotos) {
    int i = 0;
again:
    i += 2;
    if (i < int(threadIdx.x % 8)) goto again;
    out[ME] = i;
}
KERNEL(sorts) {
    int a[4] = {int(ME * 7 % 5), int(ME * 3 % 11), n, 1};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3 - i; ++j)
            if (a[j] > a[j + 1]) swap_them(a[j], a[j + 1]);
    out[ME] = a[0] + 10 * a[3];
}
KERNEL(bytes) {
    unsigned char bytes[8];
    for (int i = 0; i < 8; ++i) bytes[i] = (unsigned char)(ME + i * n);
    out[ME] = bytes[3] | bytes[threadIdx.x % 8] << 8;
}
KERNEL(longs) {
    unsigned long long value = 1;
    for (int i = 0; i < n; ++i) value = value * 6364136223846793005ull + ME;
    out[ME] = int(value >> 40);
}
KERNEL(doubles) {
    double x = ME + 1.0;
    for (int i = 0; i < 3; ++i) x = 0.5 * (x + n / x);
    out[ME] = int(x * 100);
}
KERNEL(floats) {
    float x = 0, y = 0;
    int i = 0;
    for (; i < 6 && x * x + y * y < 4; ++i) {
        float t = x * x - y * y + threadIdx.x * 0.05f;
        y = 2 * x * y + 0.1f;
        x = t;
    }
    out[ME] = i;
}
KERNEL(bits) { out[ME] = __popc(ME) + __clz(n) + int(__brev(ME) >> 28) + __ffs(int(ME)); }
KERNEL(constants) {
    int sum = 0;
    for (int i = 0; i < 4; ++i) sum += weights[(i + threadIdx.x) % 4] * i;
    out[ME] = sum;
}
KERNEL(votes) {
    unsigned odd = __ballot_sync(~0u, threadIdx.x % n == 1);
    out[ME] = __popc(odd) + (__all_sync(~0u, n > 2) ? 100 : 0);
}
KERNEL(scans) {
    int value = ME;
    for (int step = 1; step < 32; step *= 2) {
        int other = __shfl_up_sync(~0u, value, step);
        if (threadIdx.x % 32 >= step) value += other;
    }
    out[ME] = value;
}
KERNEL(sums) {
    int value = out[ME];
    for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(~0u, value, step);
    if (threadIdx.x % 32 == 0) atomicAdd(&out[blockIdx.x], value);
}
KERNEL(matches) {
    unsigned same = __match_any_sync(~0u, int(threadIdx.x % n));
    out[ME] = __popc(same);
}
KERNEL(histogram) {
    __shared__ int bins[8];
    if (threadIdx.x < 8) bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[ME * n % 8], 1);
    __syncthreads();
    if (threadIdx.x < 8) atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}
KERNEL(transposes) {
    __shared__ int tile[8][9];
    int x = threadIdx.x % 8, y = threadIdx.x / 8;
    tile[y][x] = out[ME];
    __syncthreads();
    out[ME] = tile[x][y] + n;
}
KERNEL(stencils) {
    __shared__ int s[66];
    s[threadIdx.x + 1] = out[ME];
    if (threadIdx.x == 0) s[0] = 0, s[blockDim.x + 1] = n;
    __syncthreads();
    out[ME] = s[threadIdx.x] + 2 * s[threadIdx.x + 1] + s[threadIdx.x + 2];
}
KERNEL(ping_pong) {
    __shared__ int s[2][64];
    s[0][threadIdx.x] = ME;
    for (int round = 0; round < 3; ++round) {
        __syncthreads();
        s[1 - round % 2][threadIdx.x] = s[round % 2][(threadIdx.x + n) % blockDim.x] + 1;
    }
    out[ME] = s[1][threadIdx.x];
}
KERNEL(counts) { out[ME] = __syncthreads_count(threadIdx.x % n == 0) + (__syncthreads_or(ME == 3) ? 1000 : 0); }
KERNEL(maxima) {
    __shared__ int best;
    if (threadIdx.x == 0) best = -1;
    __syncthreads();
    atomicMax(&best, int(ME * 37 % 101));
    __syncthreads();
    out[ME] = best + n;
}
KERNEL(swaps) {
    int expected = out[threadIdx.x % 4], seen;
    do {
        seen = expected;
        expected = atomicCAS(&out[threadIdx.x % 4], seen, seen + n);
    } while (seen != expected);
}
KERNEL(locks) {
    if (threadIdx.x % 32 == 0) {
        while (atomicExch(&lock, 1) != 0) {
        }
        int old = out[0];
        __threadfence();
        out[0] = old + n;
        __threadfence();
        atomicExch(&lock, 0);
    }
}
KERNEL(tickets) {
    __shared__ int ticket;
    if (threadIdx.x == 0) ticket = atomicAdd(&total, 1);
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = ticket * n;
}
KERNEL(named_barriers) {
    __shared__ int s;
    if (threadIdx.x < 32) {
        s = n;
        asm volatile("barrier.arrive 1, 64;" ::: "memory");
    } else {
        asm volatile("barrier.sync 1, 64;" ::: "memory");
        out[ME] = s;
    }
}
KERNEL(warp_syncs) {
    __shared__ int s[64];
    s[threadIdx.x] = ME;
    __syncwarp();
    int other = s[threadIdx.x ^ 1];
    if (threadIdx.x % 32 < 16) {
        __syncwarp(0xFFFF);
        other += n;
    }
    out[ME] = other;
}
KERNEL(dims) { out[ME] = int(gridDim.x * 1000 + blockDim.x + blockIdx.x * n); }
KERNEL(pointers) {
    int values[3] = {1, 2, n};
    int* at = &values[threadIdx.x % 3];
    *at += 10;
    int** twice = &at;
    **twice *= 2;
    out[ME] = values[0] + values[1] + values[2];
}
KERNEL(searches) {
    int low = 0, high = 15;
    while (low < high) {
        int middle = (low + high) / 2;
        if (middle * n < int(ME % 70))
            low = middle + 1;
        else
            high = middle;
    }
    out[ME] = low;
}
