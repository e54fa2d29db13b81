// Blocks that run without stops (exec/stops.h): which ones do, and what makes one run again with stops. Their moments
// are counted in instructions, of which each has a stop in code that has stops.
#include <algorithm>
#include <cstring>
#include <utility>

#include "runtime_wrappers/virtual_gpu/debug/debugger.h"

namespace cudash::virtual_gpu {
namespace {

/// Codes without stops that are kept: each set of breakpoints has its own.
constexpr std::size_t most_codes = 4;
/// The more blocks in a row have needed stops, the longer it takes until one is tried without: 2^n - 1 blocks.
constexpr unsigned most_patience = 6;

/// A block may save twice what checkpoints may take, or twice this.
constexpr std::uint64_t least_held = std::uint64_t{16} << 20;

std::uint64_t moved(std::uint64_t address, std::int64_t by) {
    return address + static_cast<std::uint64_t>(by);
}

Watched spot_in(const BlockAccessRecord& record, std::uint64_t address) {
    return record.space == ptx::Space::none ? virtual_gpu::spot_of(address) : Watched{record.space, address};
}

}  // namespace

bool Debugger::wants_stops() const {
    if (!begun_ || all_ || looks_everywhere() || block_over_) return true;
    if (checker_ || finding_ || reported_ || !open_.empty() || faulted_) return true;
    return mode_ == Mode::forward && go_.warp.has_value();
}

bool Debugger::heeds_breakpoints() const {
    return go_.breakpoints && !go_.touches && (mode_ == Mode::forward || mode_ == Mode::search);
}

StopChecks Debugger::wanted_checks() const {
    StopChecks checks{std::vector<std::uint8_t>(marked.size(), 0), std::vector<std::uint32_t>()};
    if (!heeds_breakpoints()) return checks;
    for (std::size_t i = 0; i < marked.size(); ++i) checks.stops[i] = (marked[i] & asked) != 0;
    if (!setup_.may_break) return checks;
    const ConditionReads& reads = condition_reads();
    checks.memory = reads.memory;
    if (!reads.registers) {
        checks.registers.reset();
        return checks;
    }
    for (const FrameRegister& each : *reads.registers) checks.registers->push_back(each.offset);
    std::ranges::sort(*checks.registers);
    return checks;
}

const ConditionReads& Debugger::condition_reads() const {
    static const ConditionReads any;
    return setup_.read_by_conditions ? setup_.read_by_conditions() : any;
}

bool Debugger::reads_as(const StopChecks& checks) const {
    if (!heeds_breakpoints() || !setup_.may_break) return true;
    const ConditionReads& reads = condition_reads();
    if (reads.memory != checks.memory || reads.registers.has_value() != checks.registers.has_value()) return false;
    return !reads.registers || std::ranges::all_of(*reads.registers, [&](const FrameRegister& each) {
        return std::ranges::binary_search(*checks.registers, each.offset);
    });
}

const Program* Debugger::unstopped_code() {
    if (unstopped_code_ && reads_as(unstopped_code_->checks)) return unstopped_code_->program.get();
    StopChecks checks = wanted_checks();
    const auto known = std::ranges::find(unstopped_codes_, checks, &Unstopped::checks);
    if (known != unstopped_codes_.end()) {
        unstopped_code_ = &*known;
    } else {
        auto program = link_unstopped(checks);
        if (unstopped_codes_.size() == most_codes) {
            // What was counted in the code that goes is noted by site.
            note_sites();
            unstopped_codes_.pop_front();
        }
        unstopped_codes_.push_back({std::move(checks), std::move(program)});
        unstopped_code_ = &unstopped_codes_.back();
    }
    return unstopped_code_->program.get();
}

const Program* Debugger::unstopped(std::uint64_t number) {
    const Program* code = nullptr;
    const bool interrupted = cancelled && cancelled->load(std::memory_order_relaxed);
    bool may_try =
        link_unstopped && !interrupted && !wants_stops() && !why_not_back() && !needs_stops_.contains(number);
    if (may_try && runs_to_limit()) {
        const std::uint64_t next = number + 1 < began_.size() ? began_[number + 1] : not_yet;
        may_try = next == not_yet || next <= limit_;
    }
    // Blocks before one that needed stops have gone through without.
    if (may_try && patience_ != 0 && (needs_stops_.empty() || number > *needs_stops_.rbegin())) {
        --patience_;
        may_try = false;
    }
    if (may_try) code = unstopped_code();
    is_unstopped_ = code != nullptr;
    if (code) {
        log_->hold(true);
        // If it turns out to need stops, it need not go back behind blocks that had them.
        if (with_stops_ && log_->at(log_->count() - 1).unit < number) add_checkpoint_of_unit();
    }
    concerned_ = counts_twice = false;
    if (!code) with_stops_ = true;
    const bool hears_loads = !code || (mode_ == Mode::search && go_.touches == AccessKind::load);
    unobserved.assign(hears_loads ? 0 : code->access_sites, UnobservedRange{0, ~std::uint64_t{0}});
    return code;
}

bool Debugger::goes_on_unstopped(std::uint64_t moments) {
    if (concerned_ || counts_twice || moments > setup_.most_unstopped) return false;
    if (log_->bytes() > 2 * std::max(log_->most_bytes(), least_held)) return false;
    if (cancelled && cancelled->load(std::memory_order_relaxed)) {
        // With stops it comes to where it is now.
        if (mode_ == Mode::forward || mode_ == Mode::to_moment)
            interrupt_at_ = moment + std::max<std::uint64_t>(moments, 1) - 1;
        return false;
    }
    return !runs_to_limit() || moment + moments <= limit_;
}

void Debugger::unstopped_ends(bool good, std::uint64_t moments) {
    is_unstopped_ = false;
    unobserved.clear();
    if (good) {
        moment += moments;
        in_a_row_ = 0;
        ++unstopped_blocks_;
        log_->hold(false);
        return;
    }
    needs_stops_.insert(unit_);
    in_a_row_ = std::min(in_a_row_ + 1, most_patience);
    patience_ = (std::uint64_t{1} << in_a_row_) - 1;
    resumes_at_ = moment;
    rewind(moment, mode_, limit_);
}

bool Debugger::passes(Warp& warp, std::uint32_t stop, Look& look) {
    if (!setup_.may_break) return false;
    // Who looks at the warp finds it in the code with stops, whose registers lie at the same places.
    const StopSite& site = sites_[stop];
    Frame& frame = *warp.frame;
    const Code* const own = std::exchange(frame.code, site.code);
    const bool may_break = setup_.may_break(Arrival{warp, site, stop, moment, frame.depth}, look);
    frame.code = own;
    return !may_break;
}

std::span<const Watched> Debugger::concerned_by(AccessKind kind) const {
    const bool writes = kind != AccessKind::load, reads = kind != AccessKind::store;
    if (mode_ == Mode::collect || (mode_ == Mode::search && go_.touches)) {
        const bool counts = mode_ == Mode::search && *go_.touches == AccessKind::load ? reads : writes;
        return {&go_.watched, counts ? std::size_t{1} : 0};
    }
    if (!writes || mode_ == Mode::to_moment || !go_.breakpoints) return {};
    return watches;
}

/// Places that lie close are noted as one write.
void Debugger::note_block_write(const BlockAccessRecord& record) {
    constexpr std::int64_t together = 1024;
    const auto is_close = [](std::int64_t distance) { return distance >= 0 && distance <= together; };
    const auto write = [&](std::uint64_t address, std::int64_t reach) {
        const Watched begin = spot_in(record, address);
        note_write(begin.space, begin.address, static_cast<std::uint64_t>(reach) + record.size);
    };
    const std::int64_t reach = 15 * record.step;
    const bool whole_warp = is_close(reach) && is_close(record.half);
    const std::uint64_t begin = moved(record.first, record.first_warp * record.warp);
    if (whole_warp && is_close(record.warp))
        return write(begin, record.half + reach + (record.last_warp - record.first_warp) * record.warp);
    if (!is_close(reach) && is_close(record.half) && is_close(record.warp)) {
        // As in a transpose: what a lane writes lies beside what it writes in the next warp.
        const std::int64_t column = record.half + (record.last_warp - record.first_warp) * record.warp;
        for (std::int64_t l = 0; l < 16; ++l) write(moved(begin, l * record.step), column);
        return;
    }
    for (std::uint32_t k = record.first_warp; k <= record.last_warp; ++k) {
        const std::uint64_t first = moved(record.first, k * record.warp);
        if (whole_warp) {
            write(first, record.half + reach);
            continue;
        }
        for (unsigned h = 0; h < 2; ++h) {
            const std::uint64_t of_half = moved(first, h * record.half);
            if (is_close(reach)) {
                write(of_half, reach);
                continue;
            }
            for (std::int64_t l = 0; l < 16; ++l) write(moved(of_half, l * record.step), 0);
        }
    }
}

void Debugger::block_access(const BlockAccessRecord& record) {
    if (record.kind == AccessKind::load && concerned_by(record.kind).empty()) return;
    const std::int64_t reach = 15 * record.step;
    const std::int64_t one = record.first_warp * record.warp, other = record.last_warp * record.warp;
    const std::int64_t down = std::min<std::int64_t>({reach, 0}) + std::min<std::int64_t>(record.half, 0);
    const std::int64_t up = std::max<std::int64_t>({reach, 0}) + std::max<std::int64_t>(record.half, 0);
    if (record.kind != AccessKind::load) note_block_write(record);
    // A range that holds all of them: better a block too many that runs again.
    const Watched low = spot_in(record, moved(record.first, down + std::min(one, other)));
    const std::uint64_t bytes =
        static_cast<std::uint64_t>(up - down + std::max(one, other) - std::min(one, other)) + record.size;
    for (const Watched& watched : concerned_by(record.kind))
        concerned_ |= (watched.space == ptx::Space::global || record.block == watched.block) &&
                      low.space == watched.space && low.address < watched.address + watched.bytes &&
                      watched.address < low.address + bytes;
}

/// Registers are zero in code with stops until something is written; here they hold what the block before left.
void Debugger::clear_for_conditions(Block& block) const {
    if (!heeds_breakpoints() || !setup_.may_break) return;
    const auto& wanted = condition_reads().registers;
    const Code& code = *block.launch->program->functions.front();
    const auto is_wanted = [&](std::uint32_t offset) {
        return !wanted || std::ranges::find(*wanted, offset, &FrameRegister::offset) != wanted->end();
    };
    const auto clear = [&](std::uint32_t offset, std::size_t bytes) {
        for (Warp& warp : block.warps) std::memset(warp.kernel_registers + offset, 0, bytes);
    };
    for (const AffineRegister& r : code.affine_registers)
        if (is_wanted(r.lanes)) clear(r.place, sizeof(Affine));
    const auto clear_lanes = [&](const FrameRegister& r) {
        if (r.offset < code.constants_at) clear(r.offset, r.bytes == 0 ? 4 : r.bytes * warp_size);
    };
    if (wanted) {
        for (const FrameRegister& r : *wanted) clear_lanes(r);
        return;
    }
    for (const auto& [name, place] : code.debug->places)
        if (place.space == ptx::Space::reg) clear_lanes({place.offset, place.bytes});
}

void Debugger::note_sites() {
    for (const ExecutionCounts::Function& function : counts_.functions()) {
        std::uint64_t executed = 0;
        for (std::size_t ordinal = 0; ordinal < function.warps.size(); ++ordinal) {
            executed += function.warps[ordinal];
            const std::size_t site = function.code->debug->first_stop + ordinal;
            if (executed != 0 && site < marked.size()) marked[site] |= seen;
        }
    }
    if (!counts_.functions().empty()) counts_ = {};
    log_->note_sites(marked);
}

}  // namespace cudash::virtual_gpu
