// Tensor maps: what cuTensorMapEncodeTiled is refused for, and what copies by them move.
// nvcc: -lcuda
#include <cuda.h>
#include <cstdint>
#include <vector>

#include <sys/wait.h>

#include "calls.h"

static const char* name_of(CUresult e) {
    const char* name = nullptr;
    cuGetErrorName(e, &name);
    return name ? name : "unknown";
}
#define D(...)                                                          \
    do {                                                                \
        CUresult answer = __VA_ARGS__;                                  \
        printf(#__VA_ARGS__ " -> %d %s\n", (int)answer, name_of(answer)); \
        fflush(stdout);                                                 \
    } while (0)

/// What a map is made of; the tests change one thing at a time.
struct Plan {
    CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_UINT32;
    cuuint32_t rank = 2;
    void* base = nullptr;
    cuuint64_t dims[6] = {32, 16, 1, 1, 1, 1};
    cuuint64_t strides[5] = {128, 2048, 2048, 2048, 2048};
    cuuint32_t box[6] = {8, 4, 1, 1, 1, 1};
    cuuint32_t steps[6] = {1, 1, 1, 1, 1, 1};
    CUtensorMapInterleave interleave = CU_TENSOR_MAP_INTERLEAVE_NONE;
    CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE;
    CUtensorMapFloatOOBfill fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
};
static CUresult make(CUtensorMap* map, const Plan& p) {
    return cuTensorMapEncodeTiled(map, p.type, p.rank, p.base, p.dims, p.strides, p.box, p.steps, p.interleave, p.swizzle,
                                  CU_TENSOR_MAP_L2_PROMOTION_NONE, p.fill);
}
template <class Change>
static CUresult with(const Plan& plan, Change change) {
    Plan p = plan;
    change(p);
    CUtensorMap map;
    return make(&map, p);
}

__device__ unsigned shared_address(const void* p) {
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}
__device__ void begin(uint64_t* barrier, unsigned bytes) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(barrier)) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes) : "memory");
}
__device__ void wait(uint64_t* barrier) {
    asm volatile(
        "{\n .reg .pred p;\n again:\n mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n @!p bra again;\n}\n" ::"r"(
            shared_address(barrier))
        : "memory");
}

extern __shared__ __align__(1024) unsigned char tile[];

__global__ void fetch(const __grid_constant__ CUtensorMap map, int rank, int4 at, int last, unsigned bytes, unsigned to,
                      unsigned char* out) {
    __shared__ uint64_t barrier;
    for (unsigned i = threadIdx.x; i < to + bytes; i += blockDim.x) tile[i] = 0xEE;
    __syncthreads();
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    if (threadIdx.x == 0) {
        begin(&barrier, bytes);
        const unsigned d = shared_address(tile + to), b = shared_address(&barrier);
        const void* m = &map;
#define TILE(DIM, COORDINATES, ...)                                                                                     \
    asm volatile("cp.async.bulk.tensor." DIM ".shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, " \
                 COORDINATES "], [%2];" ::"r"(d),                                                                       \
                 "l"(m), "r"(b), __VA_ARGS__                                                                            \
                 : "memory")
        if (rank == 1) TILE("1d", "{%3}", "r"(at.x));
        if (rank == 2) TILE("2d", "{%3, %4}", "r"(at.x), "r"(at.y));
        if (rank == 3) TILE("3d", "{%3, %4, %5}", "r"(at.x), "r"(at.y), "r"(at.z));
        if (rank == 4) TILE("4d", "{%3, %4, %5, %6}", "r"(at.x), "r"(at.y), "r"(at.z), "r"(at.w));
        if (rank == 5) TILE("5d", "{%3, %4, %5, %6, %7}", "r"(at.x), "r"(at.y), "r"(at.z), "r"(at.w), "r"(last));
    }
    __syncthreads();
    wait(&barrier);
    for (unsigned i = threadIdx.x; i < bytes; i += blockDim.x) out[i] = tile[to + i];
}

