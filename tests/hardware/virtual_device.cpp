#include <cstring>

#include "runtime_wrappers/api/error_names.h"
#include "runtime_wrappers/virtual_gpu/exec/executor.h"
#include "runtime_wrappers/virtual_gpu/runtime/launch_consequence.h"
#include "tests/hardware/operand_values.h"
#include "tests/hardware/oracle_device.h"
#include "tests/hardware/virtual_images.h"

namespace cudash::oracle {
namespace {

using namespace virtual_gpu;

class VirtualDevice final : public OracleDevice {
public:
    VirtualDevice() : memory_(AddressSpace::create(std::uint64_t{1} << 28)), executor_(Executor::create(*memory_)) {
        limits_.timeout = std::chrono::seconds(20);
    }

    std::string describe() override { return "device: virtual\n"; }

    std::string load(const std::string& ptx, const std::string&) override {
        auto loaded = load_module(ptx, *memory_, profile_);
        if (!loaded) return loaded.error().message;
        module_ = *loaded;
        return {};
    }

    CaseOutcome launch(const InstructionCase& test, const std::string& kernel) override {
        const std::vector<std::uint64_t> inputs = inputs_of(test), memory = memory_of(test);
        const std::size_t words = test.result_words();
        auto in = memory_->allocate(inputs.size() * 8 + 16, 512, MemoryKind::device, "inputs");
        auto out = memory_->allocate(words * 8 + 16, 512, MemoryKind::device, "results");
        if (!in || !out) return {CaseOutcome::State::failed, "out of memory", {}};
        std::byte* results = memory_->pointer(out->begin, out->size);
        std::memcpy(memory_->pointer(in->begin, in->size), inputs.data(), inputs.size() * 8);
        std::memset(results, 0, out->size);
        if (test.uses_memory)
            std::memcpy(results + (words - test.surface_words - InstructionCase::memory_words) * 8, memory.data(),
                        memory.size() * 8);
        const std::vector<std::size_t> images = images_in(test.code);
        images_.prepare(images);
        std::vector<std::uint64_t> arguments{in->begin, out->begin};
        if (!images.empty()) arguments.insert(arguments.end(), images_.handles().begin(), images_.handles().end());
        LaunchRequest request{
            module_, kernel, {test.grid, 1, 1}, {test.block, 1, 1}, 0, std::as_bytes(std::span(arguments)), false};
        request.images = &images_.table();
        const LaunchOutcome outcome = executor_->run(request, profile_, limits_, {});
        CaseOutcome made;
        if (outcome.status == LaunchStatus::ok) {
            made.results.resize(words);
            std::memcpy(made.results.data(), results, (words - test.surface_words) * 8);
            std::uint64_t* surface = made.results.data() + (words - test.surface_words);
            for (std::size_t number : images) {
                const TestImage& image = test_images()[number];
                if (!image.is_surface()) continue;
                std::memcpy(surface, images_.texels(number), image.bytes(0));
                surface += (image.bytes(0) + 7) / 8;
            }
        } else if (outcome.status == LaunchStatus::unsupported) {
            made.state = CaseOutcome::State::refused;
            made.reason = outcome.diagnostics.empty() ? "unsupported" : outcome.diagnostics.front().message;
        } else {
            made.state = CaseOutcome::State::failed;
            made.reason = api::error_name(runtime::consequence_of(outcome.status).error);
        }
        memory_->release(in->begin);
        memory_->release(out->begin);
        return made;
    }

private:
    const Profile& profile_ = profiles().front();
    std::unique_ptr<AddressSpace> memory_;
    std::unique_ptr<Executor> executor_;
    ExecutorLimits limits_;
    VirtualImages images_;
    std::shared_ptr<LoadedModule> module_;
};

}  // namespace

std::unique_ptr<OracleDevice> make_virtual_device() {
    return std::make_unique<VirtualDevice>();
}

}  // namespace cudash::oracle
