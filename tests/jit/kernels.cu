// Kernels that tier_tests runs in the interpreter and as machine code: all take two arrays to read, one to write, and n.
// The six of kernels/bench.cu come first.
#define KERNEL extern "C" __global__ void
constexpr int tile = 16;

KERNEL vector_add(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

KERNEL matmul_naive(const float* a, const float* b, float* c, int n) {
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || column >= n) return;
    float sum = 0;
    for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

KERNEL matmul_tiled(const float* a, const float* b, float* c, int n) {
    __shared__ float a_tile[tile][tile], b_tile[tile][tile];
    int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * tile + x, row = blockIdx.y * tile + y;
    float sum = 0;
    for (int step = 0; step < n / tile; ++step) {
        a_tile[y][x] = a[row * n + step * tile + x];
        b_tile[y][x] = b[(step * tile + y) * n + column];
        __syncthreads();
        for (int k = 0; k < tile; ++k) sum += a_tile[y][k] * b_tile[k][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

KERNEL transpose_naive(const float* in, const float*, float* out, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < n) out[x * n + y] = in[y * n + x];
}

KERNEL transpose_diagonal(const float* in, const float*, float* out, int n) {
    int block_y = blockIdx.x, block_x = (blockIdx.x + blockIdx.y) % gridDim.x;
    int x = block_x * blockDim.x + threadIdx.x, y = block_y * blockDim.y + threadIdx.y;
    if (x < n && y < n) out[x * n + y] = in[y * n + x];
}

KERNEL block_sum(const float* in, const float*, float* out, int n) {
    __shared__ float partial[256];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    partial[t] = i < n ? in[i] : 0.0f;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half) partial[t] += partial[t + half];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = partial[0];
}

KERNEL n_body(const float* at, const float* mass, float* force, int n) {
    __shared__ float x[64], y[64], m[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float px = at[i], py = at[n - 1 - i], fx = 0, fy = 0;
    for (int first = 0; first < n; first += 64) {
        x[threadIdx.x] = at[first + threadIdx.x];
        y[threadIdx.x] = at[n - 1 - first - threadIdx.x];
        m[threadIdx.x] = mass[first + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < 64; ++j) {
            float dx = x[j] - px, dy = y[j] - py, r = rsqrtf(dx * dx + dy * dy + 1e-3f);
            fx += m[j] * dx * r * r * r;
            fy += m[j] * dy * r * r * r;
        }
        __syncthreads();
    }
    force[i] = fx + fy;
}

KERNEL mandelbrot(const float*, const float*, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float cx = -2.0f + 3.0f * (i % 64) / 64, cy = -1.0f + 2.0f * (i / 64) / (n / 64), x = 0, y = 0;
    int steps = 0;
    while (x * x + y * y < 4 && steps < 200) {
        float next = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = next;
        ++steps;
    }
    out[i] = steps;
}

// Its first blocks have next to nothing to do.
KERNEL empty_corner(const float* in, const float*, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = in[i];
    if (blockIdx.x > 2)
        for (int step = 0; step < 100 + i % 7; ++step) x = x * 0.5f + 1;
    out[i] = x;
}

KERNEL histogram_shared(const int* in, const int*, int* out, int n) {
    __shared__ int bins[64];
    if (threadIdx.x < 64) bins[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[in[i] & 63], 1);
    __syncthreads();
    if (threadIdx.x < 64) atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

KERNEL histogram_global(const int* in, const int*, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&out[in[i] & 255], 1);
}

KERNEL stencil_5(const float* in, const float*, float* out, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && y > 0 && x < n - 1 && y < n - 1)
        out[y * n + x] = 0.2f * (in[y * n + x] + in[y * n + x - 1] + in[y * n + x + 1] + in[(y - 1) * n + x] +
                                 in[(y + 1) * n + x]);
}

KERNEL stencil_3d(const float* in, const float*, float* out, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
    for (int z = 1; z < n - 1; ++z) {
        int i = (z * n + y) * n + x;
        out[i] = in[i] * -6.0f + in[i - 1] + in[i + 1] + in[i - n] + in[i + n] + in[i - n * n] + in[i + n * n];
    }
}

KERNEL bitonic_sort(const int* in, const int*, int* out, int n) {
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int k = 2; k <= 256; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            int other = t ^ j;
            if (other > t && ((t & k) == 0) == (s[t] > s[other])) {
                int keep = s[t];
                s[t] = s[other];
                s[other] = keep;
            }
            __syncthreads();
        }
    out[blockIdx.x * 256 + t] = s[t];
}

// Rows of 0 to 15 numbers: a's low bits say how many, and which.
KERNEL csr_product(const int* a, const int* b, int* out, int n) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;
    int sum = 0, length = a[row] & 15;
    for (int k = 0; k < length; ++k) {
        int column = (a[(row + k) % n] >> 4) & (n - 1);
        sum += b[column] * (k + 1);
    }
    out[row] = sum;
}

