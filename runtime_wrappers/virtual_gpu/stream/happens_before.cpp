#include "runtime_wrappers/virtual_gpu/stream/happens_before.h"

#include <algorithm>

namespace cudash::virtual_gpu {

void Past::set(std::uint32_t chain, std::uint32_t count) {
    if (chain >= counts_.size()) counts_.resize(chain + 1);
    counts_[chain] = count;
}

void Past::join(const Past& other) {
    if (other.counts_.size() > counts_.size()) counts_.resize(other.counts_.size());
    for (std::size_t i = 0; i < other.counts_.size(); ++i) counts_[i] = std::max(counts_[i], other.counts_[i]);
}

Moment HappensBefore::next(Past before, const Moment* first) {
    Moment made{.serial = ++issued_, .past = std::move(before)};
    made.past.join(host_);
    const auto ends_before = [&](std::uint32_t chain) { return made.past.of(chain) == lengths_[chain]; };
    const auto count = static_cast<std::uint32_t>(lengths_.size());
    made.chain = count;
    if (first && first->number != 0 && first->chain < count && ends_before(first->chain)) {
        made.chain = first->chain;
    } else {
        for (std::uint32_t chain = 0; chain < count && made.chain == count; ++chain)
            if (ends_before(chain)) made.chain = chain;
    }
    if (made.chain == count) lengths_.push_back(0);
    made.number = ++lengths_[made.chain];
    made.past.set(made.chain, made.number);
    return made;
}

void HappensBefore::host_waited_for_all() {
    for (std::uint32_t chain = 0; chain < lengths_.size(); ++chain) host_.set(chain, lengths_[chain]);
}

}  // namespace cudash::virtual_gpu
