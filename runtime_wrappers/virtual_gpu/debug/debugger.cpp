#include "runtime_wrappers/virtual_gpu/debug/debugger.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace cudash::virtual_gpu {
namespace {

/// Stops after which a launch that nobody asks about looks for Ctrl-C.
constexpr std::uint64_t poll_interval = 1 << 16;
/// Moments between two checkpoints that lie between blocks, at least; and between blocks without stops, which run again
/// as quickly.
constexpr std::uint64_t unit_interval = 1 << 14, unstopped_interval = 1 << 18;

}  // namespace

const char* Debugger::why_not_back() const {
    const Program& program = *launch_->program;
    if (program.uses_heap) return "the kernel allocates memory, which can't be taken back";
    if (program.uses_device_runtime) return "the kernel launches kernels, which can't be taken back";
    if (log_ && log_->is_lost()) return "the memory for checkpoints is used up";
    return nullptr;
}

void Debugger::read_sites(const Launch& launch) {
    const Program& program = *launch.program;
    sites_.clear();
    for (const auto& code : program.functions)
        if (code->debug) add_stop_sites(launch, *code, sites_);
    marked.assign(program.stops, 0);
    for (std::size_t i = 0; i < sites_.size(); ++i)
        if (sites_[i].prologue) marked[i] = foreign;
}

void Debugger::launch_begins(const Launch& launch) {
    faulted_ = false;
    if (!log_) {
        launch_ = &launch;
        read_sites(launch);
        log_.emplace(setup_.most_bytes, *launch.ranges);
        if (checker_) checker_->launch_begins(launch);
    }
    takes_blocks = true;
    ask_again();
}

/// What the checker found, who debugs has been told; and only now the launch is still there for it.
std::vector<Diagnostic> Debugger::launch_ends() {
    if (checker_) (void)checker_->launch_ends();
    return {};
}

void Debugger::unit_begins(std::uint64_t unit, const Executed& so_far) {
    unit_ = unit;
    before_unit_ = so_far;
    if (log_->count() != 0) {
        const UndoLog::Checkpoint& last = log_->at(log_->count() - 1);
        if (last.unit >= unit || moment - last.moment < (with_stops_ ? unit_interval : unstopped_interval)) return;
    }
    add_checkpoint_of_unit();
}

void Debugger::add_checkpoint_of_unit() {
    note_sites();
    log_->add({unit_, moment, before_unit_});
    with_stops_ = false;
    next_checkpoint_ = moment + setup_.checkpoint_interval;
}

void Debugger::note_beginning(std::uint64_t block) {
    if (began_.size() <= block) began_.resize(block + 1, not_yet);
    if (began_[block] == not_yet) began_[block] = moment;
}

void Debugger::block_begins(Block& block) {
    blocks_.insert(std::ranges::upper_bound(blocks_, block.number, {}, [](const Block* each) { return each->number; }),
                   &block);
    note_beginning(block.number);
    // What a function reads before it wrote it is zero, in every run.
    constexpr std::uint64_t most_cleared = 1 << 16;
    for (const Warp& warp : block.warps)
        if (warp.local_size <= most_cleared) std::memset(warp.local, 0, warp_size * warp.local_stride);
    if (is_unstopped_) clear_for_conditions(block);
}

void Debugger::block_ends(Block& block) {
    std::erase(blocks_, &block);
    if (mode_ == Mode::forward && go_.warp && go_.warp->block == block.number) {
        block_over_ = true;
        ask_at = 0;
    }
}

void Debugger::ask_again() {
    ask_at = all_ || !open_.empty() || reported_ || checker_ ? 0 : moment + poll_interval;
    ask_at = std::min(ask_at, next_checkpoint_);
    if (runs_to_limit()) ask_at = std::min(ask_at, limit_);
    if (moment < interrupt_at_) ask_at = std::min(ask_at, interrupt_at_);
}

void Debugger::add_checkpoint(const Warp& warp, const Instruction* stop) {
    next_checkpoint_ = moment + setup_.checkpoint_interval;
    if (log_->is_lost() || why_not_back()) return;
    const std::uint64_t last = log_->at(log_->count() - 1).moment;
    if (moment - last < setup_.checkpoint_interval) {
        next_checkpoint_ = last + setup_.checkpoint_interval;
        return;
    }
    constexpr std::uint64_t most_of_all = 8;
    auto state = save(*warp.worker, stop, log_->most_bytes() / most_of_all);
    if (!state) return;
    next_checkpoint_ = moment + std::max(setup_.checkpoint_interval, state->bytes / setup_.bytes_per_moment);
    const Executed executed{state->warp_instructions, state->thread_instructions};
    note_sites();
    log_->add({unit_, moment, executed, std::move(state)});
}

