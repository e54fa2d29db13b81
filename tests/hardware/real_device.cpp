#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "runtime_wrappers/cuda/cudart.h"
#include "tests/hardware/operand_values.h"
#include "tests/hardware/oracle_device.h"
#include "tests/hardware/real_images.h"

namespace cudash::oracle {
namespace {

#define CUDASH_RUNTIME(name) cuda::cudart_function<decltype(&::name)>(#name)

std::string error_text(cudaError_t error) {
    const auto name = CUDASH_RUNTIME(cudaGetErrorName);
    return name ? name(error) : fmt::format("CUDA error {}", static_cast<int>(error));
}

class RealDevice final : public OracleDevice {
public:
    ~RealDevice() override {
        unload();
        free_(inputs_);
        free_(results_);
    }

    /// Empty, or why it cannot be used.
    std::string open() {
        if (!cuda::cudart_missing().empty())
            return fmt::format("the CUDA runtime library was not found (tried {})", cuda::cudart_missing());
        if (!allocate_ || !free_ || !copy_ || !set_ || !load_ || !unload_ || !get_kernel_ || !get_attributes_ ||
            !launch_ || !wait_)
            return "the CUDA runtime library lacks functions of CUDA 13";
        for (void** buffer : {&inputs_, &results_})
            if (cudaError_t error = allocate_(buffer, buffer_bytes); error != cudaSuccess) return error_text(error);
        return {};
    }

    std::string describe() override {
        cudaDeviceProp properties{};
        int driver = 0, runtime = 0;
        CUDASH_RUNTIME(cudaGetDeviceProperties)(&properties, 0);
        CUDASH_RUNTIME(cudaDriverGetVersion)(&driver);
        CUDASH_RUNTIME(cudaRuntimeGetVersion)(&runtime);
        return fmt::format("device: {}\ncompute capability: {}.{}\nCUDA driver: {}.{}\nCUDA runtime: {}.{}\n",
                           properties.name, properties.major, properties.minor, driver / 1000, driver % 1000 / 10,
                           runtime / 1000, runtime % 1000 / 10);
    }

    std::string load(const std::string& ptx, const std::string& a_kernel) override {
        unload();
        log_.fill('\0');
        cudaJitOption options[] = {cudaJitErrorLogBuffer, cudaJitErrorLogBufferSizeBytes};
        void* values[] = {log_.data(), reinterpret_cast<void*>(log_.size() - 1)};
        cudaError_t error = load_(&library_, ptx.c_str(), options, values, 2, nullptr, nullptr, 0);
        if (error != cudaSuccess) library_ = nullptr;
        // Libraries are compiled when they are first needed: asking for a kernel's attributes needs this one.
        cudaKernel_t kernel = nullptr;
        cudaFuncAttributes attributes{};
        if (error == cudaSuccess) error = get_kernel_(&kernel, library_, a_kernel.c_str());
        if (error == cudaSuccess) error = get_attributes_(&attributes, reinterpret_cast<const void*>(kernel));
        if (error == cudaSuccess) return {};
        std::string reason = error_text(error) + " " + log_.data();
        std::ranges::replace(reason, '\n', ' ');
        return reason;
    }

