#include "cases.h"

// CASE counter_not_cleared
__global__ void count_k(int* c) { atomicAdd(c, 1); }  // FIND uninitialized-read
void counter_not_cleared() { count_k<<<1, 32>>>(raw<int>(1)); }

// CASE sum_into_unwritten
__global__ void add_k(const int* a, int* out) {
    int t = threadIdx.x;
    out[t] += a[t];  // FIND uninitialized-read
}
void sum_into_unwritten() { add_k<<<1, 32>>>(counted(32), raw<int>(32)); }

// CASE too_few_blocks
__global__ void fill_k(int* d, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) d[i] = i;
}
void too_few_blocks() {
    const int n = 200;
    int* d = raw<int>(n);
    std::vector<int> h(n);
    fill_k<<<n / 64, 64>>>(d, n);
    cudaMemcpy(h.data(), d, n * sizeof(int), cudaMemcpyDeviceToHost);  // FIND uninitialized-copy
}

// CASE shared_bins_not_cleared
__global__ void bins_k(const int* in, int* out) {
    __shared__ int bins[64];
    atomicAdd(&bins[in[threadIdx.x]], 1);  // FIND uninitialized-read
    __syncthreads();
    out[threadIdx.x] = bins[threadIdx.x];
}
void shared_bins_not_cleared() { bins_k<<<1, 64>>>(counted(64), zeroed<int>(64)); }

// CASE tail_not_loaded
__global__ void tail_k(const int* in, int* out, int n) {
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t < n) s[t] = in[t];
    __syncthreads();
    for (int h = 32; h > 0; h /= 2) {
        if (t < h) s[t] += s[t + h];  // FIND uninitialized-read
        __syncthreads();
    }
    if (t == 0) *out = s[0];
}
void tail_not_loaded() { tail_k<<<1, 64>>>(counted(50), zeroed<int>(1), 50); }

// CASE local_array_not_set
__global__ void local_k(const int* in, int* out, int n) {
    int a[8];
    for (int i = 0; i < n; ++i) a[i] = in[i];
    int sum = 0;
    for (int i = 0; i < 8; ++i) sum += a[(i + in[0]) % 8];  // FIND uninitialized-read
    out[threadIdx.x] = sum;
}
void local_array_not_set() { local_k<<<1, 32>>>(counted(8), zeroed<int>(32), 5); }

// CASE bytes_and_elements
__global__ void use_k(const int* in, int* out) { out[threadIdx.x] = in[threadIdx.x]; }  // FIND uninitialized-read
void bytes_and_elements() {
    std::vector<int> h(64, 1);
    int* d = raw<int>(64);
    cudaMemcpy(d, h.data(), 64, cudaMemcpyHostToDevice);
    use_k<<<1, 64>>>(d, zeroed<int>(64));
}

// CASE input_never_copied
__global__ void scale_k(const float* in, float* out) {
    out[threadIdx.x] = 2 * in[threadIdx.x];  // FIND uninitialized-read
}
void input_never_copied() { scale_k<<<1, 64>>>(raw<float>(64), zeroed<float>(64)); }

// CASE memset_counts_bytes
__global__ void more_k(int* c) { atomicAdd(&c[threadIdx.x], 1); }  // FIND uninitialized-read
void memset_counts_bytes() {
    int* d = raw<int>(64);
    cudaMemset(d, 0, 64);
    more_k<<<1, 64>>>(d);
}

// CASE halo_not_loaded
__global__ void halo_k(const int* in, int* out) {
    __shared__ int s[66];
    int t = threadIdx.x + 1;
    s[t] = in[t];
    __syncthreads();
    out[t] = s[t - 1] + s[t] + s[t + 1];  // FIND uninitialized-read
}
void halo_not_loaded() { halo_k<<<1, 64>>>(counted(66), zeroed<int>(66)); }

// CASE only_even_elements
__global__ void even_k(int* d) {
    if (threadIdx.x % 2 == 0) d[threadIdx.x] = 1;
}
void only_even_elements() {
    int *d = raw<int>(64), h[64];
    even_k<<<1, 64>>>(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);  // FIND uninitialized-copy
}

