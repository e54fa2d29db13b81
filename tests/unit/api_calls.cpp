// Results of single calls as an H200 gave them (driver 580.159, CUDA 13.0), beyond the first probe.
#include <cstring>
#include <vector>

#include "tests/api/runtime_fixture.h"

using namespace cudash::api;

#define RESULT(code, ...) CHECK(static_cast<int>(__VA_ARGS__) == (code))

namespace {

char host[8192];
const void* const nop = &stub_nop;
const void* const not_a_kernel = host;

}  // namespace

TEST_CASE_FIXTURE(RuntimeFixture, "copies and fills of one dimension") {
    void* p = nullptr;
    cudaMalloc(&p, 256);
    RESULT(1, cudaMalloc(static_cast<void**>(nullptr), 4));
    RESULT(1, cudaMemcpy(nullptr, host, 4, cudaMemcpyHostToDevice));
    RESULT(1, cudaMemcpy(p, nullptr, 4, cudaMemcpyHostToDevice));
    RESULT(0, cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice));
    RESULT(0, cudaMemcpy(p, p, 4, cudaMemcpyHostToHost));
    RESULT(0, cudaMemcpy(host, host + 64, 4, cudaMemcpyDefault));
    RESULT(1, cudaMemcpy(host, host + 64, 4, cudaMemcpyDeviceToDevice));
    RESULT(1, cudaMemcpy(host, host + 64, 4, cudaMemcpyHostToDevice));
    RESULT(1, cudaMemcpyAsync(host, p, 4, cudaMemcpyHostToDevice, nullptr));
    RESULT(0, cudaMemcpy(p, host, 16, cudaMemcpyHostToHost));
    RESULT(1, cudaMemset(nullptr, 0, 4));
    RESULT(0, cudaMemset(nullptr, 0, 0));
    RESULT(1, cudaMemset(host, 0, 4));
    RESULT(0, cudaMemset(p, 300, 4));
    cudaMemcpy(host, p, 4, cudaMemcpyDeviceToHost);
    CHECK(host[0] == 44);
}

TEST_CASE_FIXTURE(RuntimeFixture, "copies and fills of two and three dimensions") {
    char* p = nullptr;
    cudaMalloc(&p, 256);
    const auto bad = static_cast<cudaMemcpyKind>(7);
    RESULT(1, cudaMemset2D(p, 16, 0, 32, 2));
    RESULT(1, cudaMemset2D(p, 16, 0, 16, 17));
    RESULT(0, cudaMemset2D(p, 16, 0, 17, 1));
    RESULT(0, cudaMemset2D(p, 16, 0, 0, 4));
    RESULT(1, cudaMemcpy2D(p, 16, host, 16, 17, 1, cudaMemcpyHostToDevice));
    RESULT(12, cudaMemcpy2D(p, 16, host, 16, 17, 2, cudaMemcpyHostToDevice));
    RESULT(1, cudaMemcpy2D(p, 16, host, 16, 16, 17, cudaMemcpyHostToDevice));
    RESULT(0, cudaMemcpy2D(p, 16, host, 16, 17, 0, cudaMemcpyHostToDevice));
    RESULT(21, cudaMemcpy2D(p, 16, host, 16, 8, 2, bad));
    RESULT(0, cudaMemcpy2D(p, 16, host, 16, 8, 0, bad));
    RESULT(1, cudaMemcpy2D(p, 16, host, 16, 8, 2, cudaMemcpyDeviceToHost));
    RESULT(12, cudaMemcpy2DAsync(p, 16, host, 8, 12, 2, cudaMemcpyHostToDevice, nullptr));

    cudaPitchedPtr r{};
    RESULT(0, cudaMalloc3D(&r, make_cudaExtent(0, 4, 4)));
    RESULT(0, cudaMalloc3D(&r, make_cudaExtent(100, 4, 4)));
    RESULT(1, cudaMemset3D(r, 1, make_cudaExtent(100, 4, 5)));
    RESULT(1, cudaMemset3D(r, 1, make_cudaExtent(100, 5, 4)));
    RESULT(1, cudaMemset3D(r, 1, make_cudaExtent(600, 4, 4)));
    RESULT(0, cudaMemset3D(r, 1, make_cudaExtent(100, 0, 4)));
    RESULT(0, cudaMemset3D(r, 7, make_cudaExtent(100, 4, 4)));
    cudaMemcpy3DParms m{};
    RESULT(0, cudaMemcpy3D(&m));
    const auto copy = [&](std::size_t w, std::size_t h, std::size_t d, cudaMemcpyKind kind) {
        m.srcPtr = r;
        m.dstPtr = make_cudaPitchedPtr(host, 100, 100, 4);
        m.kind = kind;
        m.extent = make_cudaExtent(w, h, d);
        return cudaMemcpy3D(&m);
    };
    RESULT(0, copy(100, 4, 4, cudaMemcpyDeviceToHost));
    CHECK(host[1599] == 7);
    RESULT(12, copy(101, 4, 4, cudaMemcpyDeviceToHost));
    RESULT(12, copy(100, 5, 4, cudaMemcpyDeviceToHost));
    RESULT(1, copy(100, 4, 5, cudaMemcpyDeviceToHost));
    RESULT(0, copy(100, 0, 4, cudaMemcpyDeviceToHost));
    RESULT(1, copy(100, 4, 4, cudaMemcpyHostToDevice));
    RESULT(21, copy(100, 4, 4, bad));
    RESULT(12, copy(513, 4, 4, cudaMemcpyDeviceToHost));
}

