#include <cstring>

#include "runtime_wrappers/virtual_gpu/exec/executor.h"
#include "tests/fuzz/differential/device.h"
#ifdef CUDASH_COMPILED_TIER
#include "runtime_wrappers/virtual_gpu/exec/tiers.h"
#include "runtime_wrappers/virtual_gpu/jit/generator.h"
#endif

namespace cudash::fuzz {
namespace {

using namespace cudash::virtual_gpu;

class VirtualDevice final : public Device {
public:
    VirtualDevice(std::unique_ptr<AddressSpace> space, unsigned host_threads) : memory(std::move(space)) {
        limits.host_threads = host_threads;
        limits.timeout = std::chrono::seconds(60);
    }
    Result<std::unique_ptr<Loaded>> load(const std::string& ptx) override;
    std::string name() const override { return "virtual:" + std::string(profile.name); }
    std::string driver() const override { return "none"; }

    const Profile& profile = profiles().front();
    std::unique_ptr<AddressSpace> memory;
#ifdef CUDASH_COMPILED_TIER
    std::unique_ptr<Executor> executor = Executor::create(*memory, create_code_generator, TierPolicy::always);
    std::unique_ptr<Executor> interpreter = Executor::create(*memory);
#else
    std::unique_ptr<Executor> executor = Executor::create(*memory);
#endif
    ExecutorLimits limits;
};

/// Device memory with its bytes, released at the end of the scope.
class Buffer {
public:
    Buffer(AddressSpace& memory, std::uint64_t bytes)
        : memory_(memory),
          begin_(memory.allocate(bytes, 512, MemoryKind::device, "the fuzzer")->begin),
          bytes_(bytes) {}
    ~Buffer() { memory_.release(begin_); }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    Address address() const { return begin_; }
    std::byte* bytes() const { return memory_.pointer(begin_, bytes_); }

private:
    AddressSpace& memory_;
    Address begin_;
    std::uint64_t bytes_;
};

class VirtualModule final : public Loaded {
public:
    VirtualModule(VirtualDevice& device, std::shared_ptr<LoadedModule> module)
        : device_(device), module_(std::move(module)) {}

    Result<std::vector<std::uint64_t>> run(const Kernel& kernel) override {
        Result<Ran> ran = run_on(*device_.executor, kernel);
#ifdef CUDASH_COMPILED_TIER
        const Result<Ran> interpreted = run_on(*device_.interpreter, kernel);
        const bool same = ran && interpreted ? *ran == *interpreted : !ran && !interpreted;
        if (!same) return error("tiers-differ", "compiled code and the interpreter differ" + counts(ran, interpreted));
#endif
        if (!ran) return ran.error();
        return std::move(ran->results);
    }

private:
    struct Ran {
        std::vector<std::uint64_t> results;
        std::uint64_t warp_instructions = 0, thread_instructions = 0;
        bool operator==(const Ran&) const = default;
    };

    [[maybe_unused]] static std::string counts(const Result<Ran>& compiled, const Result<Ran>& interpreted) {
        const auto of = [](const Result<Ran>& ran) {
            if (!ran) return ran.error().message;
            return std::to_string(ran->warp_instructions) + " and " + std::to_string(ran->thread_instructions) +
                   " instructions";
        };
        return ": " + of(compiled) + "; " + of(interpreted);
    }

    Result<Ran> run_on(Executor& executor, const Kernel& kernel) {
        const auto in = inputs(kernel);
        const auto totals = first_totals();
        const Parameters by_value = parameters(kernel);
        const std::size_t words = kernel.threads() * results_per_thread;
        Buffer in_buffer(*device_.memory, in.size() * 4), out_buffer(*device_.memory, words * 8),
            totals_buffer(*device_.memory, total_words * 8);
        std::memcpy(in_buffer.bytes(), in.data(), in.size() * 4);
        std::memcpy(totals_buffer.bytes(), totals.data(), total_words * 8);

        std::vector<std::byte> arguments(24 + sizeof by_value);
        const Address pointers[] = {in_buffer.address(), out_buffer.address(), totals_buffer.address()};
        std::memcpy(arguments.data(), pointers, sizeof pointers);
        std::memcpy(&arguments[sizeof pointers], &by_value, sizeof by_value);
        const LaunchOutcome outcome =
            executor.run({module_, kernel.name(), kernel.grid, kernel.block, 0, arguments, false}, device_.profile,
                         device_.limits, {});
        if (outcome.status != LaunchStatus::ok)
            return outcome.diagnostics.empty() ? error("fuzz", "the launch failed") : outcome.diagnostics.front();

        Ran ran{std::vector<std::uint64_t>(words + total_words), outcome.warp_instructions,
                outcome.thread_instructions};
        std::memcpy(ran.results.data(), out_buffer.bytes(), words * 8);
        std::memcpy(&ran.results[words], totals_buffer.bytes(), total_words * 8);
        return ran;
    }

    VirtualDevice& device_;
    std::shared_ptr<LoadedModule> module_;
};

Result<std::unique_ptr<Loaded>> VirtualDevice::load(const std::string& ptx) {
    auto module = load_module(ptx, *memory, profile);
    if (!module) return module.error();
    return std::unique_ptr<Loaded>(std::make_unique<VirtualModule>(*this, *module));
}

}  // namespace

Result<std::unique_ptr<Device>> open_virtual_device(unsigned host_threads) {
    auto memory = AddressSpace::create(std::uint64_t{1} << 30);
    if (!memory) return error("fuzz", "no address space");
    return std::unique_ptr<Device>(std::make_unique<VirtualDevice>(std::move(memory), host_threads));
}

}  // namespace cudash::fuzz