Arrival Debugger::arrival(Warp& warp, const Instruction* stop) const {
    const StopSite& site = sites_[stop->extra];
    const Frame& frame = *warp.frame;
    Arrival made{warp, site, stop->extra, moment, frame.depth};
    if (site.prologue) return made;
    const StopSite* const before = frame.last_stop ? &sites_[frame.last_stop->extra] : nullptr;
    made.new_line_here =
        !before || before->prologue || before->where.line != site.where.line || before->where.file != site.where.file;
    made.new_line = made.new_line_here || warp.stepped != &frame;
    made.new_round = site.begins_round && (made.new_line_here || (before->run == site.run && before > &site));
    return made;
}

std::optional<Stopped::Why> Debugger::match(const Arrival& arrival) const {
    if (go_.breakpoints && (marked[arrival.number] & asked) && setup_.breaks && setup_.breaks(arrival))
        return Stopped::Why::breakpoint;
    if (go_.wanted && go_.wanted(arrival)) return Stopped::Why::wanted;
    return std::nullopt;
}

bool Debugger::arrives(Warp& warp, const Instruction* stop) {
    if (rewinds_to_ || abandoned_) return false;
    if (!open_.empty()) finish_touches();
    if (moment >= next_checkpoint_) add_checkpoint(warp, stop);
    if (moment < resumes_at_ && mode_ == Mode::forward) return true;
    const bool asked_about = !go_.warp || (warp.index == go_.warp->warp && warp.block->number == go_.warp->block);
    const bool limited = runs_to_limit() && moment >= limit_;
    const bool interrupted = moment >= interrupt_at_ && cancelled && cancelled->load(std::memory_order_relaxed);
    // Most stops of a search are of other warps.
    if (!asked_about && all_ && begun_ && !limited && !interrupted && !reported_ && !block_over_ && !checker_ &&
        !(marked[stop->extra] & asked) && !heeds_births())
        return true;
    if (found_exactly() && begun_) {
        go_to_finding();
        return false;
    }
    if ((searches_births() || (heeds_births() && begun_)) && !limited) look_for_births(warp, stop);
    Stopped stopped{Stopped::Why::moment, moment, &warp, stop, stop->extra};
    if (born_) {
        if (goes_back_to_birth()) return false;
        stopped.why = Stopped::Why::born;
        stopped.touch = std::exchange(born_, std::nullopt);
        return converse(std::move(stopped));
    }
    if (interrupted && cancelled->exchange(false)) {
        if (mode_ == Mode::search || mode_ == Mode::collect) {
            // Who searches stays where they stood.
            arrive_why_ = Stopped::Why::interrupt;
            all_ = false;
            rewind(search_end_, Mode::to_moment, search_end_);
            return false;
        }
        stopped.why = Stopped::Why::interrupt;
        return converse(std::move(stopped));
    }
    if (std::exchange(block_over_, false) && begun_ && mode_ == Mode::forward) {
        stopped.why = Stopped::Why::block_over;
        return converse(std::move(stopped));
    }
    if (limited) {
        if (mode_ == Mode::search) {
            end_search();
            return false;
        }
        stopped.why = mode_ == Mode::collect ? Stopped::Why::collected : arrive_why_;
        stopped.touch = std::exchange(arrived_with_, std::nullopt);
        if (stopped.why == Stopped::Why::fault) stopped.fault = &fault_;
        return converse(std::move(stopped));
    }
    const Arrival arrival = this->arrival(warp, stop);
    ask_again();
    if (reported_) {
        stopped.why = Stopped::Why::watchpoint;
        stopped.touch = std::exchange(reported_, std::nullopt);
        return converse(std::move(stopped));
    }
    if (!begun_) {
        if (arrival.site.prologue) return true;
        begun_ = true;
        first_moment_ = moment;
        stopped.why = Stopped::Why::begun;
        return converse(std::move(stopped));
    }
    if (mode_ == Mode::collect || mode_ == Mode::to_moment || searches_births() ||
        (mode_ == Mode::search && go_.touches))
        return true;
    const auto why = match(arrival);
    if (!why) return true;
    if (mode_ == Mode::search) {
        found_ = {moment, *why};
        return true;
    }
    stopped.why = *why;
    return converse(std::move(stopped));
}

bool Debugger::converse(Stopped stopped) {
    stopped_ = std::move(stopped);
    mode_ = Mode::forward;
    go_ = setup_.converse(*this, stopped_);
    return begin();
}

bool Debugger::begin() {
    reported_.reset();
    block_over_ = false;
    resumes_at_ = interrupt_at_ = 0;
    unstopped_code_ = nullptr;
    needs_stops_.clear();
    open_.clear();
    births_.clear();
    born_.reset();
    all_ = looks_everywhere();
    if (cancelled) cancelled->store(false);
    switch (go_.how) {
        case Go::How::abandon:
            abandoned_ = true;
            return false;
        case Go::How::backward:
            search_end_ = stopped_.moment;
            found_.reset();
            note_sites();
            search_part(log_->before(search_end_ == 0 || go_.births == Go::Births::first ? 0 : search_end_ - 1),
                        search_end_);
            return false;
        case Go::How::collect:
            search_end_ = stopped_.moment;
            collected_.clear();
            all_ = false;
            rewind(0, Mode::collect, stopped_.moment);
            return false;
        case Go::How::moment:
            all_ = false;
            arrive_why_ = Stopped::Why::moment;
            if (!stopped_.warp || go_.moment <= stopped_.moment) {
                rewind(go_.moment, Mode::to_moment, go_.moment);
                return false;
            }
            mode_ = Mode::to_moment;
            limit_ = go_.moment;
            break;
        case Go::How::leave:
        case Go::How::forward:
            break;
    }
    ask_again();
    return true;
}