// Loops that hardly do more than load from all over memory: one lane after the other goes through them.
KERNEL ragged_rows(const int* a, const int* b, int* out, int n) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;
    int sum = 0, first = a[row] & 1023, end = first + (b[row] & 31);
    for (int k = first; k < end; ++k) sum = sum * 3 + b[a[k] & 2047];
    out[row] = sum;
}

KERNEL ragged_floats(const float* a, const float* b, float* out, int n) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;
    float sum = 0;
    const unsigned short* column = (const unsigned short*)b;
    int first = column[row] & 1023, end = first + (column[row] >> 8 & 31);
    for (int k = first; k < end; ++k) sum += a[k] * b[column[k]];
    out[row] = sum;
}

// Some lanes need more rounds than a slice has.
KERNEL long_rows(const int* a, const int* b, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0, first = a[i] & 1023, rounds = a[i] >> 10 & 7;
    rounds = rounds == 5 ? 20000 : rounds * 100;
    for (int k = first; k < first + rounds; ++k) sum += b[a[k] & 4095];
    out[i] = sum;
}

// All lanes have the same `k` as long as they are there.
KERNEL rows_alike(const int* a, const int* b, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    const int* row = a + (b[i] & 1023);
    for (int k = 0; k < (b[i] & 31); ++k) sum += b[row[k] & 1023];
    out[i] = sum;
}

KERNEL words_of_text(const signed char* a, const int* b, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned hash = 5381;
    for (const signed char* p = a + (b[i] & 2047); *p % 8 != 0; ++p) hash = hash * 33 + *p;
    out[i] = hash;
}

// Here a load waits for the one before: all lanes go through the loop together.
KERNEL chase_until(const int* a, const int* b, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, at = a[i] & (n - 1), steps = 0;
    bool odd = false;
    do {
        at = (b[at] + i) & (n - 1);
        odd = odd != (at > n / 2);
    } while ((++steps < 90) & (at % 8 != 3));
    out[i] = at + n * steps + odd;
}

KERNEL rows_in_shared(const int* a, const int* b, int* out, int n) {
    __shared__ unsigned short row[512];
    __shared__ int value[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    for (int t = threadIdx.x; t < 512; t += blockDim.x) row[t] = a[t] & 255, value[t / 2] = b[t];
    __syncthreads();
    int first = a[i] & 255;
    for (int k = 0; k < (b[i] & 63); ++k) sum += value[row[first + k]];
    __syncthreads();
    out[i] = sum;
}

KERNEL rows_either_way(const int* a, const int* b, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, first = a[i] & 1023;
    long long sum = i;
    if (a[i] & 16) {
        for (int k = first; k < first + (b[i] & 15); ++k) sum += b[a[k] & 1023];
        for (int k = first; k < first + (b[i] >> 4 & 15); ++k) sum ^= a[b[k] & 1023];
    } else if (a[i] & 32) {
        for (int k = first; k < first + (b[i] & 7); ++k) sum += *(const long long*)(a + 2 * (b[k] & 1023));
    } else {
        for (int k = first; k < first + (b[i] & 31); ++k) sum -= ((const signed char*)b)[a[k] & 2047];
    }
    out[i] = (int)(sum >> 2);
}

// The row of one thread ends far behind what there is.
KERNEL row_too_long(const int* a, const int* b, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    int first = a[i] & 1023, end = i == 1357 ? first + 100000 : first + (b[i] & 31);
    for (int k = first; k < end; ++k) sum += b[a[k] & 1023];
    out[i] = sum;
}

KERNEL integer_hash(const unsigned* in, const unsigned*, unsigned* out, int n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, h = in[i];
    for (int round = 0; round < 20; ++round) {
        h ^= h >> 16;
        h *= 0x85EBCA6Bu;
        h ^= h >> 13;
        h = (h << 5 | h >> 27) + 0xC2B2AE35u / (round + 1);
        h = h / 7 + h % 1000 + __umulhi(h, i);
    }
    out[i] = h;
}

KERNEL black_scholes(const float* price, const float* strike, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = fabsf(price[i]) + 1, x = fabsf(strike[i]) + 1, t = 0.5f, r = 0.02f, v = 0.3f;
    float d1 = (logf(s / x) + (r + 0.5f * v * v) * t) / (v * sqrtf(t)), d2 = d1 - v * sqrtf(t);
    auto normal = [](float d) {
        float k = 1 / (1 + 0.2316419f * fabsf(d));
        float p = 0.39894228f * expf(-0.5f * d * d) * k * (0.319381530f + k * (-0.356563782f + k * 1.781477937f));
        return d > 0 ? 1 - p : p;
    };
    out[i] = s * normal(d1) - x * expf(-r * t) * normal(d2);
}

KERNEL gather(const int* from, const int* index, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = from[index[i] & (n - 1)];
}

KERNEL scatter(const int* from, const int* index, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[(index[i] & 7) * 4 + i / 32 * 32] = from[i];
}

KERNEL shuffle_sum(const float* in, const float*, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = in[i];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xFFFFFFFFu, sum, d);
    unsigned positive = __ballot_sync(0xFFFFFFFFu, in[i] > 0);
    if (threadIdx.x % 32 == 0) out[i / 32] = sum + __popc(positive);
}

