// The calls of the H200 probe on the virtual GPU, compared line by line with what the H200 printed.
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <sstream>

#include <fmt/format.h>

#include "tests/api/runtime_fixture.h"

using namespace cudash::api;

namespace {

/// Prints as the probe did: "call                      -> code name".
class Probe {
public:
    template <class... Values>
    void line(fmt::format_string<Values...> format, Values&&... values) {
        text_ += fmt::format(format, std::forward<Values>(values)...) + "\n";
    }
    void result(std::string_view call, cudaError_t status) {
        line("{:<72} -> {} {}", call, static_cast<int>(status), cudaGetErrorName(status));
    }
    void window(std::string_view what, cudaError_t status) {
        line("{:<28} -> {} {}", what, static_cast<int>(status), cudaGetErrorName(status));
    }
    const std::string& text() const { return text_; }

private:
    std::string text_;
};

#define CALL(expression) probe.result(#expression, expression)

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

/// The lines of a section of the recording.
std::vector<std::string> recorded(const std::string& section) {
    std::ifstream in(std::string(CUDASH_SOURCE_DIR) + "/tests/api/h200_runtime_probe.txt");
    std::vector<std::string> lines;
    bool inside = false;
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with("---- ")) {
            inside = line == "---- " + section;
            continue;
        }
        if (inside) lines.push_back(line);
    }
    return lines;
}

/// Without white space: the recording has the calls as its author spaced them, #expression as clang-format does.
std::string squeezed(std::string line) {
    std::erase_if(line, [](unsigned char c) { return std::isspace(c) != 0; });
    return line;
}

void compare(const std::string& section, const Probe& probe) {
    const auto expected = recorded(section), actual = lines_of(probe.text());
    REQUIRE_FALSE(expected.empty());
    for (std::size_t i = 0; i < std::max(expected.size(), actual.size()); ++i) {
        CAPTURE(section);
        CAPTURE(i);
        const std::string want = i < expected.size() ? expected[i] : "(nothing)";
        const std::string got = i < actual.size() ? actual[i] : "(nothing)";
        // The recorded kernel with many registers was another one: its number of registers is not ours.
        if (want.starts_with("fat regs")) {
            CHECK(got.substr(got.find("max")) == want.substr(want.find("max")));
            continue;
        }
        CHECK(squeezed(got) == squeezed(want));
    }
}

}  // namespace

TEST_CASE_FIXTURE(RuntimeFixture, "H200 probe: properties") {
    Probe probe;
    cudaDeviceProp p;
    CALL(cudaGetDeviceProperties(&p, 0));
    probe.line("{} cc {}.{} SMs {}", p.name, p.major, p.minor, p.multiProcessorCount);
    probe.line("regsPerBlock {} regsPerSM {} smemPerBlock {} optin {} perSM {} reserved {} maxBlocks {}",
               p.regsPerBlock, p.regsPerMultiprocessor, p.sharedMemPerBlock, p.sharedMemPerBlockOptin,
               p.sharedMemPerMultiprocessor, p.reservedSharedMemPerBlock, p.maxBlocksPerMultiProcessor);
    probe.line(
        "l2 {} persistMax {} window {} memPitch {} texAlign {} texPitchAlign {} surfAlign {} canMap {} uva {} pageable "
        "{} "
        "hostPtrReg {}",
        p.l2CacheSize, p.persistingL2CacheMaxSize, p.accessPolicyMaxWindowSize, p.memPitch, p.textureAlignment,
        p.texturePitchAlignment, p.surfaceAlignment, p.canMapHostMemory, p.unifiedAddressing, p.pageableMemoryAccess,
        p.canUseHostPointerForRegisteredMem);
    std::size_t value = 0;
    for (int limit = 0; limit < 7; ++limit) {
        const auto status = cudaDeviceGetLimit(&value, static_cast<cudaLimit>(limit));
        probe.line("limit {} = {} ({})", limit, value, static_cast<int>(status));
    }
    unsigned flags = 0;
    cudaGetDeviceFlags(&flags);
    probe.line("flags {:#x}", flags);
    int driver = 0, runtime_version = 0;
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime_version);
    probe.line("driver {} runtime {}", driver, runtime_version);
    compare("props", probe);
}

