// Atomics of small numbers, matrix fragments and their sums, what the special registers say and the memory that device
// code allocates.
#include "cases.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#include <string>

using namespace nvcuda;

// Subnormal numbers: what is there, what is added.
const std::vector<unsigned> small_bits = {0x00000001, 0x007fffff, 0x00800000, 0x80000001, 0x807fffff, 0x80800000,
                                          0x00000000, 0x80000000, 0x00400000, 0x3f800000, 0x7f800000, 0x7fa00001};
template <class T, class Bits>
__global__ void add_each(T* to, T* old, const Bits* left, const Bits* right, int n) {
    const int t = threadIdx.x;
    if (t >= n * n) return;
    reinterpret_cast<Bits*>(to)[t] = left[t / n];
    old[t] = atomicAdd(to + t, reinterpret_cast<const T*>(right)[t % n]);
}
template <class T, class Bits>
__global__ void reduce_each(T* to, const Bits* left, const Bits* right, int n) {
    const int t = threadIdx.x;
    if (t >= n * n) return;
    reinterpret_cast<Bits*>(to)[t] = left[t / n];
    __threadfence_system();
    atomicAdd(to + t, reinterpret_cast<const T*>(right)[t % n]);
}
template <class T, class Bits>
__global__ void add_each_shared(T* to, T* old, const Bits* left, const Bits* right, int n) {
    __shared__ T s[256];
    const int t = threadIdx.x;
    if (t >= n * n) return;
    reinterpret_cast<Bits*>(s)[t] = left[t / n];
    old[t] = atomicAdd(s + t, reinterpret_cast<const T*>(right)[t % n]);
    to[t] = s[t];
}
CASE(add_float_global) {
    Shared<unsigned> numbers(small_bits);
    Shared<float> to(144), old(144);
    add_each<<<1, 256>>>(to.device, old.device, numbers.device, numbers.device, 12);
    cudaDeviceSynchronize();
    cudaMemcpy(to.host.data(), to.device, 144 * 4, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 12; ++i) show(("sum" + std::to_string(i)).c_str(), to.host.data() + 12 * i, 12);
    old.tell("old");
}
CASE(add_float_global_reduce) {
    Shared<unsigned> numbers(small_bits);
    Shared<float> to(144);
    reduce_each<<<1, 256>>>(to.device, numbers.device, numbers.device, 12);
    to.tell("sum");
}
CASE(add_float_shared) {
    Shared<unsigned> numbers(small_bits);
    Shared<float> to(144), old(144);
    add_each_shared<<<1, 256>>>(to.device, old.device, numbers.device, numbers.device, 12);
    cudaDeviceSynchronize();
    cudaMemcpy(to.host.data(), to.device, 144 * 4, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 12; ++i) show(("sum" + std::to_string(i)).c_str(), to.host.data() + 12 * i, 12);
    old.tell("old");
}
void add_in_host_memory(bool managed) {
    Shared<unsigned> numbers(small_bits);
    Shared<float> old(144);
    float* to = nullptr;
    if (!succeeded(managed ? cudaMallocManaged(&to, 144 * 4) : cudaMallocHost(&to, 144 * 4))) return;
    add_each<<<1, 256>>>(to, old.device, numbers.device, numbers.device, 12);
    if (!succeeded(cudaDeviceSynchronize())) return;
    for (int i = 0; i < 12; ++i) show(("sum" + std::to_string(i)).c_str(), to + 12 * i, 12);
    reduce_each<<<1, 256>>>(to, numbers.device, numbers.device, 12);
    if (!succeeded(cudaDeviceSynchronize())) return;
    show("reduce", to, 144);
}
CASE(add_float_host) { add_in_host_memory(false); }
CASE(add_float_managed) { add_in_host_memory(true); }
const std::vector<unsigned long long> small_double_bits = {1, 0x000fffffffffffff, 0x0010000000000000, 0x8000000000000001,
                                                           0x800fffffffffffff, 0x8010000000000000, 0, 0x8000000000000000};