void Debugger::rewind(std::uint64_t to, Mode mode, std::uint64_t limit) {
    rewinds_to_ = log_->before(to);
    mode_ = mode;
    unstopped_code_ = nullptr;
    limit_ = limit;
}

void Debugger::end_search() {
    end_births();
    all_ = false;
    if (found_) {
        arrive_why_ = found_->why;
        arrived_with_ = std::move(found_->touch);
        rewind(found_->moment, Mode::to_moment, found_->moment);
    } else if (is_first_part(search_from_)) {
        end_without_match();
    } else {
        search_part(search_from_ - 1, log_->at(search_from_).moment);
    }
}

bool Debugger::is_first_part(std::size_t from) {
    return from == 0 || (go_.warp && log_->at(from).moment <= began_[go_.warp->block]);
}

bool Debugger::may_match(std::size_t part) const {
    const auto may_write = [&](const Watched& each) {
        return log_->may_write(part, each.space, each.address, each.bytes);
    };
    if (looks_everywhere()) return true;
    if (go_.touches) return *go_.touches == AccessKind::load || may_write(go_.watched);
    return go_.breakpoints && (log_->was_at(part, marked, asked) || std::ranges::any_of(watches, may_write));
}

void Debugger::search_part(std::size_t from, std::uint64_t end) {
    for (; !may_match(from); --from) {
        if (is_first_part(from)) return end_without_match();
        end = log_->at(from).moment;
    }
    search_from_ = from;
    all_ = looks_everywhere();
    rewind(log_->at(from).moment, Mode::search, end);
}

void Debugger::end_without_match() {
    all_ = false;
    arrive_why_ = Stopped::Why::beginning;
    // Who looked for an access, or in one block, stays.
    const std::uint64_t to =
        go_.touches || go_.warp || go_.births != Go::Births::none ? search_end_ : std::min(first_moment_, search_end_);
    rewind(to, Mode::to_moment, to);
}

void Debugger::faults(Block& block) {
    if (rewinds_to_ || abandoned_ || !block.fault || block.fault->status == LaunchStatus::cancelled) return;
    faulted_ = true;
    checker_ = nullptr;
    const bool told = stopped_.why == Stopped::Why::fault && stopped_.moment + 1 == moment;
    if (go_.how == Go::How::leave || moment == 0 || told || why_not_back() || runs_to_limit()) return;
    // Before what it did.
    fault_ = block.fault->diagnostic;
    arrive_why_ = Stopped::Why::fault;
    all_ = false;
    rewind(moment - 1, Mode::to_moment, moment - 1);
}

std::optional<Stops::Restart> Debugger::next_unit() {
    if (!open_.empty()) finish_touches();
    if (!rewinds_to_ && !abandoned_ && !faulted_) note_beginning(launch_->grid_blocks());
    if (finds() && !rewinds_to_ && !abandoned_ && !why_not_back()) go_to_finding();
    checker_ = nullptr;
    while (!rewinds_to_ && !abandoned_) {
        if (mode_ == Mode::search) {
            end_search();
            break;
        }
        const bool collects = mode_ == Mode::collect, late = mode_ == Mode::to_moment;
        if (go_.how == Go::How::leave || (faulted_ && !collects && !late)) return std::nullopt;
        if (!collects && !late && !go_.stop_at_end) return std::nullopt;
        // The last instruction is where threads still are.
        if (!collects && moment > 0 && !why_not_back()) {
            arrive_why_ = Stopped::Why::end;
            all_ = false;
            rewind(moment - 1, Mode::to_moment, moment - 1);
            break;
        }
        Stopped stopped{collects ? Stopped::Why::collected : Stopped::Why::end, moment};
        converse(std::move(stopped));
        if (!rewinds_to_ && (go_.how == Go::How::forward || go_.how == Go::How::leave)) return std::nullopt;
    }
    if (abandoned_) {
        if (log_ && log_->count() != 0) log_->restore(0);
        return std::nullopt;
    }
    const std::size_t checkpoint = *std::exchange(rewinds_to_, std::nullopt);
    note_sites();  // reset: what is restored knows of none
    log_->restore(checkpoint);
    log_->hold(false);
    const UndoLog::Checkpoint& place = log_->at(checkpoint);
    with_stops_ = place.state != nullptr;
    moment = place.moment;
    unit_ = place.unit;
    next_checkpoint_ = moment + setup_.checkpoint_interval;
    return Restart{place.unit, place.executed, place.state};
}

std::optional<Stops::Restart> Debugger::restart() {
    const auto unit = next_unit();
    if (!unit && setup_.over) setup_.over();
    return unit;
}

}  // namespace cudash::virtual_gpu