// Vectors, bytes, halves of registers, wide integers, doubles, conversions.
KERNEL wide_types(const float4* a, const double* b, double* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = a[i];
    double d = b[i] * v.x + v.y, e = d / (1.0 + v.z * v.z);
    long long wide = (long long)(v.w * 1000) * (i + 1);
    const unsigned char* bytes = (const unsigned char*)a;
    const short* shorts = (const short*)a;
    int mixed = bytes[i] + shorts[i] * 3 + (int)v.x + (unsigned)fabsf(v.y) % 17;
    out[i] = d + e + (double)wide + mixed + (float)(wide >> 3) + __double2float_rn(e) + min(mixed, i) + max(mixed, -i);
}

KERNEL vector_store(const float* a, const float* b, float4* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = make_float4(a[i], b[i], a[i] * b[i], a[i] - b[i]);
}

KERNEL same_place(const int* a, const int*, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[blockIdx.x] = a[i];
    ((long long*)out)[64 + blockIdx.x] = (long long)a[i] * i;
    out[512 + (i & ~31) + (threadIdx.x & 15)] = i;
    ((char*)out)[8192 + i] = (char)a[i];
}

KERNEL strides(const int* a, const int*, int* out, int n) {
    int t = threadIdx.x, first = blockIdx.x * blockDim.x;
    int sum = 0;
    for (int k = 1; k < 9; ++k) sum = sum * 31 + a[(first + t * k) % n] + a[first + (blockDim.x - 1 - t)];
    out[first + (t * 5) % blockDim.x] = sum;
}

KERNEL divergence(const int* a, const int*, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, x = a[i], r = 0;
    if (x & 1) {
        for (int k = 0; k < (x & 31); ++k) r += k * x;
        if (x & 2) r ^= 0x55;
        else r -= 3;
    } else if (x & 4) {
        r = x > 0 ? x / 3 : -x;
        do r += 7; while (r % 5 != 0);
    }
    switch (x & 7) {
        case 0: r += 1; break;
        case 1: r *= 3; break;
        case 5: r = ~r; break;
        default: r -= 9;
    }
    out[i] = r + __popc(x) + __clz(x) + (__activemask() == 0xFFFFFFFFu);
}

KERNEL some_exit_early(const int* a, const int*, int* out, int n) {
    __shared__ int s[256];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    if (a[blockIdx.x] % 3 == 0 && t >= 64) return;
    s[t] = a[i];
    __syncthreads();
    out[i] = s[t ^ 1];
}

KERNEL any_votes(const int* a, const int*, int* out, int n) {
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    int r = __syncthreads_count(a[i] & 1) + __syncthreads_or(a[i] == 5);
    for (int k = 0; k < 5; ++k) {
        if (__any_sync(0xFFFFFFFFu, (a[i] >> k & 15) == 3)) r += 1 << k;
        r += __shfl_xor_sync(0xFFFFFFFFu, a[i], 1 << k) & 3;
    }
    out[i] = r;
}

KERNEL clocks(const int* a, const int*, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    long long begin = clock64();
    int sum = 0;
    for (int k = 0; k < 40; ++k) sum += a[(i + k) % n];
    out[i] = sum + (int)(clock64() - begin);
}

KERNEL long_loop(const int* a, const int*, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned x = a[i];
    for (int k = 0; k < 20000; ++k) x = x * 1664525u + 1013904223u;
    out[i] = x;
}