CASE(add_double_global) {
    Shared<unsigned long long> numbers(small_double_bits);
    Shared<double> to(64), old(64);
    add_each<<<1, 256>>>(to.device, old.device, numbers.device, numbers.device, 8);
    to.tell("sum");
    old.tell("old");
}
CASE(add_double_shared) {
    Shared<unsigned long long> numbers(small_double_bits);
    Shared<double> to(64), old(64);
    add_each_shared<<<1, 256>>>(to.device, old.device, numbers.device, numbers.device, 8);
    to.tell("sum");
    old.tell("old");
}
const std::vector<unsigned short> small_half_bits = {0x0001, 0x03ff, 0x0400, 0x8001, 0x83ff, 0x8400, 0, 0x8000};
CASE(add_half_global) {
    Shared<unsigned short> numbers(small_half_bits);
    Shared<__half> to(64), old(64);
    add_each<<<1, 256>>>(to.device, old.device, numbers.device, numbers.device, 8);
    to.tell("sum");
    old.tell("old");
}
CASE(add_half_shared) {
    Shared<unsigned short> numbers(small_half_bits);
    Shared<__half> to(64), old(64);
    add_each_shared<<<1, 256>>>(to.device, old.device, numbers.device, numbers.device, 8);
    to.tell("sum");
}
const std::vector<unsigned short> small_bfloat_bits = {0x0001, 0x007f, 0x0080, 0x8001, 0x807f, 0x8080, 0, 0x8000};
CASE(add_bfloat_global) {
    Shared<unsigned short> numbers(small_bfloat_bits);
    Shared<__nv_bfloat16> to(64), old(64);
    add_each<<<1, 256>>>(to.device, old.device, numbers.device, numbers.device, 8);
    to.tell("sum");
    old.tell("old");
}
CASE(add_bfloat_shared) {
    Shared<unsigned short> numbers(small_bfloat_bits);
    Shared<__nv_bfloat16> to(64), old(64);
    add_each_shared<<<1, 256>>>(to.device, old.device, numbers.device, numbers.device, 8);
    to.tell("sum");
}
__global__ void add_vectors(float* to, const unsigned* numbers) {
    const int t = threadIdx.x;
    for (int k = 0; k < 4; ++k) reinterpret_cast<unsigned*>(to)[4 * t + k] = numbers[t % 12];
    __syncthreads();
    const float* n = reinterpret_cast<const float*>(numbers);
    if (t < 12)
        atomicAdd(reinterpret_cast<float4*>(to) + t, make_float4(n[0], n[1], n[3], n[4]));
    else
        atomicAdd(reinterpret_cast<float2*>(to) + 2 * t, make_float2(n[1], n[5]));
}
CASE(add_float_vectors) {
    Shared<unsigned> numbers(small_bits);
    Shared<float> to(128);
    add_vectors<<<1, 24>>>(to.device, numbers.device);
    to.tell("sum");
}

