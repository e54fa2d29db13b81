// What memory held before a launch changed it, so that it can go back to a checkpoint: copies of pieces, made at the
// first write after the checkpoint. Of a checkpoint in the middle of a block also what its threads were in.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
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
    void save(Address address, std::uint64_t bytes) {
        if (address < saved_begin_ || address + bytes > saved_end_) save_pieces(address, bytes);
    }
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

    /// Room for copies, which is used again.
    class Slots {
    public:
        std::byte* take();
        void give_back(std::byte* slot) { free_.push_back(slot); }

    private:
        std::vector<AlignedBytes> slabs_;
        std::vector<std::byte*> free_;
        std::size_t left_ = 0;  ///< of the last slab
    };
    /// Of each piece of an allocation the serial number of the checkpoint that has saved it last; 0: none has.
    using Savers = std::array<std::uint32_t, 1024>;
    struct Allocated {
        Range range;
        std::vector<std::unique_ptr<Savers>> savers;
    };
    struct Piece {
        Address begin = 0;
        std::byte* memory = nullptr;
        std::byte* copy = nullptr;
        std::uint32_t* saver = nullptr;
        std::uint32_t saved_before = 0, bytes = 0;  ///< who saved it before this checkpoint
    };
    /// Memory of blocks and threads that was written, by address alone, in units of 16 bytes; more of it begins again.
    using Writes = std::bitset<4096>;
    struct Entry {
        Checkpoint place;
        /// Its serial number, and the last one of those that were joined to it.
        std::uint32_t first_serial = 0, last_serial = 0;
        std::vector<Piece> pieces{};
        // What a search need not look through; of what came after this checkpoint.
        Writes shared{}, local{};
        std::vector<bool> sites{};
    };
    static std::size_t unit_of(std::uint64_t address) { return address >> 4; }
    /// Of an entry itself; the first one is always there, and is not counted.
    static constexpr std::uint64_t record_bytes = sizeof(Entry);

    void save_pieces(Address address, std::uint64_t bytes);
    void save_piece(Allocated& allocated, std::uint64_t number);
    /// The allocation that the address is in, or the next one; nullptr: there is none.
    Allocated* allocated_from(Address address);
    void make_room();
    void remove(std::size_t index);

    std::uint64_t most_bytes_, bytes_ = 0;
    const std::vector<Range>& ranges_;
    std::vector<Entry> checkpoints_;
    std::vector<Allocated> allocated_;  ///< those of ranges_, in their order
    std::size_t last_allocated_ = 0;
    Slots slots_;
    std::uint32_t serials_ = 0;
    Address saved_begin_ = 1, saved_end_ = 0;  ///< saved already
    bool lost_ = false, held_ = false;
};

}  // namespace cudash::virtual_gpu
