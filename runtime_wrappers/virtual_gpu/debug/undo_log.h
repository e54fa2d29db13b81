// What memory held before a launch changed it, so that it can go back to a checkpoint: copies of pieces, made at the
// first write after the checkpoint. Of a checkpoint in the middle of a block also what its threads were in.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "runtime_wrappers/virtual_gpu/exec/saved_state.h"
#include "runtime_wrappers/virtual_gpu/exec/stops.h"

namespace cudash::virtual_gpu {

class UndoLog {
public:
    struct Checkpoint {
        std::uint64_t unit = 0, moment = 0;
        Executed executed{};  ///< before it
        /// nullptr: memory is all that there is, as no block has begun that has not ended.
        std::shared_ptr<const SavedTurns> state{};
    };

    UndoLog(std::uint64_t most_bytes, const std::vector<Range>& ranges) : most_bytes_(most_bytes), ranges_(ranges) {}

    void add(Checkpoint checkpoint);
    /// Bytes at `address` are about to change.
    void save(Address address, std::uint64_t bytes);
    /// Bytes of a block's shared memory, or of a thread's local memory, are about to change.
    void note_write(ptx::Space space, std::uint64_t address, std::uint64_t bytes);
    /// By site: `seen` in these marks says that a warp was there since the last checkpoint. It is reset.
    void note_sites(std::vector<std::uint8_t>& marks);
    /// Whether these bytes can have been written between this checkpoint and the next one. Never wrongly false.
    bool may_write(std::size_t index, ptx::Space space, std::uint64_t address, std::uint64_t bytes) const;
    /// Whether a warp was at a site with this mark between this checkpoint and the next one.
    bool was_at(std::size_t index, const std::vector<std::uint8_t>& marks, std::uint8_t mark) const;
    std::uint64_t most_bytes() const { return most_bytes_; }
    /// The index of the last checkpoint that is not after `moment`.
    std::size_t before(std::uint64_t moment) const;
    const Checkpoint& at(std::size_t index) const { return checkpoints_[index].place; }
    std::size_t count() const { return checkpoints_.size(); }
    /// Memory is again what it was there; later checkpoints are forgotten.
    void restore(std::size_t index);
    /// The copies took more memory than they may, and are gone: there is no way back.
    bool is_lost() const { return lost_; }
    /// Until this ends, nothing is thrown away: the launch may have to go back to where it began.
    void hold(bool on);
    std::uint64_t bytes() const { return bytes_; }

private:
    static constexpr unsigned piece_shift = 10;
    static constexpr std::uint64_t piece_bytes = std::uint64_t{1} << piece_shift;

    struct Piece {
        Address begin = 0;
        std::byte* memory = nullptr;
        std::vector<std::byte> bytes;
    };
    /// Memory of blocks and threads that was written, by address alone, in units of 16 bytes; more of it begins again.
    using Writes = std::bitset<4096>;
    struct Entry {
        Checkpoint place;
        std::unordered_map<std::uint64_t, Piece> pieces{};  ///< by address, in pieces
        // What a search need not look through; of what came after this checkpoint.
        Writes shared{}, local{};
        std::vector<bool> sites{};
    };
    static std::size_t unit_of(std::uint64_t address) { return address >> 4; }
    /// Of an entry itself; the first one is always there, and is not counted.
    static constexpr std::uint64_t record_bytes = sizeof(Entry);

    void save_piece(std::uint64_t number);
    void make_room();
    void remove(std::size_t index);

    std::uint64_t most_bytes_, bytes_ = 0;
    const std::vector<Range>& ranges_;
    std::vector<Entry> checkpoints_;
    std::uint64_t last_piece_ = ~std::uint64_t{0};  ///< saved already
    bool lost_ = false, held_ = false;
};

}  // namespace cudash::virtual_gpu