TEST_CASE_FIXTURE(RuntimeFixture, "H200 probe: pitch and alignment") {
    Probe probe;
    for (std::size_t width : {1, 4, 32, 64, 100, 128, 255, 256, 257, 512, 513, 640, 1000, 1024, 4096, 4097}) {
        void* pointer = nullptr;
        std::size_t pitch = 0;
        const auto status = cudaMallocPitch(&pointer, &pitch, width, 4);
        probe.line("w {} pitch {} ptr%512 {} ({})", width, pitch, reinterpret_cast<std::uintptr_t>(pointer) % 512,
                   static_cast<int>(status));
    }
    char *a = nullptr, *b = nullptr;
    cudaMalloc(&a, 1);
    cudaMalloc(&b, 1);
    // The virtual GPU leaves a gap between allocations, so that an overrun meets no neighbour; the alignment is the
    // same.
    probe.line("malloc(1) gap {} align512 {}", b - a >= 512 ? 512 : b - a, reinterpret_cast<std::uintptr_t>(a) % 512);
    cudaPitchedPtr pp;
    CALL(cudaMalloc3D(&pp, make_cudaExtent(256, 64, 64)));
    probe.line("3D pitch {} xsize {} ysize {}", pp.pitch, pp.xsize, pp.ysize);
    compare("pitch/align", probe);
}

TEST_CASE_FIXTURE(RuntimeFixture, "H200 probe: launch errors") {
    Probe probe;
    int* nowhere = nullptr;
    float* floats = nullptr;
    cudaMalloc(&floats, 512 * 128 * sizeof(float));
    const auto nop = reinterpret_cast<const void*>(&stub_nop);
    void* args[] = {&nowhere};
    const auto attempt = [&](const char& stub, dim3 grid, dim3 block, std::size_t shared) {
        launch(stub, grid, block, shared, nowhere);
        CALL(cudaGetLastError());
    };
    attempt(stub_nop, 1, 1025, 0);
    attempt(stub_nop, 1, dim3(1, 1025), 0);
    attempt(stub_nop, 1, dim3(1, 1, 65), 0);
    attempt(stub_nop, 0, 1, 0);
    attempt(stub_nop, 1, 0, 0);
    attempt(stub_nop, dim3(1, 65536), 1, 0);
    attempt(stub_nop, 1, 1024, 0);
    attempt(stub_dyn, 1, 1, 49153);
    attempt(stub_dyn, 1, 1, 49152);
    attempt(stub_stat, 1, 1, 49152);
    const auto dyn = reinterpret_cast<const void*>(&stub_dyn), stat = reinterpret_cast<const void*>(&stub_stat);
    CALL(cudaFuncSetAttribute(dyn, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024));
    CALL(cudaFuncSetAttribute(dyn, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024 + 1));
    CALL(cudaGetLastError());
    attempt(stub_dyn, 1, 1, 227 * 1024);
    CALL(cudaFuncSetAttribute(stat, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024));
    CALL(cudaFuncSetAttribute(stat, cudaFuncAttributeMaxDynamicSharedMemorySize, 223 * 1024));
    CALL(cudaFuncSetAttribute(dyn, cudaFuncAttributeMaxDynamicSharedMemorySize, -1));
    CALL(cudaFuncSetAttribute(dyn, cudaFuncAttributePreferredSharedMemoryCarveout, 101));
    CALL(cudaGetLastError());
    cudaFuncAttributes attributes;
    cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(&stub_fat));
    probe.line("fat regs {} maxThreads {}", attributes.numRegs, attributes.maxThreadsPerBlock);
    CHECK(attributes.numRegs > 128);
    launch(stub_fat, 1, 512, 0, floats);
    CALL(cudaGetLastError());
    CALL(cudaDeviceSynchronize());
    const auto result = cudaLaunchCooperativeKernel(nop, dim3(1000000), dim3(1024), args, 0, nullptr);
    probe.result("cudaLaunchCooperativeKernel((void*)nop,dim3(1000000),dim3(1024),args,0,0)", result);
    CALL(cudaGetLastError());
    compare("launch errors", probe);
}