KERNEL local_array(const int* a, const int*, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, kept[16];
    for (int k = 0; k < 16; ++k) kept[k] = a[(i + k) % n];
    int r = 0;
    for (int k = 0; k < 16; ++k) r = r * 3 + kept[(a[i] + k * 5) & 15];
    out[i] = r;
}

KERNEL order_shows(const int* a, const int*, int* out, int n) {
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = a[blockIdx.x * 256 + t];
    s[t] = s[(t + 37) & 255] + 1;  // no barrier: warps see what others did before them
    out[blockIdx.x * 256 + t] = s[(t + 100) & 255];
}

// Blocks that pass many barriers, each warp telling when it came: `ticket` counts them.
KERNEL many_barriers(const int* a, const int*, int* out, int n) {
    __shared__ int s[256], ticket;
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, sum = 0;
    s[t] = a[i];
    if (t == 0) ticket = 0;
    for (int round = 0; round < 150; ++round) {
        __syncthreads();
        sum += s[(t + round) % blockDim.x];
        // Some warps loop, and so have more to do than others.
        for (int k = 0; k < (t / 32 * 7 + round) % 5; ++k) sum = sum * 3 + s[t];
        if (t % 32 == 0) sum += atomicAdd(&ticket, 1);
        __syncthreads();
        s[t] = sum;
    }
    out[i] = sum;
}
// No handler, and more barriers than a compiled block passes at once.
KERNEL plain_barriers(const int* a, const int*, int* out, int n) {
    __shared__ int s[256];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, sum = 0;
    s[t] = a[i];
    for (int round = 0; round < 150; ++round) {
        __syncthreads();
        int other = s[(t + round) % blockDim.x];
        __syncthreads();
        for (int k = 0; k < (t / 32 + round) % 3; ++k) sum = sum * 3 + other;
        s[t] = sum + other;
    }
    out[i] = sum + s[t];
}
// In some rounds one warp does what only the interpreter knows; others come before and after it.
KERNEL one_warp_leaves(const int* a, const int*, int* out, int n) {
    __shared__ int s[256];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, sum = 0;
    s[t] = a[i];
    for (int round = 0; round < 20; ++round) {
        __syncthreads();
        int other = s[(t + 32) % blockDim.x];
        if (round % 3 == 2 && t / 32 == round % 4) __nanosleep(20);
        __syncthreads();
        s[t] = sum = sum * 5 + other;
    }
    if (t / 32 == a[blockIdx.x] % 4) return;
    out[i] = sum + s[t];
}
// Warps leave one after the other, the first of them first; the rest goes on from barrier to barrier.
KERNEL warps_leave(const int* a, const int*, int* out, int n) {
    __shared__ int s[256];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, sum = 0;
    s[t] = a[i];
    for (int round = 0; round < 12; ++round) {
        __syncthreads();
        sum = sum * 3 + s[(t + round * 32) % blockDim.x];
        __syncthreads();
        s[t] = sum;
        out[i] = sum;
        if (t / 32 * 2 == round) return;
    }
}
// Two barriers of which each warp comes to one.
KERNEL either_barrier(const int* a, const int*, int* out, int n) {
    __shared__ int s[256];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t] = a[i];
    if (t / 32 % 2 == 0) {
        asm volatile("bar.sync 0;");
        out[i] = s[(t + 32) % blockDim.x] + 1;
    } else {
        asm volatile("bar.sync 0;");
        out[i] = s[(t + 64) % blockDim.x] * 3;
    }
}

