// The runtime as the session uses it: kernels that run, variables that live on, messages, tracing and speed.
#include <chrono>
#include <cstring>
#include <thread>

#include "runtime_wrappers/api/entry_points.h"
#include "tests/api/runtime_fixture.h"

using namespace cudash;
using namespace cudash::api;

TEST_CASE_FIXTURE(RuntimeFixture, "a kernel adds numbers") {
    int numbers[32], *p = nullptr;
    for (int i = 0; i < 32; ++i) numbers[i] = i;
    REQUIRE(cudaMalloc(&p, sizeof numbers) == cudaSuccess);
    REQUIRE(cudaMemcpy(p, numbers, sizeof numbers, cudaMemcpyHostToDevice) == cudaSuccess);
    REQUIRE(launch(stub_add, 1, 32, 0, p, 100) == cudaSuccess);
    REQUIRE(cudaMemcpy(numbers, p, sizeof numbers, cudaMemcpyDeviceToHost) == cudaSuccess);
    CHECK(numbers[0] == 100);
    CHECK(numbers[31] == 131);
    if (runtime->is_virtual()) CHECK(runtime->device_description() == "virtual h200");
    CHECK(runtime->synchronize() == 0);
}

TEST_CASE_FIXTURE(VirtualFixture, "printf of device code comes out through the events") {
    launch(stub_say, 2, 1, 0, 7);
    cudaDeviceSynchronize();
    CHECK(printed == "x = 7\nx = 7\n");
}

TEST_CASE_FIXTURE(RuntimeFixture, "variables keep their contents when the device code changes") {
    int numbers[16] = {};
    REQUIRE(launch(stub_bump, 1, 16, 0) == cudaSuccess);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    void* before = nullptr;
    cudaGetSymbolAddress(&before, static_cast<const void*>(shadow_numbers));
    REQUIRE(shadow_counter != nullptr);
    CHECK(*shadow_counter == 6);
    *shadow_counter = 10;
    code.replace_source(probe_source() + "\n__device__ int unrelated;\n");
    REQUIRE(launch(stub_bump, 1, 16, 0) == cudaSuccess);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    void* after = nullptr;
    cudaGetSymbolAddress(&after, static_cast<const void*>(shadow_numbers));
    if (runtime->is_virtual()) CHECK(before == after);  // a real GPU's library has its variables where it wants
    cudaMemcpyFromSymbol(numbers, static_cast<const void*>(shadow_numbers), sizeof numbers, 0, cudaMemcpyDeviceToHost);
    CHECK(numbers[15] == 2);
    CHECK(*shadow_counter == 11);
    cudaMemcpyFromSymbol(numbers, static_cast<const void*>(shadow_counter), 4, 0, cudaMemcpyDeviceToHost);
    CHECK(numbers[0] == 11);
}

TEST_CASE_FIXTURE(VirtualFixture, "a failed call is told once, with its arguments, the cause and a hint") {
    float* p = nullptr;
    float host[100];
    cudaMalloc(&p, 100);
    cudaMemcpy(p, host, sizeof host, cudaMemcpyHostToDevice);
    REQUIRE(diagnostics.size() == 1);
    const Diagnostic& d = diagnostics[0];
    CHECK(d.code == "cuda-invalid-value");
    CHECK(d.message.starts_with("cudaMemcpy(dst=0x"));
    CHECK(d.message.find(
              "count=400, kind=cudaMemcpyHostToDevice) failed with cudaErrorInvalidValue (1): 400 bytes do not fit") !=
          std::string::npos);
    CHECK(d.hint.find("sizeof") != std::string::npos);
    CHECK(cudaGetLastError() == cudaErrorInvalidValue);
    CHECK(diagnostics.size() == 1);
}

TEST_CASE_FIXTURE(VirtualFixture, "a bad configuration names the kernel, the block and the limit") {
    launch(stub_nop, 1, dim3(32, 64), 0);
    REQUIRE(diagnostics.size() == 1);
    CHECK(diagnostics[0].message.starts_with("cudaLaunchKernel(func=nop, gridDim=(1, 1, 1), blockDim=(32, 64, 1)"));
    CHECK(diagnostics[0].message.find("2048 threads per block, the limit is 1024") != std::string::npos);
}

TEST_CASE_FIXTURE(VirtualFixture, "an unimplemented function says its name") {
    CHECK(cudaDestroyExternalMemory(nullptr) == cudaErrorNotSupported);
    REQUIRE(diagnostics.size() == 1);
    CHECK(diagnostics[0].message.find("cudaDestroyExternalMemory is not implemented on the virtual GPU") !=
          std::string::npos);
}

TEST_CASE("reports can be turned off") {
    RuntimeFixture fixture("virtual:h200", false);
    CHECK(cudaFree(&fixture) == cudaErrorInvalidValue);
    CHECK(fixture.diagnostics.empty());
}

TEST_CASE_FIXTURE(VirtualFixture, "a kernel's findings are told once, and its error repeats silently") {
    CHECK(launch(stub_null_write, 1, 1, 0, static_cast<int*>(nullptr)) == cudaSuccess);
    CHECK(diagnostics.empty());
    CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    const std::size_t told = diagnostics.size();
    CHECK(told >= 1);
    CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    CHECK(diagnostics.size() == told);
}

