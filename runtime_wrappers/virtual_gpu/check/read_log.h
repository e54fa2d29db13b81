// Reads of a block's shared memory since its last barrier, as long as nobody has written there: they conflict with
// nothing. Mostly the next barrier comes first, and they are forgotten together; a write has them noted before.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "runtime_wrappers/virtual_gpu/check/race_shadow.h"

namespace cudash::virtual_gpu {

class ReadLog {
public:
    /// A block, or a phase of it, begins.
    void begin() {
        if (!reads_.empty()) worth_ = most_worth;
        reads_.clear();
        on_ = !copies_pending_ && worth_ > 0;
    }
    void begin_block() {
        copies_pending_ = false;
        begin();
    }
    /// An asynchronous copy writes when it likes: barriers do not wait for it.
    void never_again() { copies_pending_ = true; }

    bool takes_reads() const { return on_ && reads_.size() < most; }
    /// Reads that keep their order within both halves of the warp.
    static bool suits(const AccessRecord& record) {
        return record.kind == AccessKind::load && !record.addresses && record.mask == ~std::uint32_t{0} &&
               (record.step == record.size || record.step == 0);
    }
    void add(const AccessRecord& record, const Actor& actor, std::uint32_t site) {
        reads_.push_back(
            {{record.first[0], record.first[1]}, record.size, actor.segment, site, actor.warp, record.step != 0});
    }
    /// From now on, until the next phase, reads are noted as they come.
    void flush(RaceShadow& shadow, const std::vector<Actor>& actors) {
        if (!on_) return;
        on_ = false;
        // Where that is the rule, noting at once is cheaper.
        if (!reads_.empty() && worth_ > 0) --worth_;
        for (const Read& read : reads_)
            for (unsigned half = 0; half < 2; ++half) {
                const unsigned lane = 16 * half + (read.consecutive ? 0 : 15);
                const Run run{read.first[half], read.size, lane, read.consecutive};
                const auto log_size = static_cast<unsigned>(std::countr_zero(read.size));
                shadow.note_read(actors[read.warp], run,
                                 {read.segment, read.site, lane, log_size, Strength::weak, false});
            }
        reads_.clear();
    }

private:
    static constexpr std::size_t most = 8192;
    struct Read {
        std::uint64_t first[2];
        std::uint32_t size, segment, site, warp;
        bool consecutive;
    };
    std::vector<Read> reads_;
    static constexpr unsigned most_worth = 4;
    unsigned worth_ = most_worth;
    bool on_ = true, copies_pending_ = false;
};

}  // namespace cudash::virtual_gpu
