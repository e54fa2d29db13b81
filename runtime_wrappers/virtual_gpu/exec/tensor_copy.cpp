// cp.async.bulk.tensor, cp.reduce.async.bulk.tensor and their prefetch: boxes of tensors, by tensor maps
// (memory/tensor_map.h). What is refused, and how, was measured on an H100.
#include <fmt/format.h>

#include <array>
#include <bit>
#include <optional>

#include "runtime_wrappers/virtual_gpu/exec/bulk_copy.h"
#include "runtime_wrappers/virtual_gpu/exec/diagnose.h"
#include "runtime_wrappers/virtual_gpu/exec/lane_pieces.h"
#include "runtime_wrappers/virtual_gpu/exec/mbarrier.h"
#include "runtime_wrappers/virtual_gpu/isa/image_work.h"
#include "runtime_wrappers/virtual_gpu/memory/tensor_map.h"

namespace cudash::virtual_gpu {
namespace {

using enum ptx::Type;
using ptx::Space;

constexpr std::uint32_t piece = 16;  ///< bytes that change places together

/// The operands in Code::operands: the map's address, the tile's, the mbarrier object's, the blocks that get it, then
/// the coordinates.
struct TensorWork {
    const std::uint32_t *map, *tile = nullptr, *barrier = nullptr, *blocks = nullptr, *coordinates;
    unsigned rank;
    TensorWork(const std::uint32_t* list, unsigned rank) : map(list), coordinates(list + 13), rank(rank) {
        if (list[4] != no_operand) tile = list + 4;
        if (list[8] != no_operand) barrier = list + 8;
        if (list[12] != no_operand) blocks = list + 12;
    }
};

/// One lane's copy.
class TensorCopy {
public:
    TensorCopy(const Instruction* i, Warp& w, unsigned lane, const TensorWork& work)
        : i_(i), w_(w), lane_(lane), work_(work), pieces_(i, w, lane) {}

    bool load();
    bool store(Mod operation);

private:
    using Row = std::array<std::byte, 256 * 8>;

    bool read_map();
    bool read_box(bool to_tensor);
    bool fault(LaunchStatus status, std::string message, std::string hint) {
        const char* code = status == LaunchStatus::misaligned_address ? "misaligned-access" : "bad-tensor-copy";
        raise(w_, i_, status, code, std::move(message), static_cast<int>(lane_), std::move(hint));
        return false;
    }
    std::uint64_t address(const std::uint32_t* operand) const {
        std::uint64_t all[warp_size];
        read_addresses(w_, operand, all);
        return all[lane_];
    }
    /// Of row `row`: where its first element lies in the tensor; nullopt: outside, whatever its column.
    std::optional<std::uint64_t> place_of_row(std::uint32_t row) const;
    /// Elements of the row that lie in the tensor: they are [from, to).
    void find_inside(std::uint32_t& from, std::uint32_t& to) const;
    /// Calls use(element, elements, pointer) for what is reached at once of [from, to) of a row of the tensor.
    template <class Use>
    bool reach_row(std::uint64_t begin, std::uint32_t from, std::uint32_t to, const AccessShape& shape, Use use);
    bool fetch_row(std::uint32_t row, Row& bytes);
    std::uint32_t element_bytes() const { return map_.element().bytes; }