TEST_CASE_FIXTURE(RuntimeFixture, "page-locked memory") {
    void *p = nullptr, *q = nullptr, *d = nullptr;
    unsigned flags = 0;
    std::size_t pitch = 9;
    RESULT(1, cudaMallocPitch(&p, nullptr, 4, 4));
    RESULT(0, cudaMallocPitch(&p, &pitch, 4, 0));
    CHECK(pitch == 0);
    RESULT(1, cudaFree(reinterpret_cast<void*>(1)));
    RESULT(0, cudaHostAlloc(&q, 0, 0));
    RESULT(0, cudaHostAlloc(&q, 64, cudaHostAllocWriteCombined));
    RESULT(0, cudaHostGetFlags(&flags, q));
    CHECK(flags == 6);
    RESULT(0, cudaHostGetDevicePointer(&d, q, 0));
    CHECK(d == q);
    RESULT(1, cudaHostGetFlags(&flags, host));
    RESULT(1, cudaFreeHost(static_cast<char*>(q) + 1));
    RESULT(0, cudaFreeHost(nullptr));
    RESULT(1, cudaFreeHost(host));
    RESULT(0, cudaMallocHost(&q, 64));
    RESULT(0, cudaHostGetFlags(&flags, q));
    CHECK(flags == 2);
    RESULT(2, cudaMallocHost(&q, 1ull << 50));
}

TEST_CASE_FIXTURE(RuntimeFixture, "managed memory") {
    int *p = nullptr, *q = nullptr, *m = nullptr;
    cudaMalloc(&q, 64);
    cudaMallocHost(&m, 64);
    cudaMemLocation place{};
    place.type = cudaMemLocationTypeDevice;
    const auto prefetch = [&](const void* at, std::size_t bytes, int device) {
        place.id = device;
        return cudaMemPrefetchAsync(at, bytes, place, 0, nullptr);
    };
    const auto advise = [&](const void* at, std::size_t bytes, int advice) {
        place.id = 0;
        return cudaMemAdvise(at, bytes, static_cast<cudaMemoryAdvise>(advice), place);
    };
    RESULT(0, cudaMallocManaged(&p, 0));
    RESULT(1, cudaMallocManaged(&p, 64, 7));
    RESULT(0, cudaMallocManaged(&p, 64));
    RESULT(0, prefetch(p, 64, 0));
    RESULT(1, prefetch(p, 65, 0));
    RESULT(1, prefetch(p, 1 << 22, 0));
    RESULT(1, prefetch(p, 0, 0));
    RESULT(1, prefetch(host, 16, 0));
    RESULT(1, prefetch(q, 16, 0));
    RESULT(101, prefetch(p, 64, 5));
    RESULT(0, advise(p, 64, 1));
    RESULT(1, advise(p, 64, 7));
    RESULT(1, advise(host, 4, 1));
    RESULT(1, advise(q, 4, 1));
    RESULT(1, advise(p, 0, 1));
    RESULT(0, cudaMemcpy(p, host, 16, cudaMemcpyHostToDevice));
    RESULT(1, cudaMemcpy(p, host, 1 << 22, cudaMemcpyHostToDevice));
    RESULT(1, cudaMemcpy(p, host, 16, cudaMemcpyDeviceToDevice));
    RESULT(0, cudaMemcpy(host, p, 16, cudaMemcpyHostToHost));
    RESULT(0, cudaMemcpy(p, p + 4, 16, cudaMemcpyDeviceToHost));
    RESULT(0, cudaMemcpy(m, q, 16, cudaMemcpyHostToDevice));
    RESULT(0, cudaMemcpy(q, m, 16, cudaMemcpyDeviceToHost));
    RESULT(0, cudaMemcpy(m, m + 8, 16, cudaMemcpyDeviceToDevice));
    RESULT(1, cudaMemcpy(m, q, 65, cudaMemcpyDeviceToHost));
    RESULT(1, cudaMemcpy(m, host, 16, cudaMemcpyDeviceToDevice));
    RESULT(0, cudaMemset(m, 1, 16));
    RESULT(1, cudaFreeHost(p));
    RESULT(1, cudaFree(m));
    RESULT(0, cudaFree(p));
}

