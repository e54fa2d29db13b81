#include "runtime_wrappers/virtual_gpu/check/block_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "runtime_wrappers/virtual_gpu/exec/block.h"
#include "runtime_wrappers/virtual_gpu/isa/modifiers.h"
#include "runtime_wrappers/virtual_gpu/memory/address_windows.h"

namespace cudash::virtual_gpu {
namespace {

/// Places apart take so much longer than neighbours.
constexpr std::uint64_t scattered_cost = 12;
constexpr std::uint32_t most_local = 4096;  ///< bytes of a thread

bool is_unwritten(std::uint64_t word, std::uint64_t address, std::uint32_t size) {
    const std::uint64_t bits = (std::uint64_t{1} << size) - 1;
    return (word >> address % 64 & bits) == 0;
}
void set_written(std::uint64_t* word, std::uint64_t address, std::uint32_t size) {
    if (word) *word |= ((std::uint64_t{1} << size) - 1) << address % 64;
}

}  // namespace

/// One access, half a warp at a time.
class BlockChecks::Visit {
public:
    Visit(BlockChecks& checks, BlockState& block, const AccessRecord& record, const AccessSite& site, ptx::Space space,
          std::uint64_t window)
        : checks_(checks),
          block_(block),
          record_(record),
          site_(site),
          space_(space),
          window_(window),
          reads_(record.kind != AccessKind::store),
          writes_(record.kind != AccessKind::load),
          initialised_(checks.selection_.has(Checker::initialised) &&
                       (space == ptx::Space::local    ? checks.local_bytes_ != 0
                        : space == ptx::Space::shared ? !block.shared.complete()
                                                      : true)),
          races_(!site.begins_cas &&
                 (space == ptx::Space::shared ? wants(Checker::shared_race)
                                              : space != ptx::Space::local && wants(Checker::global_race))),
          footprint_(checks.footprint_.on && space != ptx::Space::shared && space != ptx::Space::local
                         ? &checks.footprint_
                         : nullptr) {}

    void run() {
        if (races_) prepare_actor();
        if (races_ && space_ == ptx::Space::shared) {
            if (site_.async_copy) block_.reads.never_again();
            if (writes_) block_.reads.flush(block_.races, block_.shared_actors);
            if (site_.strength == Strength::weak && window_ == 0 && block_.reads.takes_reads() &&
                ReadLog::suits(record_)) {
                block_.reads.add(record_, *actor_, site_.number);
                races_ = false;
            }
        }
        for (unsigned h = 0; h < 2; ++h) {
            const std::uint32_t mask = record_.mask >> 16 * h & 0xFFFF;
            if (mask != 0) half(h, mask);
        }
    }

private:
    bool wants(Checker checker) const {
        return checks_.selection_.has(checker) || checks_.selection_.has(Checker::same_value);
    }

    void prepare_actor() {
        BlockClock& block = block_.clock;
        WarpClock& clock = block.warps[record_.warp];
        const bool counts_bytes = site_.bulk_copy && record_.kind == AccessKind::atomic;
        if (site_.strength != Strength::weak || counts_bytes) strong_access(clock);
        const bool shared = space_ == ptx::Space::shared;
        auto& actors = shared ? block_.shared_actors : block_.global_actors;
        if (actors.size() < block.warps.size()) actors.resize(block.warps.size());
        Actor& known = actors[record_.warp];
        if (clock.segment == 0) clock.segment = checks_.order_.segment(block, record_.warp);
        actor_ = &known;
        if (known.segment != clock.segment || known.grid_floor != clock.grid_floor) begin_segment(clock, shared);
        known.site = &site_;
        known.record = &record_;
        known.writes = writes_;
        known.strength = site_.bulk_copy ? Strength::strong : site_.strength;
        known.async = site_.async_copy && writes_;
    }

    void begin_segment(const WarpClock& clock, bool shared) {
        const BlockClock& block = block_.clock;
        Actor& known = *actor_;
        known.order = &checks_.order_;
        known.block = &block;
        known.clock = &clock;
        known.warp = record_.warp;
        known.segment = clock.segment;
        known.floor = known.grid_floor = clock.grid_floor;
        if (shared) {
            known.floor = std::max({known.floor, block.first, clock.block_floor});
        } else {
            const bool alone = !checks_.interleaved_;
            known.quick_first = alone ? block.first : 0;
            known.quick_floor = alone ? std::max(clock.block_floor, block.first) : 0;
        }
    }