// Lanes have parted where their warp gives others a turn: between loads and a store that may meet them in another warp.
KERNEL parted_turns(const int* a, const int*, int* out, int n) {
    __shared__ int s[256];
    int t = threadIdx.x, size = blockDim.x, i = blockIdx.x * size + t, word = a[i];
    s[t] = word;
    __syncthreads();
    for (int round = 0; round < 12; ++round) {
        if (word >> round & 1) {
            s[t] += s[(t + 37) % size];
            if (word >> round & 2) s[t] = s[(t + 70) % size] ^ round;
        } else if (t % 32 < 20) {
            s[t] -= s[(t + 5 * round) % size];
        }
        __syncthreads();
    }
    out[i] = s[t];
}
// Of some warps all lanes come to the turn, of some a few, of some none.
KERNEL tree_sums(const int* a, const int*, int* out, int n) {
    __shared__ int s[256];
    int t = threadIdx.x, size = blockDim.x, i = blockIdx.x * size + t;
    s[t] = a[i];
    __syncthreads();
    for (int distance = 1; distance < size; distance *= 2) {
        if (t % (2 * distance) == 0 && t + distance < size) s[t] += s[t + distance];
        __syncthreads();
    }
    if (t == 0) out[2 * blockIdx.x] = s[0];
    __syncthreads();
    s[t] = a[i];
    __syncthreads();
    for (int half = size / 2; half > 0; half /= 2) {
        if (t < half) s[t] += s[t + half];
        __syncthreads();
    }
    if (t == 0) out[2 * blockIdx.x + 1] = s[0];
}
// A loop of some lanes with turns in it, and a loop that begins behind one.
KERNEL turns_in_loops(const int* a, const int*, int* out, int n) {
    __shared__ int s[256];
    int t = threadIdx.x, size = blockDim.x, i = blockIdx.x * size + t, word = a[i];
    s[t] = word;
    __syncthreads();
    if (word & 4) {
        for (int k = 0; k < (word & 3); ++k) s[t] = s[(t + k * 33 + 1) % size] + k;
        int other = s[(t + 50) % size];
        s[t] = other;
        for (int k = 0; k < (word >> 3 & 3); ++k) s[t] = other += s[(t + k) % size];
    }
    out[i] = s[t];
}
// While some warps are at a turn, one does what only the interpreter knows, in a loop: more turns than a slice has.
KERNEL parted_warp_leaves(const int* a, const int*, int* out, int n) {
    __shared__ int s[256];
    int t = threadIdx.x, size = blockDim.x, i = blockIdx.x * size + t, word = a[i];
    s[t] = word;
    __syncthreads();
    for (int round = 0; round < 100; ++round) {
        if (word >> round % 16 & 1) {
            int other = s[(t + 37) % size];
            if (t / 32 == round % 9) __nanosleep(20);
            s[t] = other + round;
        }
        if (t < 64 && (word >> round % 11 & 1)) s[t] += s[(t + 64) % size];
        if (round % 4 == 3) __syncthreads();
    }
    if (t / 32 == word % 8) return;
    out[i] = s[t];
}

// Scattered accesses: signed and unsigned indices, before and behind the pointer, of several sizes and distances.
KERNEL scattered(const int* a, const int* b, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned u = (unsigned)b[i] % (unsigned)n;
    int half = n / 2, back = (int)(u % (unsigned)half) - half;
    int sum = a[u] + (a + half)[back] + ((const short*)a)[u] + ((const signed char*)a)[u];
    sum += (int)((const long long*)a)[u / 2];
    sum += *(const int*)((const char*)a + (u & ~3u));  // bytes as the index of words
    const int3 three = ((const int3*)a)[u / 4];        // 12 bytes apart
    const int2 two = ((const int2*)a)[u / 2];
    sum += three.x + three.z + two.y + (a + 1)[(int)(u / 2) - 1];
    if (b[i] & 1) sum += a[n - 1 - (int)(u / 3)];
    out[i] = sum;
    if (b[i] & 2) ((short*)out)[2 * n + i] = (short)sum;
}
KERNEL before_scattered(const int* a, const int* b, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = a[i == 1000 ? -4 : (b[i] & (n - 1))];
}
KERNEL behind_scattered(const int* a, const int* b, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned u = i == 1000 ? 0xFFFFFFF0u : (unsigned)b[i] & (n - 1);
    out[i] = a[u];
}
KERNEL odd_scattered(const int* a, const int* b, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = *(const int*)((const char*)a + ((b[i] & (n - 1) & ~3) + (i == 1000)));
}
KERNEL store_scattered(const int* a, const int* b, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i == 1000 ? n + 64 : (b[i] & (n - 1))] = 1;
}

KERNEL half_sums(const int* a, const int*, int* out, int n) {
    // Blocks that are no multiple of a warp, in three dimensions.
    int t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    int size = blockDim.x * blockDim.y * blockDim.z, i = blockIdx.x * size + t;
    out[i] = a[i] * 3 + threadIdx.x - 2 * threadIdx.y + 5 * threadIdx.z;
}

// ---- Lanes that part in compiled code.

KERNEL sides(const int* a, const int*, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int x = a[i], r = i;
    if (x & 1) {
        r += x * 3;
        if (x & 2) r ^= a[(i + 1) % n];
        else r -= a[(i + 2) % n] / 7;
        if (x & 4) r *= 5;
    } else {
        r = x & 8 ? r - 1 : r * a[(x & 1023) % n];
        if (x & 16) {
            if (x & 32) r += 100;
        } else {
            r = ~r;
        }
    }
    out[i] = r;
}

