#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <fstream>

#include "runtime_wrappers/api/error_names.h"
#include "runtime_wrappers/cuda/cudart.h"
#include "tests/fuzz/differential/device.h"

namespace cudash::fuzz {
namespace {

/// libcudart's function of that declaration; the caller has seen that the library is open.
#define CUDART(function) cuda::cudart_function<decltype(&::function)>(#function)

std::optional<Diagnostic> failed(cudaError_t status, std::string_view call) {
    if (status == cudaSuccess) return std::nullopt;
    return error("fuzz", fmt::format("{} failed: {}", call, api::error_string(status)));
}

struct Free {
    void operator()(void* pointer) const { CUDART(cudaFree)(pointer); }
};
using Buffer = std::unique_ptr<void, Free>;

Buffer copy_of(const void* data, std::size_t bytes) {
    void* pointer = nullptr;
    if (CUDART(cudaMalloc)(&pointer, bytes) != cudaSuccess) return nullptr;
    Buffer buffer(pointer);
    if (CUDART(cudaMemcpy)(pointer, data, bytes, cudaMemcpyHostToDevice) != cudaSuccess) return nullptr;
    return buffer;
}

class RealModule final : public Loaded {
public:
    explicit RealModule(cudaLibrary_t library) : library_(library) {}
    ~RealModule() override { CUDART(cudaLibraryUnload)(library_); }
    RealModule(const RealModule&) = delete;
    RealModule& operator=(const RealModule&) = delete;

    Result<std::vector<std::uint64_t>> run(const Kernel& kernel) override {
        cudaKernel_t function = nullptr;
        if (auto why = failed(CUDART(cudaLibraryGetKernel)(&function, library_, kernel.name().c_str()),
                              "cudaLibraryGetKernel"))
            return *why;
        const auto in = inputs(kernel);
        const auto totals = first_totals();
        const std::size_t words = kernel.threads() * results_per_thread;
        std::vector<std::uint64_t> results(words + total_words);
        const Buffer in_buffer = copy_of(in.data(), in.size() * 4), out_buffer = copy_of(results.data(), words * 8),
                     totals_buffer = copy_of(totals.data(), total_words * 8);
        if (!in_buffer || !out_buffer || !totals_buffer) return error("fuzz", "no device memory");

        void *in_pointer = in_buffer.get(), *out_pointer = out_buffer.get(), *totals_pointer = totals_buffer.get();
        Parameters by_value = parameters(kernel);
        void* arguments[] = {&in_pointer, &out_pointer, &totals_pointer, &by_value};
        const auto dim = [](Dim3 size) { return dim3{size.x, size.y, size.z}; };
        if (auto why =
                failed(CUDART(cudaLaunchKernel)(function, dim(kernel.grid), dim(kernel.block), arguments, 0, nullptr),
                       "cudaLaunchKernel"))
            return *why;
        if (auto why = failed(CUDART(cudaDeviceSynchronize)(), "cudaDeviceSynchronize")) return *why;
        const auto copy = CUDART(cudaMemcpy);
        if (auto why = failed(copy(results.data(), out_pointer, words * 8, cudaMemcpyDeviceToHost), "cudaMemcpy"))
            return *why;
        if (auto why =
                failed(copy(&results[words], totals_pointer, total_words * 8, cudaMemcpyDeviceToHost), "cudaMemcpy"))
            return *why;
        return results;
    }

private:
    cudaLibrary_t library_;
};

class RealDevice final : public Device {
public:
    RealDevice(std::string name, std::string driver, bool takes_cubin)
        : name_(std::move(name)), driver_(std::move(driver)), takes_cubin_(takes_cubin) {}
    Result<std::unique_ptr<Loaded>> load(const std::string& code) override {
        cudaLibrary_t library = nullptr;
        if (auto why =
                failed(CUDART(cudaLibraryLoadData)(&library, code.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0),
                       "cudaLibraryLoadData"))
            return *why;
        return std::unique_ptr<Loaded>(std::make_unique<RealModule>(library));
    }
    std::string name() const override { return name_; }
    std::string driver() const override { return driver_; }
    bool takes_cubin() const override { return takes_cubin_; }

private:
    std::string name_, driver_;
    bool takes_cubin_;
};

std::string driver_build() {
    std::ifstream file("/proc/driver/nvidia/version");
    for (std::string word; file >> word;)
        if (word.find_first_not_of("0123456789.") == std::string::npos && word.find('.') != std::string::npos)
            return word;
    return "unknown";
}

}  // namespace

Result<std::unique_ptr<Device>> open_real_device() {
    if (!cuda::cudart_missing().empty())
        return error("fuzz", fmt::format("the CUDA runtime library was not found (tried {})", cuda::cudart_missing()));
    cudaDeviceProp properties;
    if (auto why = failed(CUDART(cudaGetDeviceProperties)(&properties, 0), "cudaGetDeviceProperties")) return *why;
    // Recursion of a few calls, for 132 multiprocessors full of threads.
    if (auto why = failed(CUDART(cudaDeviceSetLimit)(cudaLimitStackSize, 4096), "cudaDeviceSetLimit")) return *why;
    int version = 0;
    CUDART(cudaDriverGetVersion)(&version);
    return std::unique_ptr<Device>(std::make_unique<RealDevice>(
        fmt::format("{} (compute capability {}.{})", properties.name, properties.major, properties.minor),
        fmt::format("{} (CUDA {}.{})", driver_build(), version / 1000, version % 1000 / 10),
        properties.major == 9 && properties.minor == 0));
}

}  // namespace cudash::fuzz
