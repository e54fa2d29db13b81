// Which operations come before which, whatever order they run in: a vector clock for each operation and for the host.
//
// Its components are chains, sequences of operations each of which comes after the one before. A stream is one, and so
// is a branch of a graph; a chain goes on with whatever comes after its last operation, so that work that is all in
// order makes a single one.
#pragma once

#include <cstdint>
#include <vector>

namespace cudash::virtual_gpu {

/// A set of operations that holds, with each one, all that come before it.
class Past {
public:
    bool holds(std::uint32_t chain, std::uint32_t number) const { return of(chain) >= number; }
    /// How many operations of a chain it holds.
    std::uint32_t of(std::uint32_t chain) const { return chain < counts_.size() ? counts_[chain] : 0; }
    void set(std::uint32_t chain, std::uint32_t count);
    void join(const Past& other);

private:
    std::vector<std::uint32_t> counts_;
};

/// When an operation was issued, as far as order goes.
struct Moment {
    std::uint32_t chain = 0, number = 0;  ///< number 0: of no operation
    std::uint64_t serial = 0;             ///< counts what was issued
    Past past;                            ///< the operation itself included

    bool before(const Moment& other) const { return other.past.holds(chain, number); }
};

class HappensBefore {
public:
    /// Of the next operation, which comes after all in `before` and after what the host has waited for: `first` is the
    /// moment whose chain it goes on with, if any.
    Moment next(Past before, const Moment* first);
    void host_waited(const Moment& moment) { host_.join(moment.past); }
    void host_waited_for_all();
    bool host_knows(const Moment& moment) const { return host_.holds(moment.chain, moment.number); }
    void clear() { host_ = {}, lengths_.clear(); }

private:
    Past host_;                           ///< what the host knows to be over
    std::vector<std::uint32_t> lengths_;  ///< of all chains
    std::uint64_t issued_ = 0;
};

}  // namespace cudash::virtual_gpu
