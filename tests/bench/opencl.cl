// The six kernels of kernels/bench.cu and those of patterns.cu in OpenCL C.
#define TILE 16
#define SUM_BLOCK 256
#define BODY_TILE 128
#define MOST_STEPS 256
#define SORT_BLOCK 256
#define BINS 256

__kernel void vector_add(__global const float* a, __global const float* b, __global float* c, int n) {
    int i = get_global_id(0);
    if (i < n) c[i] = a[i] + b[i];
}

__kernel void matmul_naive(__global const float* a, __global const float* b, __global float* c, int n) {
    int column = get_global_id(0);
    int row = get_global_id(1);
    if (row >= n || column >= n) return;
    float sum = 0;
    for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

__kernel void matmul_tiled(__global const float* a, __global const float* b, __global float* c, int n) {
    __local float a_tile[TILE][TILE];
    __local float b_tile[TILE][TILE];
    int x = get_local_id(0), y = get_local_id(1);
    int column = get_group_id(0) * TILE + x;
    int row = get_group_id(1) * TILE + y;
    float sum = 0;
    for (int step = 0; step < n / TILE; ++step) {
        a_tile[y][x] = a[row * n + step * TILE + x];
        b_tile[y][x] = b[(step * TILE + y) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; ++k) sum += a_tile[y][k] * b_tile[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = sum;
}

__kernel void transpose_naive(__global float* out, __global const float* in, int width, int height) {
    int x = get_global_id(0);
    int y = get_global_id(1);
    if (x < width && y < height) out[x * height + y] = in[y * width + x];
}

__kernel void transpose_diagonal(__global float* out, __global const float* in, int width, int height) {
    int block_y = get_group_id(0);
    int block_x = (get_group_id(0) + get_group_id(1)) % get_num_groups(0);
    int x = block_x * get_local_size(0) + get_local_id(0);
    int y = block_y * get_local_size(1) + get_local_id(1);
    if (x < width && y < height) out[x * height + y] = in[y * width + x];
}

__kernel void block_sum(__global const float* in, __global float* out, int n) {
    __local float partial[SUM_BLOCK];
    int t = get_local_id(0);
    int i = get_global_id(0);
    partial[t] = i < n ? in[i] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_size = get_local_size(0) / 2; half_size > 0; half_size /= 2) {
        if (t < half_size) partial[t] += partial[t + half_size];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (t == 0) out[get_group_id(0)] = partial[0];
}

__kernel void n_body(__global const float* x, __global const float* y, __global const float* mass,
                     __global float* force, int n) {
    __local float tile_x[BODY_TILE], tile_y[BODY_TILE], tile_mass[BODY_TILE];
    int i = get_global_id(0), t = get_local_id(0);
    float own_x = x[i], own_y = y[i], sum = 0;
    for (int first = 0; first < n; first += BODY_TILE) {
        tile_x[t] = x[first + t];
        tile_y[t] = y[first + t];
        tile_mass[t] = mass[first + t];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < BODY_TILE; ++j) {
            float dx = tile_x[j] - own_x, dy = tile_y[j] - own_y;
            float inverse = rsqrt(dx * dx + dy * dy + 0.01f);
            sum += tile_mass[j] * inverse * inverse * inverse * dx;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    force[i] = sum;
}

__kernel void mandelbrot(__global int* steps, int size) {
    int column = get_global_id(0), row = get_global_id(1);
    if (column >= size || row >= size) return;
    float cx = -2.0f + 3.0f * column / size, cy = -1.5f + 3.0f * row / size, x = 0, y = 0;
    int step = 0;
    while (step < MOST_STEPS && x * x + y * y < 4.0f) {
        float next = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = next;
        ++step;
    }
    steps[row * size + column] = step;
}

__kernel void histogram_shared(__global const unsigned* in, __global unsigned* bins, int n) {
    __local unsigned own[BINS];
    int t = get_local_id(0);
    own[t] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) atomic_inc(&own[in[i] >> 24]);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&bins[t], own[t]);
}

__kernel void histogram_global(__global const unsigned* in, __global unsigned* bins, int n) {
    int i = get_global_id(0);
    if (i < n) atomic_inc(&bins[in[i] >> 24]);
}

__kernel void stencil_5(__global const float* in, __global float* out, int n) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x > 0 && y > 0 && x < n - 1 && y < n - 1)
        out[y * n + x] =
            0.25f * (in[y * n + x - 1] + in[y * n + x + 1] + in[(y - 1) * n + x] + in[(y + 1) * n + x]) - in[y * n + x];
}

__kernel void stencil_3d(__global const float* in, __global float* out, int n) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
    int plane = n * n, i = plane + y * n + x;
    for (int z = 1; z < n - 1; ++z, i += plane)
        out[i] = in[i - 1] + in[i + 1] + in[i - n] + in[i + n] + in[i - plane] + in[i + plane] - 6.0f * in[i];
}

__kernel void bitonic_sort(__global const unsigned* in, __global unsigned* out) {
    __local unsigned s[SORT_BLOCK];
    unsigned t = get_local_id(0), first = get_group_id(0) * SORT_BLOCK;
    s[t] = in[first + t];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (unsigned size = 2; size <= SORT_BLOCK; size *= 2)
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
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    out[first + t] = s[t];
}

__kernel void csr_product(__global const int* begins, __global const int* columns, __global const float* values,
                          __global const float* x, __global float* y, int rows) {
    int row = get_global_id(0);
    if (row >= rows) return;
    float sum = 0;
    for (int k = begins[row]; k < begins[row + 1]; ++k) sum += values[k] * x[columns[k]];
    y[row] = sum;
}

__kernel void integer_hash(__global const unsigned* in, __global unsigned* out, int n) {
    int i = get_global_id(0);
    if (i >= n) return;
    unsigned h = in[i];
    for (int round = 0; round < 16; ++round) {
        h ^= h >> 16;
        h *= 0x7FEB352Du;
        h ^= h >> 15;
        h *= 0x846CA68Bu;
        h ^= h >> 16;
    }
    out[i] = h;
}

float normal(float d) { return 0.5f * erfc(-d * 0.70710678f); }

__kernel void black_scholes(__global const float* price, __global const float* strike, __global const float* years,
                            __global float* call, int n) {
    int i = get_global_id(0);
    if (i >= n) return;
    const float rate = 0.02f, volatility = 0.30f;
    float s = price[i], k = strike[i], t = years[i], root = sqrt(t);
    float d1 = (log(s / k) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root);
    float d2 = d1 - volatility * root;
    call[i] = s * normal(d1) - k * exp(-rate * t) * normal(d2);
}

__kernel void gather(__global const float* from, __global const int* index, __global float* out, int n) {
    int i = get_global_id(0);
    if (i < n) out[i] = from[index[i]];
}

// OpenCL 1.2 has no shuffles: 32 neighbours add in local memory.
__kernel void shuffle_sum(__global const float* in, __global float* out, int n) {
    __local float sums[256];
    int i = get_global_id(0), t = get_local_id(0);
    sums[t] = i < n ? in[i] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int distance = 16; distance > 0; distance /= 2) {
        if (t % 32 < distance) sums[t] += sums[t + distance];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (t % 32 == 0) out[i / 32] = sums[t];
}