// Which elements a thread's fragment holds.
template <class Fragment, class Element>
__global__ void load_fragment(float* out, const Element* from, int ld) {
    Fragment fragment;
    wmma::load_matrix_sync(fragment, from, ld);
    for (int i = 0; i < fragment.num_elements; ++i)
        out[threadIdx.x * fragment.num_elements + i] = static_cast<float>(fragment.x[i]);
}
template <class Fragment, class Element>
__global__ void load_accumulator(float* out, const Element* from, int ld) {
    Fragment fragment;
    wmma::load_matrix_sync(fragment, from, ld, wmma::mem_row_major);
    for (int i = 0; i < fragment.num_elements; ++i)
        out[threadIdx.x * fragment.num_elements + i] = static_cast<float>(fragment.x[i]);
}
template <class Element>
std::vector<Element> counted(int count, int most) {
    std::vector<Element> values(count);
    for (int i = 0; i < count; ++i) values[i] = Element(static_cast<float>(i % most));
    return values;
}
template <class Element>
void tell_layout(void (*kernel)(float*, const Element*, int), int elements, int ld, int most = 1 << 20) {
    Shared<Element> from(counted<Element>(1024, most));
    Shared<float> out(32 * 32);
    kernel<<<1, 32>>>(out.device, from.device, ld);
    if (!succeeded(cudaDeviceSynchronize())) return;
    cudaMemcpy(out.host.data(), out.device, 32 * 32 * 4, cudaMemcpyDeviceToHost);
    for (int lane : {0, 3, 5, 18, 31}) {
        printf("%s lane%d:", current_case, lane);
        for (int i = 0; i < elements; ++i) printf(" %g", out.host[lane * elements + i]);
        printf("\n");
    }
    show("all", out.host.data(), 32 * elements);
}
using wmma::accumulator;
using wmma::col_major;
using wmma::fragment;
using wmma::matrix_a;
using wmma::matrix_b;
using wmma::row_major;
namespace precision = wmma::precision;
using Tf32 = precision::tf32;
using Bf16 = __nv_bfloat16;
CASE(layout_float) { tell_layout(&load_accumulator<fragment<accumulator, 16, 16, 16, float>, float>, 8, 16); }
CASE(layout_float_32x8) { tell_layout(&load_accumulator<fragment<accumulator, 32, 8, 16, float>, float>, 8, 8); }
CASE(layout_float_8x32) { tell_layout(&load_accumulator<fragment<accumulator, 8, 32, 16, float>, float>, 8, 32); }
CASE(layout_half) { tell_layout(&load_accumulator<fragment<accumulator, 16, 16, 16, __half>, __half>, 8, 16); }
CASE(layout_half_32x8) { tell_layout(&load_accumulator<fragment<accumulator, 32, 8, 16, __half>, __half>, 8, 8); }
CASE(layout_half_8x32) { tell_layout(&load_accumulator<fragment<accumulator, 8, 32, 16, __half>, __half>, 8, 32); }
CASE(layout_int) { tell_layout(&load_accumulator<fragment<accumulator, 16, 16, 16, int>, int>, 8, 16); }
CASE(layout_int_32x8) { tell_layout(&load_accumulator<fragment<accumulator, 32, 8, 16, int>, int>, 8, 8); }
CASE(layout_int_8x32) { tell_layout(&load_accumulator<fragment<accumulator, 8, 32, 16, int>, int>, 8, 32); }
CASE(layout_float_tf32) { tell_layout(&load_accumulator<fragment<accumulator, 16, 16, 8, float>, float>, 8, 16); }
CASE(layout_double) { tell_layout(&load_accumulator<fragment<accumulator, 8, 8, 4, double>, double>, 2, 8); }
CASE(layout_a_half_row) { tell_layout(&load_fragment<fragment<matrix_a, 16, 16, 16, __half, row_major>, __half>, 16, 16); }
CASE(layout_a_half_col) { tell_layout(&load_fragment<fragment<matrix_a, 16, 16, 16, __half, col_major>, __half>, 16, 16); }
CASE(layout_b_half_row) { tell_layout(&load_fragment<fragment<matrix_b, 16, 16, 16, __half, row_major>, __half>, 16, 16); }
CASE(layout_b_half_col) { tell_layout(&load_fragment<fragment<matrix_b, 16, 16, 16, __half, col_major>, __half>, 16, 16); }
CASE(layout_a_half_32x8) { tell_layout(&load_fragment<fragment<matrix_a, 32, 8, 16, __half, row_major>, __half>, 16, 16); }
CASE(layout_b_half_32x8) { tell_layout(&load_fragment<fragment<matrix_b, 32, 8, 16, __half, row_major>, __half>, 16, 8); }
CASE(layout_a_half_8x32) { tell_layout(&load_fragment<fragment<matrix_a, 8, 32, 16, __half, row_major>, __half>, 16, 16); }
CASE(layout_b_half_8x32) { tell_layout(&load_fragment<fragment<matrix_b, 8, 32, 16, __half, row_major>, __half>, 16, 32); }
CASE(layout_a_bfloat) { tell_layout(&load_fragment<fragment<matrix_a, 16, 16, 16, Bf16, row_major>, Bf16>, 8, 16, 256); }
CASE(layout_b_bfloat) { tell_layout(&load_fragment<fragment<matrix_b, 16, 16, 16, Bf16, row_major>, Bf16>, 8, 16, 256); }
CASE(layout_a_bfloat_32x8) { tell_layout(&load_fragment<fragment<matrix_a, 32, 8, 16, Bf16, row_major>, Bf16>, 16, 16, 251); }
CASE(layout_b_bfloat_32x8) { tell_layout(&load_fragment<fragment<matrix_b, 32, 8, 16, Bf16, row_major>, Bf16>, 4, 8, 251); }
CASE(layout_b_bfloat_8x32) { tell_layout(&load_fragment<fragment<matrix_b, 8, 32, 16, Bf16, row_major>, Bf16>, 16, 32, 251); }
CASE(layout_a_bfloat_8x32) { tell_layout(&load_fragment<fragment<matrix_a, 8, 32, 16, Bf16, row_major>, Bf16>, 4, 16, 251); }
CASE(layout_a_char) { tell_layout(&load_fragment<fragment<matrix_a, 16, 16, 16, signed char, row_major>, signed char>, 8, 16, 127); }
CASE(layout_a_char_col) { tell_layout(&load_fragment<fragment<matrix_a, 16, 16, 16, signed char, col_major>, signed char>, 8, 16, 127); }
CASE(layout_b_byte) { tell_layout(&load_fragment<fragment<matrix_b, 16, 16, 16, unsigned char, row_major>, unsigned char>, 8, 16, 251); }
CASE(layout_a_byte_32x8) { tell_layout(&load_fragment<fragment<matrix_a, 32, 8, 16, unsigned char, row_major>, unsigned char>, 16, 16, 251); }
CASE(layout_b_byte_32x8) { tell_layout(&load_fragment<fragment<matrix_b, 32, 8, 16, unsigned char, row_major>, unsigned char>, 4, 8, 251); }
CASE(layout_a_byte_8x32) { tell_layout(&load_fragment<fragment<matrix_a, 8, 32, 16, unsigned char, row_major>, unsigned char>, 4, 16, 251); }
CASE(layout_b_byte_8x32) { tell_layout(&load_fragment<fragment<matrix_b, 8, 32, 16, unsigned char, row_major>, unsigned char>, 16, 32, 251); }
CASE(layout_a_tf32) { tell_layout(&load_fragment<fragment<matrix_a, 16, 16, 8, Tf32, row_major>, float>, 4, 8); }
CASE(layout_a_tf32_col) { tell_layout(&load_fragment<fragment<matrix_a, 16, 16, 8, Tf32, col_major>, float>, 4, 16); }
CASE(layout_b_tf32) { tell_layout(&load_fragment<fragment<matrix_b, 16, 16, 8, Tf32, row_major>, float>, 4, 16); }
CASE(layout_b_tf32_col) { tell_layout(&load_fragment<fragment<matrix_b, 16, 16, 8, Tf32, col_major>, float>, 4, 8); }
CASE(layout_a_double) { tell_layout(&load_fragment<fragment<matrix_a, 8, 8, 4, double, row_major>, double>, 1, 4); }
CASE(layout_b_double) { tell_layout(&load_fragment<fragment<matrix_b, 8, 8, 4, double, col_major>, double>, 1, 4); }

