// The checkers of one virtual GPU: what is written where, and the observers of each launch.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "runtime_wrappers/virtual_gpu/check/block_checks.h"
#include "runtime_wrappers/virtual_gpu/check/kernel_signals.h"

namespace cudash::virtual_gpu {

/// Observes blocks itself: those of a launch's first half where there are two, else all.
class Checks final : public BlockChecks {
public:
    explicit Checks(const AddressSpace& memory) : all_written_(memory) {}

    void select(const Selection& selection) { wished_ = selection; }
    const Selection& selection() const { return wished_; }

    // Around a launch.
    void launch_begins(const Launch& launch) override;
    Observer* second_half() override;
    std::vector<Diagnostic> launch_ends() override;
    /// Whether the next launch is to be observed, if its uses are asked for or not.
    bool wants_launch(bool uses) const;
    /// The next launch's uses of device memory are gathered: other operations may be in no order with it.
    void gather_uses(bool on) { footprint_.on = on; }
    /// Who is told of each finding when it is made; nullptr: nobody.
    void watch_findings(FindingWatch* watch) { findings_.watch = watch; }
    /// What the last launch used.
    Uses take_uses() { return std::exchange(uses_, {}); }
    /// A kernel ran and was not observed at all.
    void launch_unseen() { all_written_.all_written(); }

    // Of the runtime: device memory was written, or copied.
    void memory_written(std::uint64_t address, std::uint64_t bytes);
    void memory_copied(std::uint64_t to, std::uint64_t from, std::uint64_t bytes);
    /// The runs of bytes of device memory that nothing has written, as DeviceWrittenBytes::unwritten has them.
    std::vector<std::pair<std::uint64_t, std::uint64_t>> unwritten(const AddressSpace& memory, std::uint64_t address,
                                                                   std::uint64_t bytes, std::size_t most);
    /// A copy to the host of bytes that nothing has written.
    std::optional<Diagnostic> copied_to_host(const AddressSpace& memory, std::uint64_t from, std::uint64_t bytes);

    /// A kernel, its grid and its blocks.
    using Shape = std::array<std::uint64_t, 7>;

private:
    void join_second_half();
    Selection selection_for(const Launch& launch) const;
    void note_cut_off(const Launch& launch);

    Selection wished_;
    std::map<Shape, unsigned> cut_off_;  ///< how often not all of a launch was looked at
    DeviceWrittenBytes all_written_;
    std::unique_ptr<BlockChecks> second_;
    bool has_second_ = false;  ///< in this launch
    Uses uses_;
    KernelSignals signals_;
};

}  // namespace cudash::virtual_gpu
