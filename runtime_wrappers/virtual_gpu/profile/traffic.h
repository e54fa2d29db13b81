// What accesses to memory cost by the rules of every generation: one run of a kernel can be priced for each of them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "runtime_wrappers/virtual_gpu/model/global_memory/coalescing.h"
#include "runtime_wrappers/virtual_gpu/model/shared_memory/banks.h"

namespace cudash::virtual_gpu {

/// Rules of model/global_memory, with the choices that a generation has.
enum class GlobalRule : std::uint8_t { words_in_sequence, shrinking_segments, lines_in_l1, lines_in_l2, sectors };
/// Rules of model/shared_memory.
enum class SharedRule : std::uint8_t { broadcast_word, multicast, four_byte_banks, eight_byte_banks, phases, joined };
inline constexpr std::size_t global_rules = 5, shared_rules = 6;

GlobalRule global_rule(const Profile& profile, bool store, LoadCaching caching = LoadCaching::by_default);
SharedRule shared_rule(const Profile& profile, BankSize bank_size = BankSize::four_bytes);

struct GlobalCost {
    std::uint64_t requests = 0, transactions = 0;
    std::uint64_t sectors = 0;  ///< of 32 bytes, that the transactions hold together
};
struct SharedCost {
    std::uint64_t wavefronts = 0, ideal = 0;
};
/// A count of a part, for all of it.
inline std::uint64_t scaled(std::uint64_t count, double factor) {
    return static_cast<std::uint64_t>(static_cast<double>(count) * factor + 0.5);
}

GlobalCost global_cost(GlobalRule rule, const WarpAccess& access);
SharedCost shared_cost(SharedRule rule, const WarpAccess& access);

/// Sums over accesses of one kind to one place in the code.
struct Traffic {
    std::uint64_t accesses = 0;       ///< by warps
    std::uint64_t threads = 0;        ///< lanes that took part in them
    std::uint64_t ideal_sectors = 0;  ///< global memory: if the lanes accessed neighbours
    std::array<GlobalCost, global_rules> global{};
    std::array<SharedCost, shared_rules> shared{};

    /// Return what one of the `times` accesses costs, by rule. `only`: by that rule alone.
    std::array<GlobalCost, global_rules> add_global(const WarpAccess& access, std::uint64_t times,
                                                    std::optional<GlobalRule> only = std::nullopt);
    std::array<SharedCost, shared_rules> add_shared(const WarpAccess& access, std::uint64_t times,
                                                    std::optional<SharedRule> only = std::nullopt);
    /// So many times as much of all.
    void scale(double factor);
    Traffic& operator+=(const Traffic& other);
};

}  // namespace cudash::virtual_gpu
