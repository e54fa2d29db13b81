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

}  // namespace

bool Debugger::wants_stops() const {
    if (!begun_ || all_ || go_.wanted || go_.births != Go::Births::none || block_over_) return true;
    if (checker_ || finding_ || reported_ || !open_.empty() || faulted_) return true;
    return mode_ == Mode::forward && go_.warp.has_value();
}

bool Debugger::heeds_breakpoints() const {
    return go_.breakpoints && !go_.touches && (mode_ == Mode::forward || mode_ == Mode::search);
}

const Program* Debugger::unstopped_code() {
    if (unstopped_code_) return *unstopped_code_;
    std::vector<std::uint8_t> checks(marked.size(), 0);
    if (heeds_breakpoints())
        for (std::size_t i = 0; i < marked.size(); ++i) checks[i] = (marked[i] & asked) != 0;
    const auto known = std::ranges::find(unstopped_codes_, checks, &Unstopped::checks);
    if (known != unstopped_codes_.end()) return *(unstopped_code_ = known->program.get());
    if (unstopped_codes_.size() == most_codes) {
        // What was counted in the code that goes is noted by site.
        note_sites();
        unstopped_codes_.erase(unstopped_codes_.begin());
    }
    auto program = link_unstopped(checks);
    return *(unstopped_code_ = unstopped_codes_.emplace_back(std::move(checks), std::move(program)).program.get());
}

const Program* Debugger::unstopped(std::uint64_t number) {
    const Program* code = nullptr;
    bool may_try = link_unstopped && !wants_stops() && !why_not_back() && !needs_stops_.contains(number);
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
    quiet.assign(hears_loads ? 0 : code->access_sites, QuietRange{0, ~std::uint64_t{0}});
    return code;
}

bool Debugger::goes_on_unstopped(std::uint64_t moments) {
    if (concerned_ || counts_twice || moments > setup_.most_unstopped) return false;
    if (log_->bytes() > 2 * std::max(log_->most_bytes(), least_held)) return false;
    if (cancelled && cancelled->load(std::memory_order_relaxed)) return false;
    return !runs_to_limit() || moment + moments <= limit_;
}

void Debugger::unstopped_ends(bool good, std::uint64_t moments) {
    is_unstopped_ = false;
    quiet.clear();
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

void Debugger::block_access(const BlockAccessRecord& record) {
    const std::int64_t reach = 15 * record.step;
    const std::int64_t one = record.first_warp * record.warp, other = record.last_warp * record.warp;
    const std::int64_t down = std::min<std::int64_t>({reach, 0}) + std::min<std::int64_t>(record.half, 0);
    const std::int64_t up = std::max<std::int64_t>({reach, 0}) + std::max<std::int64_t>(record.half, 0);
    const auto spot = [&](std::uint64_t address) {
        return record.space == ptx::Space::none ? spot_of(address) : Watched{record.space, address};
    };
    if (record.kind != AccessKind::load) {
        constexpr std::int64_t together = 1024;
        for (std::uint32_t k = record.first_warp; k <= record.last_warp; ++k)
            for (unsigned h = 0; h < 2; ++h) {
                const std::uint64_t first = moved(record.first, k * record.warp + h * record.half);
                if (reach >= 0 && reach <= together) {
                    const Watched begin = spot(first);
                    note_write(begin.space, begin.address, static_cast<std::uint64_t>(reach) + record.size);
                    continue;
                }
                for (std::int64_t l = 0; l < 16; ++l) {
                    const Watched each = spot(moved(first, l * record.step));
                    note_write(each.space, each.address, record.size);
                }
            }
    }
    // A range that holds all of them: better a block too many that runs again.
    const Watched low = spot(moved(record.first, down + std::min(one, other)));
    const std::uint64_t bytes =
        static_cast<std::uint64_t>(up - down + std::max(one, other) - std::min(one, other)) + record.size;
    for (const Watched& watched : concerned_by(record.kind))
        concerned_ |= (watched.space == ptx::Space::global || record.block == watched.block) &&
                      low.space == watched.space && low.address < watched.address + watched.bytes &&
                      watched.address < low.address + bytes;
}

/// Registers are zero in code with stops until something is written; here they hold what the block before left.
void Debugger::clear_for_conditions(Block& block) const {
    if (!heeds_breakpoints() || !setup_.read_by_conditions) return;
    const std::vector<FrameRegister>* const wanted = setup_.read_by_conditions();
    const Code& code = *block.launch->program->functions.front();
    const auto is_wanted = [&](std::uint32_t offset) {
        return !wanted || std::ranges::find(*wanted, offset, &FrameRegister::offset) != wanted->end();
    };
    for (Warp& warp : block.warps) {
        for (const AffineRegister& r : code.affine_registers)
            if (is_wanted(r.lanes)) std::memset(warp.kernel_registers + r.place, 0, sizeof(Affine));
        if (wanted) {
            for (const FrameRegister& r : *wanted)
                if (r.offset < code.constants_at)
                    std::memset(warp.kernel_registers + r.offset, 0, r.bytes == 0 ? 4 : r.bytes * warp_size);
            continue;
        }
        for (const auto& [name, place] : code.debug->places)
            if (place.space == ptx::Space::reg)
                std::memset(warp.kernel_registers + place.offset, 0, place.bytes == 0 ? 4 : place.bytes * warp_size);
    }
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