TEST_CASE_FIXTURE(VirtualFixture, "device memory is described, and seen from outside") {
    int* p = nullptr;
    cudaMalloc(&p, 64);
    const int value = 42;
    int seen = 0;
    cudaMemcpy(p, &value, sizeof value, cudaMemcpyHostToDevice);
    const auto address = reinterpret_cast<std::uint64_t>(p);
    CHECK(runtime->peek(address, &seen, sizeof seen));
    CHECK(seen == 42);
    CHECK_FALSE(runtime->peek(address, host_buffer_.data(), 65));
    CHECK(runtime->describe_address(address + 8)->find("byte 8 of 64 bytes of device memory") != std::string::npos);
    CHECK_FALSE(runtime->describe_address(reinterpret_cast<std::uint64_t>(&seen)));
    cudaFree(p);
    CHECK(runtime->describe_address(address)->find("freed") != std::string::npos);
}

TEST_CASE_FIXTURE(RuntimeFixture, "<<<>>> goes through pushed configurations") {
    dim3 grid, block;
    std::size_t shared = 0;
    cudaStream_t stream = nullptr;
    CHECK(entry::pop_call_configuration(&grid, &block, &shared, &stream) == cudaErrorMissingConfiguration);
    CHECK(entry::push_call_configuration(dim3(2, 3), 64, 128, cudaStreamPerThread) == 0);
    CHECK(entry::pop_call_configuration(&grid, &block, &shared, &stream) == cudaSuccess);
    CHECK(grid.y == 3);
    CHECK(block.x == 64);
    CHECK(shared == 128);
    CHECK(stream == cudaStreamPerThread);
}

namespace {

// A frame and a place of its own for each launch, as those of a program have.
[[gnu::noinline]] void push(unsigned blocks) {
    CHECK(entry::push_call_configuration(blocks, 1, 0, nullptr) == 0);
}

unsigned pop() {
    dim3 grid, block;
    std::size_t shared = 0;
    cudaStream_t stream = nullptr;
    const cudaError_t status = entry::pop_call_configuration(&grid, &block, &shared, &stream);
    return status == cudaSuccess ? grid.x : 0;
}

}  // namespace

TEST_CASE_FIXTURE(RuntimeFixture, "a launch among the arguments of another leaves its configuration") {
    entry::push_call_configuration(2, 1, 0, nullptr);
    entry::push_call_configuration(3, 1, 0, nullptr);
    entry::push_call_configuration(4, 1, 0, nullptr);
    CHECK(pop() == 4);
    entry::push_call_configuration(5, 1, 0, nullptr);
    CHECK(pop() == 5);
    CHECK(pop() == 3);
    CHECK(pop() == 2);
    CHECK(pop() == 0);
}

TEST_CASE_FIXTURE(RuntimeFixture,
                  "arguments that throw leave one configuration per launch, and no other launch takes it") {
    for (unsigned round = 0; round < 1000; ++round) push(2);  // nothing pops them
    entry::push_call_configuration(3, 1, 0, nullptr);
    CHECK(pop() == 3);
    CHECK(pop() == 2);
    CHECK(pop() == 0);
}

TEST_CASE_FIXTURE(VirtualFixture, "the limits of a profile hold") {
    runtime.reset();
    RuntimeFixture old("virtual:tesla-c1060");
    cudaDeviceProp p;
    cudaGetDeviceProperties(&p, 0);
    CHECK(std::string(p.name) == "Tesla C1060");
    CHECK(launch(stub_nop, 1, 512, 0) == cudaSuccess);
    CHECK(launch(stub_nop, 1, 513, 0) == cudaErrorInvalidValue);
    CHECK(launch(stub_nop, dim3(1, 1, 2), 1, 0) == cudaErrorInvalidValue);
    CHECK(launch(stub_dyn, 1, 1, 16384, static_cast<int*>(nullptr)) == cudaSuccess);
    CHECK(launch(stub_dyn, 1, 1, 16385, static_cast<int*>(nullptr)) == cudaErrorInvalidValue);
    CHECK(cudaGetErrorString(cudaErrorInvalidValue) == std::string("invalid argument"));
}

TEST_CASE_FIXTURE(VirtualFixture, "times are modelled, and the same in every run") {
    cudaEvent_t start = nullptr, stop = nullptr;
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    const auto measure = [&] {
        cudaDeviceSynchronize();
        cudaEventRecord(start, nullptr);
        launch(stub_stat, 264, 1024, 0, static_cast<int*>(nullptr));
        cudaEventRecord(stop, nullptr);
        cudaEventSynchronize(stop);
        float ms = 0;
        cudaEventElapsedTime(&ms, start, stop);
        return ms;
    };
    const float first = measure();
    CHECK(first > 0);
    // The same again takes a little more or less, as on a GPU.
    const float second = measure();
    CHECK(second == doctest::Approx(first).epsilon(0.1));
    CHECK(second != first);
}

TEST_CASE_FIXTURE(VirtualFixture, "a running kernel can be stopped") {
    std::thread stopper([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        runtime->cancel();
    });
    CHECK(launch(stub_spin, 1, 1, 0) == cudaSuccess);
    CHECK(launch(stub_spin, 1, 1, 0) == cudaSuccess);
    CHECK(cudaDeviceSynchronize() == cudaErrorUnknown);  // the second one is dropped
    stopper.join();
    CHECK(runtime->sticky_error() == 0);
}