// Which side comes first shows.
KERNEL sides_store(const int* a, const int*, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int x = a[i], first = i & ~31;
    if ((x & 3) == 0) {
        out[first + (x >> 8 & 31)] = i;
        if (x & 4) out[first + (x >> 13 & 31)] += 7;
    } else {
        out[first + (x >> 3 & 31)] = -i;
        out[first + (x >> 18 & 31)] += out[first] + 1;
    }
}

KERNEL sides_loop(const int* a, const int*, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int x = a[i], r = 0, rounds = 0;
    for (int k = 0; k < (x & 15); ++k) {
        if (a[(i + k) % n] & 1) {
            for (int m = x & 7; m < 9; m += 2) r += m * k;
        } else {
            r -= k;
        }
        ++rounds;
    }
    do {
        r = r * 3 + 1;
        if (r & 0x400) r >>= 5;
        ++rounds;
    } while (r % 11 != 0 && rounds < 60);
    out[i] = r * 64 + rounds;
}

// More rounds than one slice has.
KERNEL sides_long(const int* a, const int*, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned x = a[i], r = 0;
    if (x & 1) {
        for (unsigned k = 0; k < 5000 + (x >> 20 & 4095); ++k) r = r * 1664525u + k;
    } else {
        for (unsigned k = x >> 20 & 8191; k < 9000; ++k) r = (r ^ k) * 1013904223u;
    }
    out[i] = r;
}

KERNEL sides_atomic(const int* a, const int*, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int x = a[i];
    if (x & 1) {
        int old = atomicAdd(&out[i & ~31], x);
        if (old & 2) atomicMax(&out[(i & ~31) + 1], old);
    } else {
        atomicXor(&out[(i & ~31) + 2], x);
        atomicExch(&out[(i & ~31) + 3 + (x >> 4 & 15)], i);
    }
}

KERNEL sides_shared(const int* a, const int*, int* out, int n) {
    __shared__ int s[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[t] = a[i];
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half) s[t] = max(s[t], s[t + half]) - (s[t] & 1 ? half : 0);
        __syncthreads();
    }
    if (t % 3 == 0) out[i] = s[t];
    else if (t % 3 == 1) out[i] = s[0] + s[255 - t];
}

// Out of the middle of loops, and over the heads of others.
KERNEL leaves_loops(const int* a, const int*, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, x = a[i], r = 0;
    for (int k = 0; k < 20; ++k) {
        if ((x >> k & 7) == 5) break;
        if (x >> k & 1) continue;
        for (int m = 0; m < 6; ++m) {
            r += m ^ k;
            if ((r & 31) == 9) goto done;
        }
    }
    r += 1000;
done:
    out[i] = r;
}

// What all lanes share until they part.
KERNEL kept_numbers(const int* a, const int*, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, count = 0, step = n, last = 7;
    while (count < (a[i] & 63)) {
        ++count;
        step -= count;
        if ((a[i] >> 8 & 15) == count) last = step;
    }
    out[i] = count * 1000 + step + last;
}

KERNEL tables(const float* a, const float* b, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[i], y = b[i], r = rsqrtf(x) + __sinf(y) - __cosf(x) + __fdividef(x, y);
    if (x > y) r += exp2f(x) + __logf(y);
    else r -= sqrtf(y) * __expf(x) + tanhf(y);
    out[i] = r + 1.0f / (x * 3.0f) + x / y;
}

KERNEL shuffles(const int* a, const int*, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, x = a[i];
    int r = __shfl_up_sync(0xFFFFFFFFu, x, 3) + __shfl_down_sync(0xFFFFFFFFu, x, 7, 16) * 3;
    r += __shfl_xor_sync(0xFFFFFFFFu, x, 5, 8) ^ __shfl_sync(0xFFFFFFFFu, x, 11);
    r += __shfl_sync(0xFFFFFFFFu, x, x & 31) + __shfl_down_sync(0xFFFFFFFFu, x, n & 7);
    if (__any_sync(0xFFFFFFFFu, (x & 127) == 3)) r += 11;
    if (__all_sync(0xFFFFFFFFu, (x & 255) != 3)) r -= 5;
    r ^= __ballot_sync(0xFFFFFFFFu, !(x & 4));
    out[i] = r + __reduce_add_sync(0xFFFFFFFFu, x);
}

// ---- Mistakes: the same message from both.