TEST_CASE_FIXTURE(RuntimeFixture, "what a pointer is") {
    const auto kind = [](const void* pointer) {
        cudaPointerAttributes a{};
        REQUIRE(cudaPointerGetAttributes(&a, pointer) == cudaSuccess);
        return std::tuple(static_cast<int>(a.type), a.device, a.devicePointer == pointer, a.hostPointer == pointer);
    };
    char *q = nullptr, *m = nullptr, *g = nullptr;
    void* symbol = nullptr;
    cudaMalloc(&q, 64);
    cudaMallocHost(&m, 64);
    cudaMallocManaged(&g, 64);
    cudaGetSymbolAddress(&symbol, static_cast<const void*>(shadow_numbers));
    CHECK(kind(q) == std::tuple(2, 0, true, false));
    CHECK(kind(q + 64) == std::tuple(0, -2, false, true));
    CHECK(kind(host) == std::tuple(0, -2, false, true));
    CHECK(kind(m) == std::tuple(1, 0, true, true));
    CHECK(kind(g) == std::tuple(3, 0, true, true));
    CHECK(kind(symbol) == std::tuple(2, 0, true, false));
    CHECK(kind(nullptr) == std::tuple(0, -2, true, true));
    cudaFree(q);
    CHECK(kind(q) == std::tuple(0, -2, false, true));
}

TEST_CASE_FIXTURE(RuntimeFixture, "variables") {
    const auto to = [](const void* symbol, std::size_t count, std::size_t offset, int kind) {
        return cudaMemcpyToSymbol(symbol, host, count, offset, static_cast<cudaMemcpyKind>(kind));
    };
    const void* numbers = shadow_numbers;
    RESULT(0, to(numbers, 64, 0, 1));
    RESULT(1, to(numbers, 65, 0, 1));
    RESULT(1, to(numbers, 4, 61, 1));
    RESULT(0, to(numbers, 0, 65, 1));
    RESULT(13, to(host, 4, 0, 1));
    RESULT(13, to(nullptr, 4, 0, 1));
    RESULT(21, to(numbers, 4, 0, 2));
    RESULT(21, to(numbers, 4, 0, 8));
    RESULT(0, to(numbers, 4, 0, 4));
    RESULT(1, to(numbers, 4, 0, 3));
    RESULT(21, to(numbers, 4, 0, 0));
    RESULT(21, cudaMemcpyFromSymbol(host, numbers, 4, 0, cudaMemcpyHostToDevice));
    RESULT(1, cudaMemcpyFromSymbol(host, static_cast<const void*>(shadow_coefficients), 33, 0, cudaMemcpyDeviceToHost));
    void* address = nullptr;
    std::size_t size = 0;
    RESULT(13, cudaGetSymbolAddress(&address, static_cast<const void*>(host)));
    RESULT(0, cudaGetSymbolAddress(&address, numbers));
    RESULT(1, cudaFree(address));
    RESULT(1, cudaMemcpy(address, host, 65, cudaMemcpyHostToDevice));
    RESULT(0, cudaGetSymbolSize(&size, numbers));
    CHECK(size == 64);
}