    void strong_access(WarpClock& clock) {
        const std::uint64_t base =
            space_ == ptx::Space::shared ? std::uint64_t{1} << 63 | block_.clock.number << 24 : std::uint64_t{0};
        for (unsigned l = 0; l < 32; ++l)
            if (record_.mask >> l & 1)
                checks_.order_.strong_access(block_.clock, clock, base + record_.address(l) - window_, site_, reads_,
                                             writes_);
    }

    void half(unsigned h, std::uint32_t mask) {
        const unsigned lane = 16 * h;
        const std::uint64_t first = record_.address(lane) - window_;
        const auto step = static_cast<std::int64_t>(record_.address(lane + 1) - record_.address(lane));
        bool steady = record_.addresses == nullptr;
        if (!steady && mask == 0xFFFF && (step == 0 || step == record_.size)) {
            std::uint64_t different = 0;
            for (unsigned l = 2; l < 16; ++l)
                different |=
                    record_.addresses[lane + l] - record_.addresses[lane] - static_cast<std::uint64_t>(step) * l;
            steady = different == 0;
        }
        if (mask == 0xFFFF && steady && step == record_.size) return consecutive(first, lane);
        if (steady && step == 0) return uniform(first, lane, mask);
        checks_.spent_ += scattered_cost;
        apart(mask << lane);
    }

    std::uint64_t* written_word(std::uint64_t address, unsigned lane) {
        if (space_ == ptx::Space::shared) return block_.shared.word(address);
        if (space_ == ptx::Space::local)
            return block_.local.word(address + (std::uint64_t{record_.warp} * warp_size + lane) * checks_.local_bytes_);
        return checks_.written_.word(address);
    }
    std::uint64_t written_bits(std::uint64_t address, unsigned lane) {
        if (space_ != ptx::Space::shared && space_ != ptx::Space::local) return checks_.written_.bits(address);
        const std::uint64_t* word = written_word(address, lane);
        return word ? *word : ~std::uint64_t{0};
    }

    /// For races between streams.
    void use(std::uint64_t address, std::uint64_t bytes) {
        const bool atomic = record_.kind == AccessKind::atomic;
        if (atomic || site_.strength != Strength::weak) footprint_->add(Use::signal, address, bytes, site_.number);
        if (atomic)
            footprint_->add(Use::atomic, address, bytes, site_.number);
        else if (site_.strength == Strength::weak)
            footprint_->add(writes_ ? Use::write : Use::read, address, bytes, site_.number);
    }

    void consecutive(std::uint64_t first, unsigned lane) {
        if (footprint_) use(first, std::uint64_t{16} * record_.size);
        if (initialised_) {
            const std::uint32_t bytes = 16 * record_.size;
            if (space_ != ptx::Space::local && first % 64 == 0 && bytes >= 64) {
                for (std::uint32_t at = 0; at < bytes; at += 64) {
                    if (written_bits(first + at, lane) == ~std::uint64_t{0}) continue;
                    if (reads_)
                        for (std::uint32_t l = at / record_.size; l < (at + 64) / record_.size; ++l)
                            read_one(first + l * record_.size, lane + l);
                    if (!writes_) continue;
                    if (std::uint64_t* word = written_word(first + at, lane)) *word = ~std::uint64_t{0};
                }
            } else {
                for (unsigned l = 0; l < 16; ++l) initialise_one(first + l * record_.size, lane + l);
            }
        }
        if (races_) look({first, record_.size, lane, true});
    }

    void uniform(std::uint64_t address, unsigned lane, std::uint32_t mask) {
        const auto lowest = static_cast<unsigned>(std::countr_zero(mask));
        const auto highest = static_cast<unsigned>(31 - std::countl_zero(mask));
        if (footprint_) use(address, record_.size);
        if (initialised_) {
            if (space_ == ptx::Space::local) {
                for (unsigned l = 0; l < 16; ++l)
                    if (mask >> l & 1) initialise_one(address, lane + l);
            } else {
                initialise_one(address, lane + lowest);
            }
        }
        if (!races_) return;
        if (!writes_) return look({address, record_.size, lane + highest, false});
        look({address, record_.size, lane + lowest, false});
        if (lowest != highest && (site_.strength != Strength::strong || record_.kind == AccessKind::atomic))
            look({address, record_.size, lane + highest, false});
    }