// Products of random numbers.
template <int M, int N, int K, class A, class B, class C, class Element, class Sum>
__global__ void multiply(Sum* d, const Element* a, const Element* b, const Sum* c) {
    fragment<matrix_a, M, N, K, A, row_major> left;
    fragment<matrix_b, M, N, K, B, col_major> right;
    fragment<accumulator, M, N, K, C> sum;
    wmma::load_matrix_sync(left, a, K);
    wmma::load_matrix_sync(right, b, K);
    wmma::load_matrix_sync(sum, c, N, wmma::mem_row_major);
    wmma::mma_sync(sum, left, right, sum);
    wmma::store_matrix_sync(d, sum, N, wmma::mem_row_major);
}
template <class Element, class Sum>
void tell_product(void (*kernel)(Sum*, const Element*, const Element*, const Sum*), int m, int n, int k, float low,
                  float high, float sum_low, float sum_high) {
    for (int seed = 1; seed < 5; ++seed) {
        std::vector<Element> a, b;
        std::vector<Sum> c;
        for (float x : random_floats(m * k, low, high, seed)) a.push_back(Element(x));
        for (float x : random_floats(n * k, low, high, seed + 10)) b.push_back(Element(x));
        for (float x : random_floats(m * n, sum_low, sum_high, seed + 20)) c.push_back(Sum(x));
        if (seed == 4)
            for (int i = 0; i < m * k; ++i) a[i] = Element(i % 3 == 0 ? -0.0f : 0.0f), c[i % (m * n)] = Sum(-0.0f);
        Shared<Element> left(a), right(b);
        Shared<Sum> sum(c), d(m * n);
        kernel<<<1, 32>>>(d.device, left.device, right.device, sum.device);
        if (!succeeded(cudaDeviceSynchronize())) return;
        cudaMemcpy(d.host.data(), d.device, m * n * sizeof(Sum), cudaMemcpyDeviceToHost);
        show(("first" + std::to_string(seed)).c_str(), d.host.data(), 16);
        show(("all" + std::to_string(seed)).c_str(), d.host.data(), m * n);
    }
}
CASE(product_half_float) { tell_product(&multiply<16, 16, 16, __half, __half, float, __half, float>, 16, 16, 16, -2, 2, -1, 1); }
CASE(product_half_half) { tell_product(&multiply<16, 16, 16, __half, __half, __half, __half, __half>, 16, 16, 16, -2, 2, -1, 1); }
CASE(product_half_half_32x8) { tell_product(&multiply<32, 8, 16, __half, __half, __half, __half, __half>, 32, 8, 16, -2, 2, -1, 1); }
CASE(product_half_float_8x32) { tell_product(&multiply<8, 32, 16, __half, __half, float, __half, float>, 8, 32, 16, -2, 2, -9, 9); }
CASE(product_half_tiny) { tell_product(&multiply<16, 16, 16, __half, __half, __half, __half, __half>, 16, 16, 16, -0.002f, 0.002f, -0.0001f, 0.0001f); }
CASE(product_bfloat) { tell_product(&multiply<16, 16, 16, Bf16, Bf16, float, Bf16, float>, 16, 16, 16, -2, 2, -1, 1); }
CASE(product_tf32) { tell_product(&multiply<16, 16, 8, Tf32, Tf32, float, float, float>, 16, 16, 8, -2, 2, -1, 1); }
CASE(product_tf32_large) { tell_product(&multiply<16, 16, 8, Tf32, Tf32, float, float, float>, 16, 16, 8, -1000, 1000, -1e6f, 1e6f); }
CASE(product_char) { tell_product(&multiply<16, 16, 16, signed char, signed char, int, signed char, int>, 16, 16, 16, -128, 127, -9999, 9999); }
CASE(product_double) { tell_product(&multiply<8, 8, 4, double, double, double, double, double>, 8, 8, 4, -2, 2, -1, 1); }
/// Two products in a row, as a tile loop makes them, then an element-wise step on fragment.x.
__global__ void tile_loop(float* d, const __half* a, const __half* b) {
    fragment<matrix_a, 16, 16, 16, __half, row_major> left;
    fragment<matrix_b, 16, 16, 16, __half, col_major> right;
    fragment<accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    for (int k = 0; k < 64; k += 16) {
        wmma::load_matrix_sync(left, a + k, 64);
        wmma::load_matrix_sync(right, b + k, 64);
        wmma::mma_sync(sum, left, right, sum);
    }
    for (int i = 0; i < sum.num_elements; ++i) sum.x[i] = fmaxf(sum.x[i] * 0.5f, 0.0f) + 1000 * i + threadIdx.x;
    wmma::store_matrix_sync(d, sum, 16, wmma::mem_col_major);
}
CASE(product_tiles) {
    std::vector<__half> a, b;
    for (float x : random_floats(1024, -1, 1, 7)) a.push_back(__half(x));
    for (float x : random_floats(1024, -1, 1, 8)) b.push_back(__half(x));
    Shared<__half> left(a), right(b);
    Shared<float> d(256);
    tile_loop<<<1, 32>>>(d.device, left.device, right.device);
    if (!succeeded(cudaDeviceSynchronize())) return;
    cudaMemcpy(d.host.data(), d.device, 1024, cudaMemcpyDeviceToHost);
    for (int row = 0; row < 16; ++row) show(("row" + std::to_string(row)).c_str(), d.host.data() + 16 * row, 16);
}

