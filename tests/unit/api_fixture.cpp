#include <cstdlib>

#include "runtime_wrappers/open_runtime.h"
#include "tests/api/runtime_fixture.h"

#define PROBE_STUB(name) const char stub_##name = 0;
PROBE_KERNELS(PROBE_STUB)
#undef PROBE_STUB
int shadow_numbers[16];
float shadow_coefficients[8];
int* shadow_counter = nullptr;

namespace cudash::api {

std::string probe_source() {
    return R"(
__device__ int numbers[16];
__constant__ float coefficients[8];
__managed__ int counter = 5;
extern "C" {
__global__ void nop() {}
__global__ void add(int* p, int n) { p[threadIdx.x] += n; }
__global__ void dyn(int* p) { extern __shared__ int s[]; s[threadIdx.x] = 1; if (p) p[0] = s[0]; }
__global__ void stat(int* p) {
    __shared__ int s[1024];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (p) p[threadIdx.x] = s[1023 - threadIdx.x];
}
__global__ void __launch_bounds__(128) bounded(int* p) { if (p) p[0] = coefficients[1]; }
__global__ void fat(float* p) {
    float v[128];
    p += threadIdx.x;
#pragma unroll
    for (int i = 0; i < 128; ++i) v[i] = p[i * 512];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 128; ++i) p[i * 512] = v[127 - i];
}
__global__ void out_of_bounds(int* p) { p[1 << 28] = 1; }
__global__ void null_write(int* p) { *p = 1; }
__global__ void misaligned(char* p) { *(int*)(p + 1) = 1; }
__global__ void shared_out_of_bounds(int i) { __shared__ int s[4]; volatile int* q = s; q[i] = 1; }
__global__ void trap() { asm("trap;"); }
__global__ void say(int x) { printf("x = %d\n", x); }
__global__ void bump() { counter += 1; numbers[threadIdx.x] += 1; }
__global__ void spin() { while (true) atomicAdd(numbers, 1); }
}
)";
}

std::string test_device() {
    const char* chosen = std::getenv("CUDASH_TEST_DEVICE");
    return chosen ? chosen : "virtual:h200";
}

RuntimeFixture::RuntimeFixture(std::string device, bool report) : code(probe_source()) {
#define PROBE_STUB(name) code.add_kernel(&stub_##name, #name);
    PROBE_KERNELS(PROBE_STUB)
#undef PROBE_STUB
    code.add_variable(shadow_numbers, "numbers", sizeof shadow_numbers, VariableSymbol::Kind::device);
    code.add_variable(shadow_coefficients, "coefficients", sizeof shadow_coefficients, VariableSymbol::Kind::constant);
    code.add_variable(&shadow_counter, "counter", sizeof(int), VariableSymbol::Kind::managed,
                      reinterpret_cast<void**>(&shadow_counter));
    shadow_counter = nullptr;
    Options options;
    auto selection = parse_device(device);
    REQUIRE(selection);
    options.device = *selection;
    options.report_errors = report;
    Events events;
    events.diagnostic = [this](const Diagnostic& diagnostic) { diagnostics.push_back(diagnostic); };
    events.print = [this](std::string_view text) { printed += text; };
    auto created = open_runtime(options, code, std::move(events));
    REQUIRE(created);
    runtime = std::move(*created);
}

}  // namespace cudash::api