// CASE field_never_set
struct Particle { float x, y, z, mass; };
__global__ void place_k(Particle* p) { p[threadIdx.x].x = p[threadIdx.x].y = p[threadIdx.x].z = 0; }
__global__ void mass_k(const Particle* p, float* out) { out[threadIdx.x] = p[threadIdx.x].mass; }  // FIND uninitialized-read
void field_never_set() {
    Particle* p = raw<Particle>(32);
    place_k<<<1, 32>>>(p);
    mass_k<<<1, 32>>>(p, zeroed<float>(32));
}

// CASE copied_unwritten
__global__ void first_k(const int* in, int* out) { out[threadIdx.x] = in[threadIdx.x]; }  // FIND uninitialized-read
void copied_unwritten() {
    int *a = raw<int>(32), *b = raw<int>(32);
    cudaMemcpy(b, a, 128, cudaMemcpyDeviceToDevice);
    first_k<<<1, 32>>>(b, zeroed<int>(32));
}

// CASE kernel_forgotten
void kernel_forgotten() {
    int *d = raw<int>(32), h[32];
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);  // FIND uninitialized-copy
}

// CASE vectors_never_loaded
__global__ void vectors_k(const float4* in, float* out) {
    float4 v = in[threadIdx.x];  // FIND uninitialized-read
    out[threadIdx.x] = v.x + v.w;
}
void vectors_never_loaded() { vectors_k<<<1, 32>>>(raw<float4>(32), zeroed<float>(32)); }

// CASE wrong_buffer_of_two
__global__ void step_k(const int* from, int* to) { to[threadIdx.x] = from[threadIdx.x] + 1; }  // FIND uninitialized-read
void wrong_buffer_of_two() {
    int *a = counted(64), *b = raw<int>(64), *c = raw<int>(64);
    step_k<<<1, 64>>>(a, b);
    step_k<<<1, 64>>>(c, a);
}

// CASE diagonal_only
__global__ void diagonal_k(float* m, int n) { m[threadIdx.x * n + threadIdx.x] = 1; }
__global__ void row_k(const float* m, float* out, int n) {
    float sum = 0;
    for (int k = 0; k < n; ++k) sum += m[threadIdx.x * n + k];  // FIND uninitialized-read
    out[threadIdx.x] = sum;
}
void diagonal_only() {
    float* m = raw<float>(256);
    diagonal_k<<<1, 16>>>(m, 16);
    row_k<<<1, 16>>>(m, zeroed<float>(16), 16);
}

// CASE pool_memory
__global__ void pool_k(int* d) { d[threadIdx.x] += 1; }  // FIND uninitialized-read
void pool_memory() {
    int* d;
    cudaMallocAsync((void**)&d, 128, 0);
    pool_k<<<1, 32>>>(d);
}

// CASE last_dynamic_element
__global__ void dynamic_k(const int* in, int* out, int n) {
    extern __shared__ int s[];
    int t = threadIdx.x;
    if (t < n) s[t] = in[t];
    __syncthreads();
    if (t < n) out[t] = s[t + 1] - s[t];  // FIND uninitialized-read
}
void last_dynamic_element() { dynamic_k<<<1, 32, 33 * 4>>>(counted(32), zeroed<int>(32), 32); }

// CASE freed_and_taken_again
__global__ void again_k(const int* in, int* out) { out[threadIdx.x] = in[threadIdx.x]; }  // FIND uninitialized-read
void freed_and_taken_again() {
    int* a = zeroed<int>(64);
    cudaFree(a);
    again_k<<<1, 64>>>(raw<int>(64), zeroed<int>(64));
}

int main() {
    counter_not_cleared();
    sum_into_unwritten();
    too_few_blocks();
    shared_bins_not_cleared();
    tail_not_loaded();
    local_array_not_set();
    bytes_and_elements();
    input_never_copied();
    memset_counts_bytes();
    halo_not_loaded();
    only_even_elements();
    field_never_set();
    copied_unwritten();
    kernel_forgotten();
    vectors_never_loaded();
    wrong_buffer_of_two();
    diagonal_only();
    pool_memory();
    last_dynamic_element();
    freed_and_taken_again();
    return cudaDeviceSynchronize();
}