enum class Way { copy, add, least, both, ahead };
__global__ void put(const __grid_constant__ CUtensorMap map, int2 at, unsigned bytes, Way way) {
    for (unsigned i = threadIdx.x; i < bytes / 4; i += blockDim.x) reinterpret_cast<unsigned*>(tile)[i] = 1000 + i;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        const unsigned s = shared_address(tile);
        const void* m = &map;
        if (way == Way::copy)
            asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(m), "r"(at.x), "r"(at.y), "r"(s) : "memory");
        if (way == Way::add)
            asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(m), "r"(at.x), "r"(at.y), "r"(s) : "memory");
        if (way == Way::least)
            asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.min.bulk_group [%0, {%1, %2}], [%3];" ::"l"(m), "r"(at.x), "r"(at.y), "r"(s) : "memory");
        if (way == Way::both)
            asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.xor.bulk_group [%0, {%1, %2}], [%3];" ::"l"(m), "r"(at.x), "r"(at.y), "r"(s) : "memory");
        asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
        if (way == Way::ahead)
            asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %2}];" ::"l"(m), "r"(at.x), "r"(at.y) : "memory");
    }
}

/// Adds what lies in shared memory to what lies in global memory, without a map.
template <class T>
__global__ void add_plain(T* to, int count, T step) {
    T* from = reinterpret_cast<T*>(tile);
    for (int i = threadIdx.x; i < count; i += blockDim.x) from[i] = T(float(step) * float(i));
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        const unsigned s = shared_address(tile), n = count * sizeof(T);
        if constexpr (sizeof(T) == 8)
            asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f64 [%0], [%1], %2;" ::"l"(to), "r"(s), "r"(n) : "memory");
        else if constexpr (T(0.5f) != T(0))
            asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;" ::"l"(to), "r"(s), "r"(n) : "memory");
        else
            asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.max.s32 [%0], [%1], %2;" ::"l"(to), "r"(s), "r"(n) : "memory");
        asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;\ncp.async.bulk.wait_group 0;" ::: "memory");
    }
}

/// Both blocks of a cluster get the tile that the first one asks for.
__global__ void __cluster_dims__(2, 1, 1) spread(const __grid_constant__ CUtensorMap map, unsigned bytes, unsigned* out) {
    __shared__ uint64_t barrier;
    if (threadIdx.x == 0) begin(&barrier, bytes);
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
    if (threadIdx.x == 0 && blockIdx.x == 0)
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(shared_address(tile)),
                     "l"(&map), "r"(4), "r"(2), "r"(shared_address(&barrier)), "h"((short)3)
                     : "memory");
    wait(&barrier);
    if (threadIdx.x < bytes / 4) out[blockIdx.x * (bytes / 4) + threadIdx.x] = reinterpret_cast<unsigned*>(tile)[threadIdx.x];
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}

static unsigned char* out;

/// The words of a fetched box, `shown` of them from each 16 bytes.
static void show_box(const char* what, const Plan& p, int4 at, unsigned element, int last = 0, unsigned to = 0, int shown = 1, int asked = 0) {
    CUtensorMap map;
    const CUresult made = make(&map, p);
    unsigned bytes = element * p.box[0];
    for (unsigned d = 1; d < p.rank; ++d) bytes *= (p.box[d] + p.steps[d] - 1) / p.steps[d];
    cudaMemset(out, 0x55, 65536);
    fetch<<<1, 64, 16384>>>(map, asked ? asked : (int)p.rank, at, last, bytes, to, out);
    const cudaError_t ran = cudaDeviceSynchronize();
    printf("%s (%d): %s, %u bytes:", what, (int)made, cudaGetErrorName(ran), bytes);
    std::vector<unsigned> words(bytes / 4);
    cudaMemcpy(words.data(), out, bytes, cudaMemcpyDeviceToHost);
    for (unsigned i = 0; i < words.size(); i += 4)
        for (int k = 0; k < shown; ++k) printf(" %x", words[i + k]);
    printf("\n");
    fflush(stdout);
}

static void show_sum(const char* what, const unsigned* words, unsigned count) {
    unsigned hash = 2166136261u;
    for (unsigned i = 0; i < count; ++i) hash = (hash ^ words[i]) * 16777619u;
    printf("%s: %08x:", what, hash);
    for (unsigned i = 0; i < count && i < 40; ++i) printf(" %u", words[i]);
    printf("\n");
    fflush(stdout);
}