    void apart(std::uint32_t mask) {
        if (footprint_)
            for (std::uint32_t left = mask; left != 0; left &= left - 1)
                use(record_.address(static_cast<unsigned>(std::countr_zero(left))) - window_, record_.size);
        if (initialised_) {
            for (std::uint32_t left = mask; left != 0; left &= left - 1) {
                const auto lane = static_cast<unsigned>(std::countr_zero(left));
                const std::uint64_t address = record_.address(lane) - window_;
                if (races_) shadow().expect(address);
                if (reads_)
                    initialise_one(address, lane);
                else
                    set_written(written_word(address, lane), position(address, lane), record_.size);
            }
        }
        if (!races_) return;
        shadow().access_apart(*actor_, mask, window_);
    }

    void initialise_one(std::uint64_t address, unsigned lane) {
        if (reads_) read_one(address, lane);
        if (writes_) set_written(written_word(address, lane), position(address, lane), record_.size);
    }
    /// Where the word's bits are counted from.
    std::uint64_t position(std::uint64_t address, unsigned lane) const {
        if (space_ != ptx::Space::local) return address;
        return address + (std::uint64_t{record_.warp} * warp_size + lane) * checks_.local_bytes_;
    }
    void read_one(std::uint64_t address, unsigned lane) {
        if (is_unwritten(written_bits(address, lane), position(address, lane), record_.size)) unwritten(address, lane);
    }

    RaceShadow& shadow() {
        if (space_ == ptx::Space::shared) return block_.races;
        return checks_.global_;
    }
    void look(const Run& run) { shadow().access(*actor_, run); }

    void unwritten(std::uint64_t address, unsigned lane) {
        if (site_.mbarrier_init) return;
        // CUB's merges read the element behind a tile, and drop it.
        if (site_.of_library && space_ == ptx::Space::shared) return;
        const Instruction* const at = &record_.code->instructions[record_.code->index_of(record_.instruction)];
        const char* const code = site_.mbarrier ? "mbarrier-not-initialized" : "uninitialized-read";
        checks_.findings_.add(code, at, nullptr, [&] {
            const Launch& launch = checks_.findings_.launch();
            Diagnostic made = error(code, "");
            const bool shared = space_ == ptx::Space::shared, local = space_ == ptx::Space::local;
            const std::string place = shared  ? name_of_shared_place(launch, address)
                                      : local ? fmt::format("byte {} of the thread's local memory", address)
                                              : name_of_place(launch, address);
            if (site_.mbarrier) {
                made.message = fmt::format("uses the barrier object at {}, which nothing has initialized", place);
                made.hint = "one thread calls init() or mbarrier.init, then __syncthreads(), before anyone uses it";
            } else {
                made.message = fmt::format("{} {} bytes at {}, which nothing has written",
                                           record_.kind == AccessKind::atomic ? "adds to or changes" : "reads",
                                           record_.size, place);
                made.hint = shared  ? "shared memory begins with arbitrary contents: each element must be written, and "
                                      "__syncthreads() passed, before it is read"
                            : local ? "give the array its first values: int a[4] = {};"
                                    : hint_for_device_memory(launch, address);
            }
            made.where = author_spot(launch, *record_.code, record_.instruction);
            made.thread = thread_spot(launch, record_.block, record_.warp, lane);
            return made;
        });
    }

    std::string hint_for_device_memory(const Launch& launch, std::uint64_t address) {
        const auto allocation = launch.memory->find(address);
        const std::uint64_t front =
            allocation ? checks_.written_.written_front(allocation->begin, allocation->size) : 0;
        if (front == 0 || address < allocation->begin + front)
            return "cudaMalloc does not clear memory: use cudaMemset, or copy the data there first";
        return fmt::format(
            "only the first {} of its {} bytes were written: the sizes of cudaMemcpy and cudaMemset are in "
            "bytes, n * sizeof(the element)",
            front, allocation->size);
    }