KERNEL beyond_read(const int* a, const int*, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i % n] = a[i];
}
KERNEL beyond_write(const int* a, const int*, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = a[i % n];
}
KERNEL before_begin(const int* a, const int*, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 777) out[i] = a[i - 100000];
    else out[i] = a[i];
}
KERNEL far_gather(const int* a, const int* b, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = a[b[i] & (2 * n - 1)];
}
KERNEL misaligned(const int* a, const int*, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = *(const int*)((const char*)a + i * 4 + (i == 1000));
}
KERNEL null_pointer(const int* a, const int*, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long none = n - 2048;  // a null pointer that the compiler doesn't know
    int* p = (int*)(i / 32 == 20 ? none : (unsigned long long)out);
    p[i] = a[i];
}
KERNEL beyond_shared(const int* a, const int*, int* out, int n) {
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t & 127] = a[t];
    __syncthreads();
    out[blockIdx.x * 256 + t] = s[t + (a[0] & 0) + (blockIdx.x == 3 ? 4 : 0)];
}
KERNEL late_in_loop(const int* a, const int*, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    for (int k = 0; k < 64; ++k) {
        sum += a[i + k * 64];
        out[i] = sum;
    }
}
KERNEL beyond_in_side(const int* a, const int*, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (a[i] & 1) out[i] = a[i];
    else if (i > 3000 && i < 3020) out[i] = a[i + 3 * n];
    else out[i] = -a[i];
}
KERNEL never_ends_in_side(const int* a, const int*, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, x = a[i];
    if (i % 3 == 1)
        while (x != 0) x = x * 3 | 1;
    else
        x += 1;
    out[i] = x;
}
KERNEL bad_atomic(const int* a, const int*, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&out[i * 2], a[i % n]);
}
KERNEL never_ends(const int* a, const int*, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, x = a[i] | 1;
    while (x != 0) x = x * 3 | 1;
    out[i] = x;
}
KERNEL waits_for_ever(const int* a, const int*, int* out, int n) {
    volatile int* flag = out;
    while (*flag == 0) {
    }
    out[threadIdx.x] = 1;
}
KERNEL deadlock(const int* a, const int*, int* out, int n) {
    if (threadIdx.x < 32) __syncthreads();
    else asm volatile("bar.sync 1;");
    out[threadIdx.x] = 1;
}
KERNEL traps(const int* a, const int*, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = a[i];
    if (i == 700) __trap();
}

// What an access behind a join is checked against is not known yet, or it is none: the interpreter makes it.
KERNEL behind_join(const unsigned* a, const unsigned* b, unsigned* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned x = a[i % 4096];
    if (x & 1) x += __match_any_sync(__activemask(), x & 2);
    x ^= b[x % 64 + (n > 4096 ? n * 100000 : 0)];
    if (x & 4) x += __match_any_sync(__activemask(), x & 8);
    if (i < n) out[i] = x;
}

// What holds a shuffle's distance is read where the interpreter executes the shuffle: the store is none that it knows.
KERNEL shuffled_again(const int* a, const int*, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, x = a[i], distance;
    __syncthreads();
    asm volatile("mov.u32 %0, 3;" : "=r"(distance));
    x = __float_as_int(__ll2float_ru((long long)x * i));
    asm volatile("shfl.sync.up.b32 %0, %0, %1, 0x1800, -1;" : "+r"(x) : "r"(distance));
    out[i] = x;
}