// Special registers and addresses.
#define READ(name)                            \
    __device__ unsigned long long read_##name() {               \
        unsigned value;                                             \
        asm volatile("mov.u32 %0, %%" #name ";" : "=r"(value)); \
        return value;                                           \
    }
READ(nwarpid)
READ(nsmid)
READ(smid)
READ(warpid)
READ(dynamic_smem_size)
READ(total_smem_size)
READ(aggr_smem_size)
READ(laneid)
READ(lanemask_lt)
READ(lanemask_ge)
extern __shared__ int dynamic[];
__global__ void registers(unsigned long long* out) {
    __shared__ int first[3];
    __shared__ double second[2];
    if (threadIdx.x != 37) return;
    first[threadIdx.x % 3] = 1, second[0] = 2, dynamic[0] = 3;
    unsigned long long timer;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(timer));
    out[0] = read_nwarpid(), out[1] = read_nsmid(), out[2] = read_smid() < read_nsmid(), out[3] = read_warpid() < 64;
    out[4] = read_dynamic_smem_size(), out[5] = read_total_smem_size(), out[6] = read_aggr_smem_size();
    out[7] = read_laneid(), out[8] = read_lanemask_lt(), out[9] = read_lanemask_ge();
    const unsigned long long lowest = min(min(__cvta_generic_to_shared(first), __cvta_generic_to_shared(second)),
                                          __cvta_generic_to_shared(dynamic));
    out[10] = lowest, out[11] = __cvta_generic_to_shared(dynamic);
    out[12] = timer > 1600000000000000000ull, out[13] = timer < 4000000000000000000ull;
    out[14] = __isShared(first), out[15] = __isGlobal(out), out[16] = __isLocal(&timer);
}
CASE(special_registers) {
    for (int bytes : {16, 64, 4096}) {
        Shared<unsigned long long> out(17);
        registers<<<2, 96, bytes>>>(out.device);
        out.tell(("dynamic" + std::to_string(bytes)).c_str());
    }
}
__global__ void only_dynamic(unsigned long long* out) { out[0] = __cvta_generic_to_shared(dynamic + threadIdx.x); }
CASE(shared_base) {
    Shared<unsigned long long> out(1);
    only_dynamic<<<1, 1, 64>>>(out.device);
    out.tell("dynamic");
}
__global__ void shared_null(int* out) {
    __shared__ int s[4];
    s[threadIdx.x] = threadIdx.x;
    int* p = &s[0];
    out[threadIdx.x] = p != nullptr && reinterpret_cast<unsigned long long>(p) % 16 == 0;
}
CASE(shared_address) {
    Shared<int> out(4);
    shared_null<<<1, 4>>>(out.device);
    out.tell("is a multiple of 16");
}

// The memory that device code allocates.
__global__ void allocate_nothing(int* out) {
    void *one = malloc(0), *two = malloc(0), *three = malloc(1);
    out[0] = one != nullptr, out[1] = one != two, out[2] = two != three;
    out[3] = reinterpret_cast<unsigned long long>(three) % 16 == 0;
    free(one), free(two), free(three), free(nullptr);
    out[4] = malloc(static_cast<size_t>(-1)) == nullptr;
    out[5] = malloc(1ull << 40) == nullptr;
    int* array = new int[10];
    out[6] = array != nullptr;
    delete[] array;
}
CASE(allocate_nothing) {
    Shared<int> out(7);
    allocate_nothing<<<1, 1>>>(out.device);
    out.tell("answers");
}
