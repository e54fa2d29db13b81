// The six kernels of kernels/bench.cu in OpenCL C.
#define TILE 16
#define SUM_BLOCK 256

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