    BlockChecks& checks_;
    BlockState& block_;
    const AccessRecord& record_;
    const AccessSite& site_;
    const ptx::Space space_;
    const std::uint64_t window_;
    const bool reads_, writes_, initialised_;
    bool races_;
    Footprint* const footprint_;  ///< nullptr: nobody asks
    Actor* actor_ = nullptr;
};

void BlockChecks::begin(const Launch& launch, const Selection& selection, DeviceWrittenBytes& written, bool alone) {
    selection_ = selection;
    findings_.begin(launch);
    if (program_serial_ != launch.program->serial) {
        sites_.clear();
        sized_.clear();
        program_serial_ = launch.program->serial;
    }
    wanted_ = selection_.any();
    const bool take_turns = launch.interleaved && launch.program->functions.front()->has_turns_of_blocks;
    for_first_blocks_ = take_turns ? selection_.budget / 2 : selection_.budget;
    for_begun_blocks_ = take_turns ? selection_.budget * 2 : selection_.budget;
    spent_ = ended_ = unobserved_accesses = 0;
    detached_ = interleaved_ = false;
    if (order_.worn_out()) {
        order_.start_over();
        global_.start_over();
        idle_.clear();
    }
    order_.begin_launch();
    global_.begin_launch();
    written_.begin(written, alone);
    const Program& program = *launch.program;
    // Arguments of calls are copied unseen.
    const bool plain = program.functions.size() == 1 && !program.uses_alloca && !program.recursive;
    local_bytes_ = plain && launch.local_bytes <= most_local ? launch.local_bytes : 0;
    unobserved.assign(read_only_memory_.empty() ? 0 : program.access_sites, {});
}

void BlockChecks::forget_blocks() {
    wanted_ = false;
    running_.clear();
    current_ = nullptr;
}

void BlockChecks::take_uses(Uses& uses) {
    std::unordered_map<std::uint32_t, std::uint32_t> lines;  // by site
    for (std::size_t i = 0; i < use_count; ++i) {
        const auto kind = static_cast<Use>(i);
        for (const Extent& extent : footprint_.take(kind)) {
            std::uint32_t& line = lines[extent.site];
            if (const AccessSite* site = line == 0 ? sites_.at(extent.site) : nullptr) {
                uses.lines.push_back(author_spot(findings_.launch(), *site->code, site->instruction));
                line = static_cast<std::uint32_t>(uses.lines.size());
            }
            uses.add(kind, extent.begin, extent.end - extent.begin, line);
        }
    }
}

BlockChecks::BlockState& BlockChecks::find_state(std::uint64_t block) {
    current_ = running_.find(block)->second.get();
    return *current_;
}

void BlockChecks::block_begins(std::uint64_t block, std::uint32_t warps, std::uint32_t shared_bytes) {
    if (!interleaved_ && !running_.empty()) {
        interleaved_ = true;
        for (auto& [number, other] : running_) other->global_actors.clear();
    }
    std::unique_ptr<BlockState> state;
    if (idle_.empty()) {
        state = std::make_unique<BlockState>(reporter_);
    } else {
        state = std::move(idle_.back());
        idle_.pop_back();
    }
    spent_ += warps;  // a block begins and ends at the price of an access of each warp
    order_.begin_block(state->clock, block, warps);
    const std::uint32_t shared_base = findings_.launch().shared_base;
    state->races.begin_block(shared_base, shared_bytes);
    state->reads.begin_block();
    if (selection_.has(Checker::initialised)) {
        // Other blocks of a cluster write there too, which nobody here is told of. What the system keeps for itself
        // begins as zeros: cooperative groups count on that for tiles of several warps.
        const Launch& launch = findings_.launch();
        const std::uint32_t own =
            launch.reserved_shared_at != 0 ? launch.reserved_shared_at - shared_base : shared_bytes;
        state->shared.begin(shared_base, launch.cluster_blocks() > 1 ? 0 : own);
        if (local_bytes_ != 0) state->local.begin(0, std::uint64_t{warps} * warp_size * local_bytes_);
    }
    for (BarrierPhase& phase : state->phases) phase.clear();
    state->shared_actors.clear();
    state->global_actors.clear();
    current_ = state.get();
    running_[block] = std::move(state);
}

void BlockChecks::block_ends(std::uint64_t block, bool detached) {
    detached_ |= detached;
    ++ended_;
    const auto found = running_.find(block);
    if (found == running_.end()) return;
    idle_.push_back(std::move(found->second));
    running_.erase(found);
    current_ = nullptr;
}

void BlockChecks::access(const AccessRecord& record) {
    ++spent_;
    if (record.space == ptx::Space::param || record.mask == 0) return;
    const AccessSite& site = sites_.find(record);
    if (!watched.empty() && site.strength == Strength::weak) note_watched(record);
    if (record.kind == AccessKind::load && !read_only_memory_.empty() && reads_unobserved_memory(record)) return;
    if (site.parameter) return;
    BlockState& block = state_of(record.block);
    ptx::Space space = record.space;
    if (space == ptx::Space::shared && is_only_to_be_logged(record, site, block)) return;
    if (space == ptx::Space::none) {
        const auto window_of = [](std::uint64_t address) {
            for (std::uint64_t window : {shared_window, local_window, param_window})
                if (in_window(address, window)) return window;
            return std::uint64_t{0};
        };
        // One access may lead to several spaces.
        std::uint32_t left = record.mask;
        while (left != 0) {
            const std::uint64_t window = window_of(record.address(static_cast<unsigned>(std::countr_zero(left))));
            AccessRecord part = record;
            part.mask = 0;
            for (unsigned l = 0; l < warp_size; ++l)
                if ((left >> l & 1) && window_of(record.address(l)) == window) part.mask |= 1u << l;
            left &= ~part.mask;
            if (window == param_window) continue;
            access_within(part, block, site,
                          window == shared_window  ? ptx::Space::shared
                          : window == local_window ? ptx::Space::local
                                                   : ptx::Space::global,
                          window);
        }
        return;
    }
    access_within(record, block, site, space, 0);
}

void BlockChecks::note_watched(const AccessRecord& record) {
    if (record.space != ptx::Space::none && record.space != ptx::Space::global) return;
    for (WatchedByte& byte : watched) {
        bool& seen = record.kind == AccessKind::load ? byte.read : byte.written;
        for (unsigned lane = 0; lane < warp_size && !seen; ++lane) {
            if ((record.mask >> lane & 1) == 0 || byte.address - record.address(lane) >= record.size) continue;
            // A write is what is told of, if there is one.
            if (!byte.written) {
                byte.where = author_spot(findings_.launch(), *record.code, record.instruction);
                byte.where.column = 0;  // the host's line is what this is about
                byte.thread = thread_spot(findings_.launch(), record.block, record.warp, lane);
            }
            seen = true;
        }
    }
}

bool BlockChecks::reads_unobserved_memory(const AccessRecord& record) {
    if (record.space == ptx::Space::shared || record.space == ptx::Space::local) return false;
    std::uint64_t low = ~std::uint64_t{0}, high = 0;
    if (record.addresses && record.mask == full_mask) {
        for (unsigned l = 0; l < warp_size; ++l) {
            low = std::min(low, record.addresses[l]);
            high = std::max(high, record.addresses[l]);
        }
    } else if (record.addresses) {
        for (unsigned l = 0; l < warp_size; ++l) {
            if ((record.mask >> l & 1) == 0) continue;
            low = std::min(low, record.addresses[l]);
            high = std::max(high, record.addresses[l]);
        }
    } else {
        const auto reach = static_cast<std::uint64_t>(15 * record.step);
        const std::uint64_t ends[] = {record.first[0], record.first[1], record.first[0] + reach,
                                      record.first[1] + reach};
        low = std::min({ends[0], ends[1], ends[2], ends[3]});
        high = std::max({ends[0], ends[1], ends[2], ends[3]});
    }
    for (const UnobservedRange& range : read_only_memory_) {
        if (!range.holds(low, high)) continue;
        const std::uint32_t key = record.instruction->cache;
        if (key < unobserved.size()) unobserved[key] = range;
        return true;
    }
    return false;
}

/// What Visit would do, where that is nothing but an entry in the log.
bool BlockChecks::is_only_to_be_logged(const AccessRecord& record, const AccessSite& site, BlockState& block) {
    if (!block.reads.takes_reads() || !ReadLog::suits(record) || !block.shared.complete() ||
        site.strength != Strength::weak || site.begins_cas || record.warp >= block.shared_actors.size())
        return false;
    const Actor& actor = block.shared_actors[record.warp];
    if (actor.segment != block.clock.warps[record.warp].segment) return false;
    block.reads.add(record, actor, site.number);
    return true;
}

void BlockChecks::access_within(const AccessRecord& record, BlockState& block, const AccessSite& site, ptx::Space space,
                                std::uint64_t window) {
    if (space == ptx::Space::global) {
        if (site.number >= sized_.size()) sized_.resize(site.number + 1);
        if (!sized_[site.number]) {
            sized_[site.number] = true;
            access_sizes_.emplace_back(record.address(static_cast<unsigned>(std::countr_zero(record.mask))),
                                       record.size);
        }
    }
    Visit(*this, block, record, site, space, window).run();
}

}  // namespace cudash::virtual_gpu