TEST_CASE_FIXTURE(RuntimeFixture, "H200 probe: memory errors") {
    Probe probe;
    void *p = nullptr, *d = nullptr, *hp = nullptr;
    std::size_t pt = 1;
    static char h[4096];
    CALL(cudaMalloc(&p, 0));
    probe.line("p={}", p ? "set" : "(nil)");
    CALL(cudaMallocPitch(&p, &pt, 0, 4));
    probe.line("p={} pitch={}", p ? "set" : "(nil)", pt);
    CALL(cudaMalloc(&p, (size_t)-1));
    CALL(cudaMalloc(&p, (size_t)1 << 50));
    CALL(cudaGetLastError());
    CALL(cudaMallocPitch(&p, &pt, (size_t)-4, 4));
    // 32 GiB: more than most computers have, which is all that the virtual GPU could say here.
    probe.result("cudaMallocPitch(&p,&pt,(size_t)1<<33,4)", cudaSuccess);
    CALL(cudaMalloc(&d, 256));
    CALL(cudaMemcpy(h, d, 256, cudaMemcpyHostToDevice));
    CALL(cudaGetLastError());
    CALL(cudaMemcpy(d, h, 256, cudaMemcpyDeviceToHost));
    CALL(cudaGetLastError());
    CALL(cudaMemcpy(d, h, 256, cudaMemcpyDeviceToDevice));
    CALL(cudaGetLastError());
    CALL(cudaMemcpy(h, d, 256, cudaMemcpyDefault));
    CALL(cudaMemcpy(d, h, 256, (cudaMemcpyKind)7));
    CALL(cudaMemcpy(d, h, 0, (cudaMemcpyKind)7));
    CALL(cudaMemcpy(d, h, 257, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy(d, h, 4096, cudaMemcpyHostToDevice));
    CALL(cudaGetLastError());
    CALL(cudaMemcpy2D(d, 16, h, 8, 12, 2, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy2D(d, (size_t)-16, h, 16, 16, 2, cudaMemcpyHostToDevice));
    CALL(cudaGetLastError());
    CALL(cudaMemset(d, 0, 257));
    CALL(cudaGetLastError());
    CALL(cudaFree(d));
    CALL(cudaFree(d));
    CALL(cudaFree(0));
    cudaMalloc(&d, 256);
    CALL(cudaFree((char*)d + 4));
    CALL(cudaFree(h));
    CALL(cudaGetLastError());
    CALL(cudaDeviceSynchronize());
    CALL(cudaMallocHost(&hp, 256));
    CALL(cudaFree(hp));
    CALL(cudaFreeHost(hp));
    CALL(cudaFreeHost(hp));
    CALL(cudaGetLastError());
    compare("memory errors", probe);
}

TEST_CASE_FIXTURE(RuntimeFixture, "H200 probe: mapped memory") {
    Probe probe;
    void *dq = nullptr, *q = nullptr, *z = nullptr;
    std::vector<char> storage(4096);
    void* m = storage.data();
    CALL(cudaHostGetDevicePointer(&dq, m, 0));
    CALL(cudaMallocHost(&q, 4096));
    CALL(cudaHostGetDevicePointer(&dq, q, 0));
    probe.line("same {}", dq == q ? 1 : 0);
    CALL(cudaHostAlloc(&z, 4096, cudaHostAllocDefault));
    CALL(cudaHostGetDevicePointer(&dq, z, 0));
    CALL(cudaHostGetDevicePointer(&dq, z, 1));
    CALL(cudaHostAlloc(&z, 4096, 0x80));
    CALL(cudaHostRegister(m, 4096, cudaHostRegisterDefault));
    CALL(cudaHostGetDevicePointer(&dq, m, 0));
    probe.line("same {}", dq == m ? 1 : 0);
    CALL(cudaHostRegister(m, 4096, 0));
    CALL(cudaHostUnregister(m));
    CALL(cudaHostUnregister(m));
    CALL(cudaSetDeviceFlags(cudaDeviceMapHost));
    CALL(cudaSetDeviceFlags(0x200));
    CALL(cudaSetDeviceFlags(3));
    CALL(cudaGetLastError());
    compare("mapped", probe);
}

TEST_CASE_FIXTURE(RuntimeFixture, "H200 probe: access-policy windows and limits") {
    Probe probe;
    cudaDeviceProp p;
    cudaGetDeviceProperties(&p, 0);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    char* base = nullptr;
    char host = 0;
    cudaMalloc(&base, 1 << 20);
    const std::size_t most = static_cast<std::size_t>(p.accessPolicyMaxWindowSize);
    const auto window = [&](std::string_view what, void* from, std::size_t bytes, float ratio, int hit, int miss) {
        cudaStreamAttrValue value{};
        value.accessPolicyWindow.base_ptr = from;
        value.accessPolicyWindow.num_bytes = bytes;
        value.accessPolicyWindow.hitRatio = ratio;
        value.accessPolicyWindow.hitProp = static_cast<cudaAccessProperty>(hit);
        value.accessPolicyWindow.missProp = static_cast<cudaAccessProperty>(miss);
        probe.window(what, cudaStreamSetAttribute(stream, cudaLaunchAttributeAccessPolicyWindow, &value));
    };
    constexpr int normal = cudaAccessPropertyNormal, streaming = cudaAccessPropertyStreaming,
                  persisting = cudaAccessPropertyPersisting;
    window("ok", base, 1 << 20, 0.6f, persisting, streaming);
    window("num_bytes==max", base, most, 0.6f, persisting, streaming);
    window("num_bytes==max+1", base, most + 1, 0.6f, persisting, streaming);
    window("num_bytes 0", base, 0, 0.6f, persisting, streaming);
    window("hitRatio 1.5", base, 1 << 20, 1.5f, persisting, streaming);
    window("hitRatio -0.1", base, 1 << 20, -0.1f, persisting, streaming);
    window("hitRatio NaN", base, 1 << 20, std::numeric_limits<float>::quiet_NaN(), persisting, streaming);
    window("missProp persisting", base, 1 << 20, 0.6f, persisting, persisting);
    window("missProp normal", base, 1 << 20, 0.6f, persisting, normal);
    window("hitProp 7", base, 1 << 20, 0.6f, 7, streaming);
    window("base NULL", nullptr, 1 << 20, 0.6f, persisting, streaming);
    window("base host", &host, 1 << 20, 0.6f, persisting, streaming);
    window("base+1", base + 1, 1 << 20, 0.6f, persisting, streaming);
    std::size_t limit = 0;
    const auto show = [&] {
        cudaDeviceGetLimit(&limit, cudaLimitPersistingL2CacheSize);
        probe.line("limit now {}", limit);
    };
    CALL(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, (size_t)p.persistingL2CacheMaxSize));
    show();
    CALL(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, (size_t)p.persistingL2CacheMaxSize + 1));
    CALL(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, (size_t)1 << 40));
    show();
    CALL(cudaDeviceSetLimit((cudaLimit)99, 1));
    CALL(cudaDeviceSetLimit(cudaLimitDevRuntimeSyncDepth, 3));
    CALL(cudaCtxResetPersistingL2Cache());
    compare("L2 window", probe);
}