TEST_CASE_FIXTURE(RuntimeFixture, "launches and functions") {
    int* p = nullptr;
    cudaMalloc(&p, 4096);
    void* args[] = {&p, &p};
    const auto launch_raw = [&](const void* f, dim3 grid, dim3 block, std::size_t shared) {
        return cudaLaunchKernel(f, grid, block, args, shared, nullptr);
    };
    RESULT(1, launch_raw(nop, dim3(1, 65536), 1, 0));
    RESULT(1, launch_raw(nop, dim3(1u << 31), 1, 0));
    RESULT(0, launch_raw(nop, 1, 1, 1ull << 32));
    RESULT(1, launch_raw(&stub_bounded, 1, 129, 0));
    RESULT(400, launch_raw(not_a_kernel, 1, 1, 0));
    RESULT(98, launch_raw(nullptr, 1, 1, 0));
    RESULT(400, cudaFuncSetAttribute(not_a_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 1));
    RESULT(1, cudaFuncSetAttribute(nop, static_cast<cudaFuncAttribute>(77), 1));
    RESULT(1, cudaFuncSetAttribute(nop, cudaFuncAttributePreferredSharedMemoryCarveout, -2));
    RESULT(1, cudaFuncSetCacheConfig(nop, static_cast<cudaFuncCache>(7)));
    RESULT(400, cudaFuncSetCacheConfig(not_a_kernel, cudaFuncCachePreferShared));
    const char* name = nullptr;
    std::size_t offset = 0, size = 0;
    RESULT(0, cudaFuncGetName(&name, &stub_add));
    CHECK(std::string(name) == "add");
    RESULT(0, cudaFuncGetParamInfo(&stub_add, 1, &offset, &size));
    CHECK(offset == 8);
    CHECK(size == 4);
    RESULT(1, cudaFuncGetParamInfo(&stub_add, 2, &offset, &size));
    RESULT(0, cudaLaunchCooperativeKernel(nop, 132 * 32, 32, args, 0, nullptr));
    RESULT(720, cudaLaunchCooperativeKernel(nop, 132 * 32 + 1, 32, args, 0, nullptr));
    RESULT(1, cudaLaunchCooperativeKernel(nop, 1, 1025, args, 0, nullptr));

    cudaFuncAttributes a{};
    RESULT(0, cudaFuncGetAttributes(&a, nop));
    CHECK(a.numRegs == 4);
    CHECK(a.maxThreadsPerBlock == 1024);
    CHECK(a.maxDynamicSharedSizeBytes == 49152);
    RESULT(0, cudaFuncGetAttributes(&a, &stub_stat));
    CHECK(a.sharedSizeBytes == 4096);
    CHECK(a.maxDynamicSharedSizeBytes == 45056);
    RESULT(0, cudaFuncGetAttributes(&a, &stub_bounded));
    CHECK(a.maxThreadsPerBlock == 128);
    CHECK(a.binaryVersion == 90);
    RESULT(400, cudaFuncGetAttributes(&a, not_a_kernel));
    RESULT(98, cudaFuncGetAttributes(&a, static_cast<const void*>(nullptr)));
}

TEST_CASE_FIXTURE(RuntimeFixture, "occupancy queries") {
    int blocks = -9;
    const auto query = [&](const void* f, int threads, std::size_t shared) {
        return cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, threads, shared);
    };
    struct Expected {
        const void* kernel;
        int threads;
        std::size_t shared;
        int blocks;
    };
    for (const Expected& e :
         {Expected{nop, 32, 0, 32}, Expected{nop, 128, 0, 16}, Expected{nop, 256, 0, 8}, Expected{nop, 256, 49152, 4},
          Expected{nop, 1024, 49152, 2}, Expected{nop, 32, 49153, 0}, Expected{nop, 1025, 0, 0},
          Expected{&stub_stat, 32, 0, 32}, Expected{&stub_stat, 1024, 0, 2}, Expected{&stub_stat, 32, 49152, 0},
          Expected{&stub_bounded, 1024, 0, 2}}) {
        CAPTURE(e.threads);
        CAPTURE(e.shared);
        RESULT(0, query(e.kernel, e.threads, e.shared));
        CHECK(blocks == e.blocks);
    }
    RESULT(1, query(nop, 0, 0));
    RESULT(1, query(nop, -5, 0));
    RESULT(400, query(not_a_kernel, 32, 0));
    RESULT(1, cudaOccupancyMaxActiveBlocksPerMultiprocessor(nullptr, nop, 32, 0));
    std::size_t bytes = 0;
    RESULT(0, cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, nop, 2, 256));
    CHECK(bytes == 49152);
    RESULT(1, cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, nop, 100, 256));
}