    CaseOutcome launch(const InstructionCase& test, const std::string& name) override {
        const std::vector<std::uint64_t> inputs = inputs_of(test), memory = memory_of(test);
        const std::size_t words = test.result_words();
        CaseOutcome made;
        auto failed = [&](CaseOutcome::State state, cudaError_t error) {
            made.state = state;
            made.reason = error_text(error);
            return made;
        };
        if (std::max(words, inputs.size()) * 8 > buffer_bytes)
            return failed(CaseOutcome::State::refused, cudaErrorInvalidValue);
        cudaKernel_t kernel = nullptr;
        if (cudaError_t error = get_kernel_(&kernel, library_, name.c_str()); error != cudaSuccess)
            return failed(CaseOutcome::State::refused, error);
        const std::size_t surfaces_at = words - test.surface_words;
        auto* memory_at = static_cast<std::byte*>(results_) + (surfaces_at - InstructionCase::memory_words) * 8;
        const std::vector<std::size_t> images = images_in(test.code);
        if (cudaError_t error = images_.prepare(images); error != cudaSuccess)
            return failed(CaseOutcome::State::refused, error);
        cudaError_t error = copy_(inputs_, inputs.data(), inputs.size() * 8, cudaMemcpyHostToDevice);
        if (error == cudaSuccess) error = set_(results_, 0, words * 8);
        if (error == cudaSuccess && test.uses_memory)
            error = copy_(memory_at, memory.data(), memory.size() * 8, cudaMemcpyHostToDevice);
        std::vector<std::uint64_t> handles = images_.handles();
        void* arguments[] = {&inputs_, &results_, handles.data()};
        if (error == cudaSuccess)
            error = launch_(reinterpret_cast<const void*>(kernel), dim3(test.grid), dim3(test.block), arguments, 0,
                            nullptr);
        if (error == cudaSuccess) error = wait_();
        made.results.resize(words);
        if (error == cudaSuccess) error = copy_(made.results.data(), results_, surfaces_at * 8, cudaMemcpyDeviceToHost);
        std::uint64_t* surface = made.results.data() + surfaces_at;
        for (std::size_t number : images) {
            if (error != cudaSuccess || !test_images()[number].is_surface()) continue;
            error = images_.read(number, surface);
            surface += (test_images()[number].bytes(0) + 7) / 8;
        }
        if (error != cudaSuccess) return failed(CaseOutcome::State::failed, error);
        return made;
    }

private:
    static constexpr std::size_t buffer_bytes = std::size_t{8} << 20;

    void unload() {
        if (library_) unload_(library_);
        library_ = nullptr;
    }

    decltype(&::cudaMemcpy) copy_ = CUDASH_RUNTIME(cudaMemcpy);
    decltype(&::cudaMemset) set_ = CUDASH_RUNTIME(cudaMemset);
    cudaError_t (*allocate_)(void**,
                             std::size_t) = cuda::cudart_function<cudaError_t (*)(void**, std::size_t)>("cudaMalloc");
    decltype(&::cudaFree) free_ = CUDASH_RUNTIME(cudaFree);
    decltype(&::cudaDeviceSynchronize) wait_ = CUDASH_RUNTIME(cudaDeviceSynchronize);
    cudaError_t (*launch_)(const void*, dim3, dim3, void**, std::size_t, cudaStream_t) =
        cuda::cudart_function<cudaError_t (*)(const void*, dim3, dim3, void**, std::size_t, cudaStream_t)>(
            "cudaLaunchKernel");
    decltype(&::cudaLibraryLoadData) load_ = CUDASH_RUNTIME(cudaLibraryLoadData);
    cudaError_t (*get_attributes_)(cudaFuncAttributes*, const void*) =
        cuda::cudart_function<cudaError_t (*)(cudaFuncAttributes*, const void*)>("cudaFuncGetAttributes");
    decltype(&::cudaLibraryUnload) unload_ = CUDASH_RUNTIME(cudaLibraryUnload);
    decltype(&::cudaLibraryGetKernel) get_kernel_ = CUDASH_RUNTIME(cudaLibraryGetKernel);
    cudaLibrary_t library_ = nullptr;
    void *inputs_ = nullptr, *results_ = nullptr;
    RealImages images_;
    std::array<char, 4096> log_{};
};

}  // namespace

Result<std::unique_ptr<OracleDevice>> make_real_device() {
    auto device = std::make_unique<RealDevice>();
    if (std::string trouble = device->open(); !trouble.empty()) return error("no-gpu", trouble);
    return std::unique_ptr<OracleDevice>(std::move(device));
}

}  // namespace cudash::oracle
