// A launch that is opened at a finding: on the way there, and from the one party of a race to the other.
#include <fmt/format.h>

#include <bit>

#include "repl/session/debug/debug_session.h"

namespace cudash::session::debug {

namespace gpu = virtual_gpu;
using gpu::Go;
using Why = gpu::Stopped::Why;

std::optional<Go> DebugSession::seek(const gpu::Stopped& stopped) {
    if (!debugger_->seeks_finding()) return std::nullopt;
    if (stopped.why == Why::begun) {
        seek_ = Seek::finding;
        // A program has more launches to look at.
        return Go{.breakpoints = false, .stop_at_end = !setup_.is_program};
    }
    const gpu::FoundHere* finding = debugger_->finding();
    if (stopped.why == Why::finding && seek_ == Seek::finding && finding && stopped.warp) {
        // Of a race both sides are wanted: where did the other one make its access?
        if (finding->other && !debugger_->why_not_back()) {
            const gpu::OtherAccess& other = *finding->other;
            seek_ = Seek::other;
            return Go{.how = Go::How::backward,
                      .breakpoints = false,
                      .touches = other.writes ? gpu::AccessKind::store : gpu::AccessKind::load,
                      .watched = {other.in_shared ? ptx::Space::shared : ptx::Space::global, other.address,
                                  std::max<std::uint64_t>(other.bytes, 1), other.block},
                      .by = gpu::WarpLane{other.block, other.warp, other.lane}};
        }
    }
    if (seek_ == Seek::other) {
        if (stopped.why == Why::touched) other_access_ = stopped.touch;
        seek_ = Seek::back;
        seeks_ = false;
        lane_wanted_ = finding_lane();
        return Go{.how = Go::How::moment, .breakpoints = false, .moment = finding->moment, .stop_at_end = true};
    }
    if (stopped.why == Why::finding) lane_wanted_ = finding_lane();
    if (stopped.why == Why::finding || stopped.why == Why::fault) seeks_ = false;
    seek_ = Seek::none;
    return std::nullopt;
}

std::optional<unsigned> DebugSession::finding_lane() const {
    const gpu::FoundHere* finding = debugger_->finding();
    if (!finding || !finding->diagnostic.thread) return std::nullopt;
    const Dim3 &at = finding->diagnostic.thread->thread, &shape = debugger_->launch().block;
    return ((at.z * shape.y + at.y) * shape.x + at.x) % gpu::warp_size;
}

bool DebugSession::in_same_instruction() const {
    const gpu::FoundHere* finding = debugger_->finding();
    const gpu::Stopped& stopped = debugger_->stopped();
    return finding && finding->other && !other_access_ && stopped.warp && stopped.moment == finding->moment &&
           finding->other->block == stopped.warp->block->number && finding->other->warp == stopped.warp->index &&
           (stopped.warp->mask >> finding->other->lane & 1) != 0;
}

/// Empty: this is another moment.
std::string DebugSession::why_at_finding() const {
    const gpu::Stopped& stopped = debugger_->stopped();
    const gpu::FoundHere* finding = debugger_->finding();
    if (!debugger_->seeks_finding()) return {};
    if (!finding)
        return stopped.why == Why::end && stopped.warp
                   ? "the debug code of this kernel ran without that finding: this is the end of the launch"
                   : std::string();
    const bool arrives = stopped.why == Why::finding || stopped.why == Why::moment;
    if (!arrives || !stopped.warp || stopped.moment != finding->moment) return {};
    if (!finding->other) return "before the instruction that the finding is about";
    if (in_same_instruction())
        return fmt::format(
            "before this access; the other access is of {}, in the same instruction: `other` looks at it",
            thread_text(finding->other->block, finding->other->warp, finding->other->lane));
    if (!other_access_) return "before this thread's access; the other thread's access is not found in this launch";
    const SourceSpot where = spot(*other_access_);
    return fmt::format("before this thread's access; the other access is of {} at {}:{}, moment {}: `other` goes there",
                       thread_text(finding->other->block, finding->other->warp, finding->other->lane), where.file,
                       where.line, other_access_->moment);
}

DebugSession::Answer DebugSession::other(std::string_view) {
    const auto refused = [](std::string message, std::string hint) {
        Outcome outcome;
        outcome.status = Outcome::Status::stopped;
        outcome.diagnostics.push_back(error("can't-move", std::move(message), std::move(hint)));
        return outcome;
    };
    const gpu::FoundHere* finding = debugger_->finding();
    if (in_same_instruction()) {
        block_ = finding->other->block, warp_ = finding->other->warp;
        lane_ = lane_ == finding->other->lane ? finding_lane().value_or(lane_) : finding->other->lane;
        look_from_program();
        return stop_reply({});
    }
    if (!finding || !other_access_)
        return refused("this launch was not opened at a race",
                       "`:debug last` opens a launch at its finding; `who wrote EXPR` finds the last write");
    const bool there = debugger_->stopped().moment == other_access_->moment;
    Go go{.how = Go::How::moment, .breakpoints = false, .stop_at_end = true};
    go.moment = there ? finding->moment : other_access_->moment;
    lane_wanted_ = there ? finding_lane() : static_cast<unsigned>(std::countr_zero(other_access_->lanes));
    return go;
}

}  // namespace cudash::session::debug