TEST_CASE_FIXTURE(RuntimeFixture, "limits are rounded and bounded") {
    const auto set = [](int limit, std::size_t value) {
        const int status = cudaDeviceSetLimit(static_cast<cudaLimit>(limit), value);
        std::size_t now = 0;
        cudaDeviceGetLimit(&now, static_cast<cudaLimit>(limit));
        return std::pair(status, now);
    };
    using Pair = std::pair<int, std::size_t>;
    CHECK(set(0, 1000) == Pair(0, 1008));
    CHECK(set(0, 1 << 30) == Pair(1, 1008));
    CHECK(set(0, 1 << 19) == Pair(1, 1008));
    CHECK(set(0, 0) == Pair(0, 0));
    CHECK(set(1, 1000) == Pair(0, 524288));
    CHECK(set(2, 1000) == Pair(0, 4194304));
    CHECK(set(4, 10) == Pair(0, 32));
    CHECK(set(5, 77) == Pair(0, 77));
    CHECK(set(5, 1000) == Pair(1, 77));
    CHECK(set(6, 1000) == Pair(0, 3932160));
    CHECK(set(2, 1 << 24) == Pair(0, 1 << 24));
}

TEST_CASE_FIXTURE(RuntimeFixture, "streams") {
    cudaStream_t s = nullptr, t = nullptr;
    int priority = 7;
    unsigned flags = 7;
    unsigned long long id = 0;
    const auto callback = [](cudaStream_t, cudaError_t, void*) {};
    RESULT(1, cudaStreamCreate(nullptr));
    RESULT(0, cudaStreamCreate(&s));
    RESULT(1, cudaStreamCreateWithFlags(&t, 2));
    RESULT(0, cudaStreamCreateWithPriority(&t, 0, -100));
    RESULT(0, cudaStreamGetPriority(t, &priority));
    CHECK(priority == -5);
    RESULT(0, cudaStreamCreateWithPriority(&t, 1, 100));
    RESULT(0, cudaStreamGetPriority(t, &priority));
    CHECK(priority == 0);
    RESULT(0, cudaStreamGetFlags(cudaStreamPerThread, &flags));
    CHECK(flags == 0);
    RESULT(0, cudaStreamGetId(s, &id));
    CHECK(id == 13);
    RESULT(0, cudaStreamGetId(nullptr, &id));
    CHECK(id == 7);
    RESULT(1, cudaStreamGetFlags(s, nullptr));
    RESULT(1, cudaStreamAddCallback(s, callback, nullptr, 1));
    RESULT(1, cudaStreamAddCallback(s, nullptr, nullptr, 0));
    RESULT(1, cudaLaunchHostFunc(s, nullptr, nullptr));
    RESULT(400, cudaStreamDestroy(nullptr));
    RESULT(400, cudaStreamDestroy(cudaStreamLegacy));
    RESULT(0, cudaStreamDestroy(s));
    RESULT(400, cudaStreamDestroy(s));
    cudaStreamAttrValue value{};
    const auto set = [&](cudaStream_t stream, int attribute) {
        return cudaStreamSetAttribute(stream, static_cast<cudaLaunchAttributeID>(attribute), &value);
    };
    RESULT(1, set(t, 99));
    RESULT(1, set(t, 4));
    RESULT(0, set(nullptr, 1));
    RESULT(0, set(cudaStreamPerThread, 1));
    RESULT(0, set(t, 8));
    RESULT(1, cudaStreamGetAttribute(t, static_cast<cudaLaunchAttributeID>(99), &value));
    RESULT(0, cudaStreamGetAttribute(t, cudaLaunchAttributeSynchronizationPolicy, &value));
}