    const Instruction* i_;
    Warp& w_;
    unsigned lane_;
    const TensorWork& work_;
    LanePieces pieces_;
    TensorMap map_;
    std::int64_t at_[TensorMap::most_dimensions] = {};
    std::uint64_t tile_ = 0;
};

bool TensorCopy::read_map() {
    const std::uint64_t begin = address(work_.map);
    alignas(TensorMap) std::array<std::byte, TensorMap::bytes> bytes;
    for (std::uint32_t at = 0; at < bytes.size(); at += piece) {
        const std::byte* const read = pieces_.reach(begin + at, {Space::none, AccessKind::load, piece});
        if (!read) return false;
        std::memcpy(bytes.data() + at, read, piece);
    }
    std::memcpy(&map_, bytes.data(), sizeof map_);
    if (map_.made != TensorMap::mark || map_.type >= TensorMap::elements.size())
        return fault(LaunchStatus::illegal_instruction,
                     fmt::format("the bytes at {:#x} are no tensor map of cuTensorMapEncodeTiled", begin),
                     "give the kernel the map as `const __grid_constant__ CUtensorMap map`, and the copy its address");
    if (map_.rank != work_.rank)
        return fault(LaunchStatus::illegal_instruction,
                     fmt::format("a {}d copy by a tensor map of {} dimension{}", work_.rank, map_.rank,
                                 map_.rank == 1 ? "" : "s"),
                     "the copy's number of dimensions is cuTensorMapEncodeTiled's tensorRank");
    return true;
}

bool TensorCopy::read_box(bool to_tensor) {
    if (!read_map()) return false;
    for (unsigned d = 0; d < work_.rank; ++d) {
        at_[d] = static_cast<std::int32_t>(lanes<std::uint32_t>(w_, work_.coordinates[d])[lane_]);
        if (to_tensor && at_[d] < 0)
            return fault(LaunchStatus::illegal_instruction,
                         fmt::format("a copy into a tensor at coordinate {} of dimension {}", at_[d], d),
                         "a box may reach past the end of a tensor, but not begin before it");
    }
    const std::int64_t first = at_[0] * element_bytes();
    if (first % piece != 0)
        return fault(
            LaunchStatus::illegal_instruction,
            fmt::format("the box begins at column {}, which is byte {} of a row", at_[0], first),
            fmt::format("rows are read and written from a multiple of 16 bytes on: the first coordinate must be "
                        "a multiple of {}",
                        piece / element_bytes()));
    if (!work_.tile) return true;
    tile_ = address(work_.tile);
    constexpr std::uint64_t alignment = 128;
    if (tile_ % alignment != 0)
        return fault(
            LaunchStatus::misaligned_address,
            fmt::format("a tile at byte {:#x} of shared memory, which is not a multiple of {}", tile_, alignment),
            "declare the tile with __align__(128), or __align__(1024) if its map swizzles 128 bytes");
    return true;
}

std::optional<std::uint64_t> TensorCopy::place_of_row(std::uint32_t row) const {
    std::uint64_t place = map_.base + static_cast<std::uint64_t>(at_[0] * element_bytes());
    for (unsigned d = 1; d < map_.rank; ++d) {
        const std::int64_t index = at_[d] + std::int64_t{row % map_.count(d)} * map_.steps[d];
        row /= map_.count(d);
        if (index < 0 || index > map_.last[d]) return std::nullopt;
        place += static_cast<std::uint64_t>(index) * map_.strides[d - 1];
    }
    return place;
}

void TensorCopy::find_inside(std::uint32_t& from, std::uint32_t& to) const {
    const std::int64_t step = map_.steps[0], most = map_.count(0);
    // The first element whose column is not negative, and the first one past the last column.
    from = static_cast<std::uint32_t>(std::clamp<std::int64_t>((-at_[0] + step - 1) / step, 0, most));
    to = static_cast<std::uint32_t>(
        std::clamp<std::int64_t>((std::int64_t{map_.last[0]} - at_[0] + step) / step, from, most));
    if (at_[0] > map_.last[0]) to = from;
}

template <class Use>
bool TensorCopy::reach_row(std::uint64_t begin, std::uint32_t from, std::uint32_t to, const AccessShape& shape,
                           Use use) {
    const std::uint32_t size = element_bytes();
    for (std::uint32_t x = from; x < to;) {
        const bool whole = shape.kind != AccessKind::atomic && map_.steps[0] == 1 && (to - x) * size >= piece;
        AccessShape reached = shape;
        reached.size = whole ? piece : size;
        std::byte* const pointer = pieces_.reach(begin + std::uint64_t{x} * map_.steps[0] * size, reached);
        if (!pointer) return false;
        const std::uint32_t elements = reached.size / size;
        use(x, elements, pointer);
        x += elements;
    }
    return true;
}

bool TensorCopy::fetch_row(std::uint32_t row, Row& bytes) {
    // What lies outside of the tensor: zeros, or the NaN of 16 bits again and again.
    const std::uint16_t outside = map_.fills_nan ? 0x7FF7 : 0;
    const std::uint32_t size = element_bytes();
    for (std::uint32_t at = 0; at < map_.row_bytes(); at += 2) std::memcpy(bytes.data() + at, &outside, sizeof outside);
    const auto begin = place_of_row(row);
    if (!begin) return true;
    std::uint32_t from, to;
    find_inside(from, to);
    const bool rounds = map_.element().rounding == TensorMap::Rounding::tf32;
    return reach_row(*begin, from, to, {Space::global, AccessKind::load, size},
                     [&](std::uint32_t x, std::uint32_t elements, const std::byte* read) {
                         std::byte* const made = bytes.data() + std::size_t{x} * size;
                         std::memcpy(made, read, std::size_t{elements} * size);
                         for (std::uint32_t e = 0; rounds && e < elements; ++e) {
                             float value;
                             std::memcpy(&value, made + 4 * e, sizeof value);
                             const std::uint32_t rounded = semantics::f32_to_tf32<semantics::Rounding::rn>(value);
                             std::memcpy(made + 4 * e, &rounded, sizeof rounded);
                         }
                     });
}

bool TensorCopy::load() {
    if (!read_box(false)) return false;
    const std::uint32_t blocks = work_.blocks ? lanes<std::uint32_t>(w_, *work_.blocks)[lane_] & 0xFFFF : 0;
    const bool in_cluster = w_.block->cluster != nullptr;
    const Targets tiles(in_cluster, tile_, blocks);
    const std::uint32_t rows = map_.rows(), bytes = map_.row_bytes();
    Row row;
    for (std::uint32_t r = 0; r < rows; ++r) {
        if (!fetch_row(r, row)) return false;
        for (const std::uint64_t tile : tiles)
            for (std::uint32_t at = 0; at < bytes; at += piece) {
                const std::uint32_t size = std::min(piece, bytes - at);
                std::byte* const written = pieces_.reach(map_.swizzled(tile + std::uint64_t{r} * map_.pitch() + at),
                                                         {Space::shared, AccessKind::store, std::bit_floor(size)});
                if (!written) return false;
                std::memcpy(written, row.data() + at, size);
            }
    }
    for (const std::uint64_t barrier : Targets(in_cluster, address(work_.barrier), blocks)) {
        Access object;
        object.address[lane_] = barrier;
        if (!complete_bytes(i_, w_, object, [&](unsigned) { return map_.copied_bytes(); })) return false;
    }
    return true;
}

bool TensorCopy::store(Mod operation) {
    if (!read_box(true)) return false;
    const Reduce reduce = operation == Mod::count ? nullptr : reduction_of(operation, map_.element().type, false);
    if (operation != Mod::count && !reduce)
        return fault(
            LaunchStatus::illegal_instruction,
            fmt::format("there is no such reduction of {} elements", map_.element().name),
            "sums, minima and maxima are of 32 and 64 bits or halves; of float and double there are sums alone");
    const std::uint32_t rows = map_.rows(), bytes = map_.row_bytes(), size = element_bytes();
    Row row;
    for (std::uint32_t r = 0; r < rows; ++r) {
        for (std::uint32_t at = 0; at < bytes; at += piece) {
            const std::uint32_t part = std::min(piece, bytes - at);
            const std::byte* const read = pieces_.reach(map_.swizzled(tile_ + std::uint64_t{r} * map_.pitch() + at),
                                                        {Space::shared, AccessKind::load, std::bit_floor(part)});
            if (!read) return false;
            std::memcpy(row.data() + at, read, part);
        }
        const auto begin = place_of_row(r);
        if (!begin) continue;
        std::uint32_t from, to;
        find_inside(from, to);
        const AccessShape shape{Space::global, reduce ? AccessKind::atomic : AccessKind::store, size};
        const bool done =
            reach_row(*begin, from, to, shape, [&](std::uint32_t x, std::uint32_t elements, std::byte* written) {
                const std::byte* const made = row.data() + std::size_t{x} * size;
                if (reduce)
                    reduce(written, made);
                else
                    std::memcpy(written, made, std::size_t{elements} * size);
            });
        if (!done) return false;
    }
    return true;
}

template <bool ToTensor>
const Instruction* run_tensor_copy(const Instruction* i, Warp& w) {
    const TensorWork work(&w.frame->code->operands[i->extra], i->count);
    for (std::uint32_t rest = w.mask; rest != 0; rest &= rest - 1) {
        TensorCopy copy(i, w, static_cast<unsigned>(std::countr_zero(rest)), work);
        if (!(ToTensor ? copy.store(static_cast<Mod>(i->option)) : copy.load())) return nullptr;
    }
    end_copy(w);
    return i + 1;
}

const Instruction* run_tensor_prefetch(const Instruction* i, Warp&) {
    return i + 1;
}

}  // namespace

void select_tensor_copy(Site& site) {
    constexpr Mod geometries[] = {Mod::g1d, Mod::g2d, Mod::g3d, Mod::g4d, Mod::g5d};
    unsigned rank = 0;
    for (unsigned d = 0; d < std::size(geometries); ++d)
        if (site.has(geometries[d])) rank = d + 1;
    const bool prefetches = site.has(Mod::prefetch), is_reduction = site.has(Mod::reduce);
    const bool to_tensor = !prefetches && site.space(0) == Space::global;
    // The map and coordinates come first where the tensor is what is written or fetched ahead.
    const std::size_t map_at = prefetches || to_tensor ? 0 : 1;
    const ptx::Operand& map = site.operand(map_at);
    // [map, {x, y}]
    const bool has_vector = map.elements.size() == 1 && map.elements[0].kind == ptx::Operand::Kind::vector;
    const std::vector<ptx::Operand>& coordinates = has_vector ? map.elements[0].elements : map.elements;
    if (rank == 0 || coordinates.size() != rank || (is_reduction && !to_tensor)) return site.refuse();
    if (prefetches) return site.run(run_tensor_prefetch);

    ptx::Operand plain_map = map;
    plain_map.elements.clear();
    std::vector<std::uint32_t> list;
    bool plain = add_second_address(site, plain_map, Space::none, list);
    plain &= add_second_address(site, site.operand(1 - map_at), Space::shared, list);
    if (to_tensor) {
        list.insert(list.end(), 5, no_operand);
    } else {
        plain &= add_second_address(site, site.operand(2), Space::shared, list);
        list.push_back(site.has(Mod::multicast) ? site.source(site.operand(3), u16) : no_operand);
    }
    if (!plain) return site.refuse();
    for (const ptx::Operand& coordinate : coordinates) list.push_back(site.source(coordinate, s32));
    const Mod operation = is_reduction ? operation_of(site) : Mod::count;
    if (is_reduction && operation == Mod::count) return site.refuse();
    // The map says what is summed, and the rounding of sums shows the order of blocks.
    if (operation == Mod::add) site.order_matters();
    site.out.option = static_cast<std::uint16_t>(operation);
    site.out.count = static_cast<std::uint16_t>(rank);
    site.out.extra = site.list(list);
    site.run(to_tensor ? &run_tensor_copy<true> : &run_tensor_copy<false>);
}

}  // namespace cudash::virtual_gpu