static unsigned* prepare() {
    cudaFree(nullptr);
    unsigned* memory;
    cudaMalloc(&memory, 1 << 20);
    cudaMalloc(&out, 65536);
    std::vector<unsigned> words(1 << 18);
    for (unsigned i = 0; i < words.size(); ++i) words[i] = i;
    cudaMemcpy(memory, words.data(), words.size() * 4, cudaMemcpyHostToDevice);
    return memory;
}
/// What may end the context, in a process of its own.
template <class Try>
static void apart(Try attempt) {
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        Plan p;
        p.base = prepare();
        attempt(p);
        fflush(stdout);
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0) printf("ended with %d\n", status);
}

int main() {
    apart([](Plan& p) { show_box("at column 3", p, {3, 2, 0, 0}, 4, 0, 0, 4); });
    apart([](Plan& p) { show_box("at column 2", p, {2, 2, 0, 0}, 4, 0, 0, 4); });
    apart([](Plan& p) { show_box("at column -1", p, {-1, 0, 0, 0}, 4, 0, 0, 4); });
    apart([](Plan& p) { p.type = CU_TENSOR_MAP_DATA_TYPE_UINT8, p.dims[0] = 128, p.box[0] = 32; show_box("at byte 101", p, {101, 3, 0, 0}, 1, 0, 0, 4); });
    apart([](Plan& p) { p.dims[0] = 30; show_box("a row that ends in the middle", p, {24, 3, 0, 0}, 4, 0, 0, 4); });
    apart([](Plan& p) { p.base = nullptr; show_box("no memory", p, {0, 0, 0, 0}, 4); });
    apart([](Plan& p) { show_box("to byte 16 of shared memory", p, {0, 0, 0, 0}, 4, 0, 16); });
    apart([](Plan& p) { show_box("to byte 64 of shared memory", p, {0, 0, 0, 0}, 4, 0, 64); });
    apart([](Plan& p) { p.rank = 3; show_box("2d of a map of rank 3", p, {0, 0, 0, 0}, 4, 0, 0, 1, 2); });
    apart([](Plan& p) {
        CUtensorMap map;
        make(&map, p);
        put<<<1, 32, 1024>>>(map, {3, 2}, 128, Way::copy);
        printf("put at column 3: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    });
    for (const int2 at : {int2{-4, 0}, int2{0, -1}, int2{-4, 2}, int2{2000, 3}})
        for (const Way way : {Way::copy, Way::add, Way::ahead})
            apart([=](Plan& p) {
                CUtensorMap map;
                make(&map, p);
                put<<<1, 32, 1024>>>(map, at, 128, way);
                printf("%d at (%d, %d): %s", (int)way, at.x, at.y, cudaGetErrorName(cudaDeviceSynchronize()));
                std::vector<unsigned> now(512);
                cudaMemcpy(now.data(), p.base, 2048, cudaMemcpyDeviceToHost);
                for (unsigned i = 0; i < 512; ++i)
                    if (now[i] != i && now[i] != 0) printf(" [%u]=%u", i, now[i]);
                printf("\n");
            });
    unsigned* const memory = prepare();
    std::vector<unsigned> words(1 << 18);
    for (unsigned i = 0; i < words.size(); ++i) words[i] = i;
    D(cuInit(0));

    Plan p;
    p.base = memory;
    D(with(p, [](Plan&) {}));
    D(with(p, [](Plan& q) { q.rank = 0; }));
    D(with(p, [](Plan& q) { q.rank = 6; }));
    D(with(p, [](Plan& q) { q.rank = 1; }));
    D(with(p, [](Plan& q) { q.rank = 5; }));
    D(with(p, [](Plan& q) { q.base = nullptr; }));
    D(with(p, [](Plan& q) { q.base = (char*)q.base + 4; }));
    D(with(p, [](Plan& q) { q.base = (char*)q.base + 16; }));
    D(with(p, [](Plan& q) { q.base = &q; }));
    D(with(p, [](Plan& q) { q.type = (CUtensorMapDataType)99; }));
    D(with(p, [](Plan& q) { q.dims[0] = 0; }));
    D(with(p, [](Plan& q) { q.dims[1] = 0; }));
    D(with(p, [](Plan& q) { q.dims[1] = 1ull << 32; }));
    D(with(p, [](Plan& q) { q.dims[1] = (1ull << 32) + 1; }));
    D(with(p, [](Plan& q) { q.strides[0] = 100; }));
    D(with(p, [](Plan& q) { q.strides[0] = 0; }));
    D(with(p, [](Plan& q) { q.strides[0] = 112; }));
    D(with(p, [](Plan& q) { q.strides[0] = 16; }));
    D(with(p, [](Plan& q) { q.strides[0] = 1ull << 40; }));
    D(with(p, [](Plan& q) { q.rank = 3; q.strides[1] = 64; }));
    D(with(p, [](Plan& q) { q.box[0] = 0; }));
    D(with(p, [](Plan& q) { q.box[1] = 0; }));
    D(with(p, [](Plan& q) { q.box[0] = 256; }));
    D(with(p, [](Plan& q) { q.box[0] = 260; }));
    D(with(p, [](Plan& q) { q.box[1] = 257; }));
    D(with(p, [](Plan& q) { q.box[0] = 6; }));
    D(with(p, [](Plan& q) { q.box[0] = 256; q.box[1] = 256; }));
    for (unsigned rows : {128u, 223u, 224u, 225u, 226u, 227u, 228u, 240u, 255u})
        printf("256 words in %u rows -> %d\n", rows, (int)with(p, [&](Plan& q) { q.box[0] = 256; q.box[1] = rows; }));
    D(with(p, [](Plan& q) { q.box[0] = 256; q.box[1] = 256; q.type = CU_TENSOR_MAP_DATA_TYPE_UINT8; }));
    D(with(p, [](Plan& q) { q.box[0] = 256; q.box[1] = 256; q.steps[1] = 2; }));
    D(with(p, [](Plan& q) { q.rank = 3; q.box[0] = 256; q.box[1] = 256; q.box[2] = 256; q.type = CU_TENSOR_MAP_DATA_TYPE_UINT8; }));
    D(with(p, [](Plan& q) { q.strides[0] = (1ull << 40) - 16; }));
    D(with(p, [](Plan& q) { q.rank = 1; q.strides[0] = 100; q.dims[1] = 0; q.box[1] = 0; q.steps[1] = 0; }));
    D(with(p, [](Plan& q) { q.box[0] = 64; }));
    D(with(p, [](Plan& q) { q.steps[0] = 0; }));
    D(with(p, [](Plan& q) { q.steps[1] = 0; }));
    D(with(p, [](Plan& q) { q.steps[1] = 8; }));
    D(with(p, [](Plan& q) { q.steps[1] = 9; }));
    D(with(p, [](Plan& q) { q.steps[0] = 2; }));
    D(with(p, [](Plan& q) { q.swizzle = CU_TENSOR_MAP_SWIZZLE_32B; }));
    D(with(p, [](Plan& q) { q.swizzle = CU_TENSOR_MAP_SWIZZLE_32B; q.box[0] = 16; }));
    D(with(p, [](Plan& q) { q.swizzle = CU_TENSOR_MAP_SWIZZLE_64B; q.box[0] = 16; }));
    D(with(p, [](Plan& q) { q.swizzle = CU_TENSOR_MAP_SWIZZLE_64B; q.box[0] = 32; }));
    D(with(p, [](Plan& q) { q.swizzle = CU_TENSOR_MAP_SWIZZLE_128B; q.box[0] = 32; }));
    D(with(p, [](Plan& q) { q.swizzle = CU_TENSOR_MAP_SWIZZLE_128B; q.box[0] = 64; }));
    D(with(p, [](Plan& q) { q.swizzle = (CUtensorMapSwizzle)9; }));
    D(with(p, [](Plan& q) { q.interleave = CU_TENSOR_MAP_INTERLEAVE_16B; }));
    D(with(p, [](Plan& q) { q.interleave = (CUtensorMapInterleave)7; }));
    D(with(p, [](Plan& q) { q.fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA; }));
    D(with(p, [](Plan& q) { q.fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA; q.type = CU_TENSOR_MAP_DATA_TYPE_FLOAT32; }));
    D(with(p, [](Plan& q) { q.fill = (CUtensorMapFloatOOBfill)5; }));
    D(make(nullptr, p));
    alignas(64) char room[192];
    D(make(reinterpret_cast<CUtensorMap*>(room + 16), p));
    D(make(reinterpret_cast<CUtensorMap*>(room + 64), p));
    CUtensorMap map;
    D(make(&map, p));
    D(cuTensorMapReplaceAddress(&map, memory + 64));
    D(cuTensorMapReplaceAddress(&map, (char*)memory + 4));

    // Where the elements of a box go, and what stands outside of the tensor.
    show_box("inside", p, {4, 2, 0, 0}, 4, 0, 0, 4);
    show_box("over the right edge", p, {28, 1, 0, 0}, 4, 0, 0, 4);
    show_box("over the lower edge", p, {0, 14, 0, 0}, 4, 0, 0, 4);
    show_box("before the beginning", p, {-4, -1, 0, 0}, 4, 0, 0, 4);
    show_box("far away", p, {1000, -1000, 0, 0}, 4, 0, 0, 4);
    Plan q = p;
    q.steps[0] = 2;
    show_box("each second column, which there is not", q, {0, 0, 0, 0}, 4, 0, 0, 4);
    q.steps[0] = 1, q.steps[1] = 3;
    show_box("each third row", q, {0, 1, 0, 0}, 4, 0, 0, 4);
    q = p;
    q.type = CU_TENSOR_MAP_DATA_TYPE_FLOAT32, q.fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
    show_box("not a number outside", q, {28, 14, 0, 0}, 4, 0, 0, 4);
    q.type = CU_TENSOR_MAP_DATA_TYPE_FLOAT16, q.dims[0] = 64, q.box[0] = 16;
    show_box("halves", q, {56, 3, 0, 0}, 2, 0, 0, 4);
    q.type = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
    show_box("bfloat16", q, {56, 3, 0, 0}, 2, 0, 0, 4);
    q.type = CU_TENSOR_MAP_DATA_TYPE_FLOAT64, q.dims[0] = 16, q.box[0] = 4;
    show_box("doubles", q, {14, 3, 0, 0}, 8, 0, 0, 4);
    q = p;
    q.type = CU_TENSOR_MAP_DATA_TYPE_UINT8, q.dims[0] = 128, q.box[0] = 32;
    show_box("bytes", q, {112, 3, 0, 0}, 1, 0, 0, 4);
    q.type = CU_TENSOR_MAP_DATA_TYPE_TFLOAT32, q.dims[0] = 32;
    for (unsigned i = 0; i < 512; ++i) words[i] = i * 0x01234567u ^ 0x1000;
    cudaMemcpy(memory, words.data(), 2048, cudaMemcpyHostToDevice);
    for (const auto type : {CU_TENSOR_MAP_DATA_TYPE_TFLOAT32, CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ,
                            CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ, CU_TENSOR_MAP_DATA_TYPE_FLOAT32})
        for (const auto fill : {CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA}) {
            q.type = type, q.fill = fill, q.box[0] = 16;
            show_box("other floats", q, {20, 1, 0, 0}, 4, 0, 0, 4);
        }
    for (unsigned i = 0; i < 512; ++i) words[i] = (i / 64 * 0x20000000u) + (i % 64) * 0x800u;
    cudaMemcpy(memory, words.data(), 2048, cudaMemcpyHostToDevice);
    for (const auto type : {CU_TENSOR_MAP_DATA_TYPE_TFLOAT32, CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ, CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ}) {
        q.type = type, q.fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
        show_box("halfway", q, {0, 0, 0, 0}, 4, 0, 0, 4);
    }
    for (unsigned i = 0; i < 512; ++i) words[i] = 0x7F7FE000u + i * 0x7FFu + (i % 2) * 0x80000000u;
    cudaMemcpy(memory, words.data(), 2048, cudaMemcpyHostToDevice);
    q.type = CU_TENSOR_MAP_DATA_TYPE_TFLOAT32;
    show_box("the greatest", q, {0, 0, 0, 0}, 4, 0, 0, 4);
    for (unsigned i = 0; i < 512; ++i) words[i] = i;
    cudaMemcpy(memory, words.data(), 2048, cudaMemcpyHostToDevice);

    q = p;
    q.rank = 1, q.dims[0] = 1000, q.box[0] = 16;
    show_box("1d", q, {988, 0, 0, 0}, 4, 0, 0, 4);
    q = p;
    q.rank = 3, q.dims[2] = 8, q.box[2] = 3;
    show_box("3d", q, {4, 14, 6, 0}, 4);
    q.rank = 4, q.dims[3] = 4, q.strides[2] = 16384, q.box[3] = 2;
    show_box("4d", q, {28, 2, 6, -1}, 4);
    q.rank = 5, q.dims[4] = 4, q.strides[3] = 65536, q.box[4] = 2, q.box[1] = 2;
    show_box("5d", q, {28, 2, 6, 3}, 4, 3);

    const struct {
        const char* name;
        CUtensorMapSwizzle swizzle;
        cuuint32_t width;
    } swizzles[] = {{"32 bytes", CU_TENSOR_MAP_SWIZZLE_32B, 8},
                    {"64 bytes", CU_TENSOR_MAP_SWIZZLE_64B, 16},
                    {"128 bytes", CU_TENSOR_MAP_SWIZZLE_128B, 32}};
    for (const auto& each : swizzles) {
        q = p;
        q.swizzle = each.swizzle, q.box[0] = each.width, q.box[1] = 16;
        printf("swizzle %s\n", each.name);
        show_box("  at 0", q, {0, 0, 0, 0}, 4);
        show_box("  at 128", q, {0, 0, 0, 0}, 4, 0, 128);
        show_box("  at 640", q, {0, 0, 0, 0}, 4, 0, 640);
        q.box[0] = 4;
        show_box("  narrow", q, {0, 0, 0, 0}, 4);
    }
    q = p;
    q.swizzle = CU_TENSOR_MAP_SWIZZLE_128B, q.type = CU_TENSOR_MAP_DATA_TYPE_FLOAT16, q.dims[0] = 64, q.box[0] = 64, q.box[1] = 8;
    show_box("halves in a swizzle", q, {8, 4, 0, 0}, 2);

    // Back to memory.
    for (const Way way : {Way::copy, Way::add, Way::least, Way::both})
        for (const int2 at : {int2{4, 2}, int2{28, 15}}) {
            cudaMemcpy(memory, words.data(), 4096, cudaMemcpyHostToDevice);
            if (make(&map, p) != CUDA_SUCCESS) continue;
            put<<<1, 32, 1024>>>(map, at, 128, way);
            const cudaError_t ran = cudaDeviceSynchronize();
            std::vector<unsigned> now(512);
            cudaMemcpy(now.data(), memory, 2048, cudaMemcpyDeviceToHost);
            printf("put %d at (%d, %d): %s", (int)way, at.x, at.y, cudaGetErrorName(ran));
            for (unsigned i = 0; i < 512; ++i)
                if (now[i] != i) printf(" [%u]=%u", i, now[i]);
            printf("\n");
        }
    q = p;
    q.swizzle = CU_TENSOR_MAP_SWIZZLE_128B, q.box[0] = 32, q.box[1] = 4;
    cudaMemcpy(memory, words.data(), 4096, cudaMemcpyHostToDevice);
    if (make(&map, q) == CUDA_SUCCESS) put<<<1, 32, 1024>>>(map, {0, 0}, 512, Way::copy);
    cudaDeviceSynchronize();
    std::vector<unsigned> now(512);
    cudaMemcpy(now.data(), memory, 2048, cudaMemcpyDeviceToHost);
    show_sum("put from a swizzle", now.data(), 128);
    cudaMemset(memory, 0, 4096);
    add_plain<float><<<1, 32, 1024>>>((float*)memory, 16, 0.25f);
    add_plain<float><<<1, 32, 1024>>>((float*)memory, 16, 3.f);
    cudaDeviceSynchronize();
    cudaMemcpy(now.data(), memory, 64, cudaMemcpyDeviceToHost);
    show_sum("added floats", now.data(), 16);
    cudaMemset(memory, 0, 4096);
    add_plain<double><<<1, 32, 1024>>>((double*)memory, 16, 0.125);
    cudaDeviceSynchronize();
    cudaMemcpy(now.data(), memory, 128, cudaMemcpyDeviceToHost);
    show_sum("added doubles", now.data(), 32);
    add_plain<int><<<1, 32, 1024>>>((int*)memory, 16, 5);
    cudaDeviceSynchronize();
    cudaMemcpy(now.data(), memory, 64, cudaMemcpyDeviceToHost);
    show_sum("greatest", now.data(), 16);

    cudaMemcpy(memory, words.data(), 4096, cudaMemcpyHostToDevice);
    if (make(&map, p) == CUDA_SUCCESS) spread<<<2, 32, 1024>>>(map, 128, (unsigned*)out);
    printf("cluster: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    cudaMemcpy(now.data(), out, 256, cudaMemcpyDeviceToHost);
    show_sum("to both blocks", now.data(), 64);

    return 0;
}