TEST_CASE_FIXTURE(RuntimeFixture, "host functions run in order and may not call the runtime") {
    cudaStream_t s = nullptr;
    cudaStreamCreate(&s);
    std::vector<int> seen;
    const auto host_function = [](void* data) {
        int device = 0;
        static_cast<std::vector<int>*>(data)->push_back(static_cast<int>(cudaGetDevice(&device)));
    };
    const auto callback = [](cudaStream_t, cudaError_t status, void* data) {
        static_cast<std::vector<int>*>(data)->push_back(100 + static_cast<int>(status));
    };
    RESULT(0, cudaLaunchHostFunc(s, host_function, &seen));
    RESULT(0, cudaStreamAddCallback(s, callback, &seen, 0));
    RESULT(0, cudaStreamSynchronize(s));
    CHECK(seen == std::vector<int>{800, 100});
}

TEST_CASE_FIXTURE(RuntimeFixture, "events") {
    cudaEvent_t e = nullptr, g = nullptr, h = nullptr, x = nullptr;
    cudaStream_t t = nullptr;
    cudaStreamCreate(&t);
    float ms = 0;
    RESULT(1, cudaEventCreate(nullptr));
    RESULT(0, cudaEventCreate(&e));
    RESULT(0, cudaEventCreate(&g));
    RESULT(0, cudaEventCreateWithFlags(&h, cudaEventDisableTiming));
    RESULT(1, cudaEventCreateWithFlags(&x, 8));
    RESULT(1, cudaEventCreateWithFlags(&x, cudaEventInterprocess));
    RESULT(0, cudaEventQuery(e));
    RESULT(400, cudaEventElapsedTime(&ms, e, g));
    RESULT(0, cudaEventRecord(e, nullptr));
    RESULT(400, cudaEventElapsedTime(&ms, e, g));
    int* p = nullptr;
    cudaMalloc(&p, 1 << 20);
    cudaMemset(p, 0, 1 << 20);
    RESULT(0, cudaEventRecord(g, nullptr));
    RESULT(0, cudaEventElapsedTime(&ms, e, g));
    CHECK(ms > 0);
    const float first = ms;
    RESULT(0, cudaEventElapsedTime(&ms, g, e));
    CHECK(ms == -first);
    RESULT(1, cudaEventElapsedTime(nullptr, e, g));
    RESULT(0, cudaEventRecord(h, nullptr));
    RESULT(400, cudaEventElapsedTime(&ms, e, h));
    RESULT(400, cudaEventElapsedTime(&ms, e, nullptr));
    RESULT(400, cudaEventQuery(nullptr));
    RESULT(400, cudaEventRecord(nullptr, nullptr));
    RESULT(1, cudaEventRecordWithFlags(e, nullptr, 5));
    RESULT(401, cudaEventRecordWithFlags(e, nullptr, cudaEventRecordExternal));
    RESULT(400, cudaStreamWaitEvent(t, nullptr, 0));
    RESULT(1, cudaStreamWaitEvent(t, e, 7));
    RESULT(400, cudaEventDestroy(nullptr));
    RESULT(0, cudaEventDestroy(e));
}

TEST_CASE_FIXTURE(RuntimeFixture, "stream-ordered memory") {
    void *p = nullptr, *q = nullptr;
    cudaStream_t t = nullptr;
    cudaStreamCreate(&t);
    cudaMemPool_t pool = nullptr;
    RESULT(0, cudaMallocAsync(&p, 0, nullptr));
    RESULT(0, cudaMallocAsync(&p, 100, t));
    RESULT(0, cudaMallocAsync(&q, 100, t));
    RESULT(0, cudaFreeAsync(p, t));
    RESULT(1, cudaFreeAsync(p, t));
    RESULT(0, cudaFreeAsync(nullptr, t));
    RESULT(0, cudaFree(q));
    RESULT(1, cudaFreeAsync(&p, t));
    RESULT(2, cudaMallocAsync(&p, 1ull << 50, t));
    RESULT(101, cudaDeviceGetDefaultMemPool(&pool, 1));
    RESULT(0, cudaDeviceGetDefaultMemPool(&pool, 0));
    RESULT(1, cudaMemPoolDestroy(pool));
}