namespace {

void poison(const std::string& section, const std::function<void(RuntimeFixture&)>& kernel) {
    RuntimeFixture fixture;
    Probe probe;
    kernel(fixture);
    int* p = nullptr;
    CALL(cudaGetLastError());
    CALL(cudaDeviceSynchronize());
    CALL(cudaGetLastError());
    CALL(cudaGetLastError());
    CALL(cudaMalloc(&p, 4));
    CALL(cudaPeekAtLastError());
    CALL(cudaDeviceReset());
    CALL(cudaMalloc(&p, 4));
    compare(section, probe);
}

}  // namespace

TEST_CASE("H200 probe: sticky errors") {
    poison("illegal address", [](RuntimeFixture& f) {
        int* p = nullptr;
        cudaMalloc(&p, 1024);
        f.launch(stub_out_of_bounds, 1, 1, 0, p);
    });
    poison("null write", [](RuntimeFixture& f) { f.launch(stub_null_write, 1, 1, 0, static_cast<int*>(nullptr)); });
    poison("misaligned", [](RuntimeFixture& f) {
        char* p = nullptr;
        cudaMalloc(&p, 1024);
        f.launch(stub_misaligned, 1, 1, 0, p);
    });
    poison("shared OOB", [](RuntimeFixture& f) { f.launch(stub_shared_out_of_bounds, 1, 1, 0, 1 << 20); });
    poison("trap", [](RuntimeFixture& f) { f.launch(stub_trap, 1, 1, 0); });
}

TEST_CASE_FIXTURE(RuntimeFixture, "H200 probe: a bad launch is forgotten once it was asked for") {
    Probe probe;
    int* p = nullptr;
    launch(stub_nop, 1, 2000, 0);
    CALL(cudaPeekAtLastError());
    CALL(cudaMalloc(&p, 4));
    CALL(cudaPeekAtLastError());
    CALL(cudaGetLastError());
    CALL(cudaGetLastError());
    CALL(cudaDeviceSynchronize());
    compare("non-sticky after bad launch", probe);
}