// Lanes that are elsewhere have addresses before the begin and behind the end of the array; turns come right before
// the lanes meet again.
KERNEL scan(const int* a, const int*, int* out, int n) {
    __shared__ int s[2][256];
    int t = threadIdx.x, in = 0;
    s[0][t] = a[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (int d = 1; d < 256; d *= 2) {
        s[1 - in][t] = t >= d ? s[in][t] + s[in][t - d] : s[in][t];
        in = 1 - in;
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + t] = s[in][t];
}
KERNEL guarded_neighbours(const int* a, const int* b, int* out, int n) {
    __shared__ int s[16][16];
    __shared__ long long wide[256];
    int x = threadIdx.x, y = threadIdx.y, t = y * 16 + x, i = blockIdx.x * 256 + t, sum = 0;
    s[y][x] = a[i];
    wide[t] = b[i];
    __syncthreads();
    if (x > 0) sum += s[y][x - 1];
    if (x < 15) sum += 3 * s[y][x + 1];
    if (y > 0) sum += 5 * s[y - 1][x];
    if (y < 15) sum += 7 * s[y + 1][x];
    if (t < 255) sum += 9 * (int)wide[t + 1];
    if (t > 0) sum += 11 * (int)wide[t - 1];
    if (x != y && t != 255) sum += 13 * (int)wide[254 - t];
    __syncthreads();
    if (t > 3) wide[t - 4] = sum;
    __syncthreads();
    if (i > 0) sum += a[i - 1];
    if (i < n - 1) sum += a[i + 1];
    out[i] = sum ^ (int)wide[t];
}
KERNEL beyond_guarded(const int* a, const int*, int* out, int n) {
    __shared__ int s[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t, sum = 0;
    s[t] = a[i];
    __syncthreads();
    if (t < 255) sum = s[t + 1 + (blockIdx.x == 5 && t == 254)];
    out[i] = sum;
}

// Blocks that follow each other in machine code, and one of which does not end there.
KERNEL alike(const int* a, const int*, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + a[blockIdx.x == 300 ? n - 1 - i : i];
}
KERNEL alike_but_one(const int* a, const int*, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i + (blockIdx.x == 300 ? 3 * n : 0)];
}

// Lanes part in a loop whose end all warps count towards, and both sides have turns: one may lead to another.
KERNEL counts_parted(const unsigned*, const unsigned*, unsigned* out, int) {
    __shared__ unsigned hits;
    int t = blockIdx.x * blockDim.x + threadIdx.x, total = gridDim.x * blockDim.x;
    unsigned random = t;
    atomicExch(&hits, 0);
    __syncthreads();
    while (hits < 2000) {
        random ^= random << 13;
        random ^= random >> 17;
        random ^= random << 5;
        int difference = t - random, one = random % 7;
        if (difference < 0) difference = -difference;
        int two = difference % 7;
        if (t % 2 == 0)
            out[t + total * one] = out[t + total * one] + out[t + total * two];
        else
            out[t + total * two] = out[t + total * one] - out[t + total * two];
        atomicAdd(&hits, 1);
    }
}

// Products of matrices: their registers go on from one to the next, and are read and changed between.
KERNEL multiplies_matrices(const unsigned* a, const unsigned* b, float* out, int n) {
    __shared__ unsigned tile[8][32 * 4];
    unsigned t = threadIdx.x, lane = t % 32, warp = t / 32, i = blockIdx.x * blockDim.x + t;
    float c[4] = {};
    for (int round = 0; round < 12; ++round) {
        for (int k = 0; k < 4; ++k)
            tile[warp][lane * 4 + k] = (round % 3 == 2 ? a[(i + k * round) % n] : b[(i * 3 + k) % n]) & 0x3FFF3FFF;
        __syncwarp();
        unsigned r0, r1, r2, r3;
        unsigned row = static_cast<unsigned>(__cvta_generic_to_shared(&tile[warp][lane * 4]));
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3)
                     : "r"(row));
        __syncwarp();
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
            "{%0, %1, %2, %3};"
            : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
            : "r"(r0), "r"(r1), "r"(r2), "r"(r3), "r"(r0 ^ round), "r"(r2));
        if (round % 4 == 3) c[round / 4] *= 0.25f;
    }
    out[i] = c[0] + c[1] * 0.5f - c[2] * 0.125f + c[3];
}

// Which NaN it is shows in some rounds only: what is not looked at goes on as the processor has it.
KERNEL nan_bits(const float* a, const float* b, unsigned* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[i], y = b[i], sum = y, least = x;
    unsigned seen = 0;
    for (int k = 0; k < 8; ++k) {
        float product = x * y + sum;
        sum = sqrtf(fabsf(product)) - x / y;
        least = k % 3 ? fminf(least, sum) : -least;
        if (k == (i & 7)) seen ^= __float_as_uint(product) * 31;
        if (k == (i >> 3 & 7)) seen ^= __float_as_uint(rsqrtf(sum) + floorf(least)) * 17;
        if (sum > 1e30f) x = y, y = __uint_as_float(__float_as_uint(sum) ^ 0x80000000u);
        x = i & 8 ? x : product;
        if ((i ^ k) % 5 == 0) sum = a[(i + k) % n];
    }
    double wide = sum;
    out[i] = seen ^ __float_as_uint(sum) ^ __float_as_uint(copysignf(least, x)) * 3 ^ __float2int_rn(x * sum) ^
             (unsigned)__double_as_longlong(wide * 2) * 5 ^ __float_as_uint(i & 1 ? -sum : fmaxf(sum, least)) * 7;
}