TEST_CASE_FIXTURE(RuntimeFixture, "peers of a single device") {
    int can = 7;
    RESULT(217, cudaDeviceEnablePeerAccess(0, 0));
    RESULT(101, cudaDeviceEnablePeerAccess(1, 0));
    RESULT(101, cudaDeviceCanAccessPeer(&can, 0, 1));
    RESULT(705, cudaDeviceDisablePeerAccess(0));
}

TEST_CASE("two virtual devices") {
    RuntimeFixture fixture("virtual:h200x2");
    int count = 0, can = 0;
    CHECK(fixture.runtime->device_description() == "2 virtual h200");
    RESULT(0, cudaGetDeviceCount(&count));
    CHECK(count == 2);
    RESULT(0, cudaDeviceCanAccessPeer(&can, 0, 1));
    CHECK(can == 1);
    void *p = nullptr, *q = nullptr;
    cudaMalloc(&p, 64);
    RESULT(0, cudaSetDevice(1));
    cudaMalloc(&q, 64);
    RESULT(0, cudaMemcpyPeer(q, 1, p, 0, 64));
    cudaPointerAttributes a{};
    cudaPointerGetAttributes(&a, q);
    CHECK(a.device == 1);
    RESULT(101, cudaMemcpyPeer(q, 2, p, 0, 64));
}

TEST_CASE_FIXTURE(RuntimeFixture, "what a lost context still answers") {
    int *p = nullptr, v = 0;
    void* q = nullptr;
    std::size_t z = 0;
    cudaDeviceProp properties;
    cudaPointerAttributes a;
    cudaStream_t s = nullptr;
    cudaEvent_t g = nullptr;
    unsigned u = 0;
    cudaMalloc(&p, 4096);
    cudaEventCreate(&g);
    launch(stub_out_of_bounds, 1, 1, 0, p);
    RESULT(700, cudaDeviceSynchronize());
    CHECK(runtime->sticky_error() == 700);
    cudaGetLastError();
    const auto bad = static_cast<cudaMemcpyKind>(9);
    RESULT(0, cudaGetDevice(&v));
    RESULT(0, cudaSetDevice(0));
    RESULT(101, cudaSetDevice(7));
    RESULT(0, cudaGetDeviceProperties(&properties, 0));
    RESULT(0, cudaDeviceCanAccessPeer(&v, 0, 0));
    RESULT(700, cudaDeviceGetLimit(&z, cudaLimitStackSize));
    RESULT(0, cudaGetDeviceFlags(&u));
    RESULT(0, cudaMalloc(&q, 0));
    RESULT(1, cudaMalloc(static_cast<void**>(nullptr), 4));
    RESULT(700, cudaFree(nullptr));
    RESULT(0, cudaMemcpy(host, host, 0, cudaMemcpyHostToHost));
    RESULT(700, cudaMemcpy(host, host + 8, 4, cudaMemcpyHostToHost));
    RESULT(21, cudaMemcpy(host, host + 8, 4, bad));
    RESULT(0, cudaMemset(p, 0, 0));
    RESULT(700, cudaMallocHost(&q, 4));
    RESULT(0, cudaPointerGetAttributes(&a, p));
    RESULT(700, cudaStreamCreate(&s));
    RESULT(700, cudaEventElapsedTime(nullptr, g, g));
    RESULT(700, cudaGetSymbolAddress(&q, static_cast<const void*>(shadow_numbers)));
    RESULT(13, cudaGetSymbolAddress(&q, static_cast<const void*>(host)));
    RESULT(700, cudaLaunchKernel(nop, 1, 0, nullptr, 0, nullptr));
    RESULT(0, cudaInitDevice(0, 0, 0));
    RESULT(0, cudaDeviceReset());
    RESULT(46, cudaSetDevice(0));
    RESULT(46, cudaMalloc(&q, 0));
    RESULT(1, cudaMalloc(static_cast<void**>(nullptr), 4));
    RESULT(46, cudaMemset(p, 0, 0));
    RESULT(46, cudaMemcpy(host, host + 8, 4, bad));
    RESULT(0, cudaGetDevice(&v));
    RESULT(0, cudaPointerGetAttributes(&a, p));
    CHECK(runtime->recover());
    RESULT(0, cudaMalloc(&q, 4));
}
