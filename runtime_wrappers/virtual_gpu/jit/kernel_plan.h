// What compiled code is made of, found before any of it is written: the kernel's plain instructions by kind, its pieces
// between branches, which registers live where, and which of them are progressions over the lanes
// (exec/affine_value.h).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "runtime_wrappers/virtual_gpu/devices/profile.h"
#include "runtime_wrappers/virtual_gpu/isa/instruction.h"
#include "runtime_wrappers/virtual_gpu/isa/instruction_table.h"
#include "runtime_wrappers/virtual_gpu/isa/lane_operation.h"
#include "runtime_wrappers/virtual_gpu/isa/modifiers.h"

namespace cudash::virtual_gpu {

/// What compiled code does for an instruction.
enum class Work : std::uint8_t {
    nothing,    ///< a helper for the interpreter
    meet,       ///< lanes that have parted may wait here for these
    compute,    ///< a function of values, lane by lane (Plan::operation)
    compare,    ///< the same to predicates
    copy,       ///< of a register, with `immediate` added
    special,    ///< reads the special register `special`
    choose,     ///< selp
    shuffle,    ///< shfl by a distance as written, of a whole warp
    vote,       ///< of a whole warp
    combine,    ///< logic on predicates
    parameter,  ///< a kernel parameter at a fixed place
    load,
    store,    ///< checked, then plain memory accesses
    handler,  ///< by the interpreter's handler
    branch,
    barrier,  ///< of the whole block, or a turn: to the interpreter, which lets compiled code go on behind it
    leave     ///< to the interpreter, which does it and goes on
};

enum class Special : std::uint8_t {
    tid_x,
    tid_y,
    tid_z,
    ntid,
    ctaid_x,
    ctaid_y,
    ctaid_z,
    nctaid_x,
    nctaid_y,
    nctaid_z,
    laneid
};

/// How an affine result follows from its operands.
enum class AffineRule : std::uint8_t {
    none,
    sum,
    difference,
    product,
    product_sum,
    shift,
    wide_product,
    wide_product_sum,
    widen,
    narrow
};

/// One of a progression's three numbers: lane l has base + l % 16 * step + l / 16 * half.
struct Distance {
    bool known = true;
    std::int64_t value = 0;
    bool operator==(const Distance&) const = default;
};

/// What is known of a register: `affine` is a progression.
struct LaneShape {
    bool affine = false;
    Distance step, half;
    static LaneShape uniform() { return {true, {}, {}}; }
    bool is_uniform() const { return affine && step == Distance{} && half == Distance{}; }
    bool operator==(const LaneShape&) const = default;
};
LaneShape join(const LaneShape& a, const LaneShape& b);

struct Plan {
    Work work = Work::leave;
    AffineRule rule = AffineRule::none;
    bool is_signed = false;    ///< of a rule that widens
    std::uint8_t bits = 32;    ///< of the affine result
    bool shared = false;       ///< the access is to .shared
    std::uint8_t element = 4;  ///< bytes of an element in memory
    bool sign_extends = false;
    Special special = Special::ntid;
    std::uint32_t number = 0;                  ///< of Special::ntid
    std::uint32_t distance = 0, clamp = 0;     ///< b and c of a shuffle
    bool to_value = false;                     ///< a comparison has a second predicate, or is combined with one
    std::vector<std::uint32_t> reads, writes;  ///< registers of 4, 8 bytes and predicates, by offset
    bool may_keep = false;
    bool chains = false;      ///< the handler goes on to the next one
    bool collective = false;  ///< waits for lanes that have parted
};

/// Compiled code ends here.
constexpr bool ends(Work work) {
    return work == Work::barrier || work == Work::leave;
}

/// Instructions from `first` to `last` that control goes through together.
struct Piece {
    std::uint32_t first = 0, last = 0;
    std::vector<std::uint32_t> successors;      ///< in compiled code
    std::set<std::uint32_t> live_in;            ///< offsets
    std::map<std::uint32_t, LaneShape> shapes;  ///< of the registers that live where it begins
    bool reached = false;
    bool is_entry = false;  ///< the interpreter can hand a warp over here

    // Where lanes have parted (mask_plan.cpp).
    std::vector<std::uint32_t> levels;  ///< that it is in, the outermost first
    std::vector<std::uint32_t> sides;   ///< of these pieces' branches: the other side's lanes may come later
    std::set<std::uint32_t> kept;       ///< registers of lanes that are not here
    std::set<std::uint32_t> carried;    ///< live_in and kept
    std::set<std::uint32_t> in_frame;   ///< the warp's frame has them as they are (frame_plan.cpp)
    std::set<std::uint32_t> held;       ///< of `carried`, what code has as values: the frame has the others
    bool by_lane = false;               ///< a loop that is run for one lane after the other (lane_loop_plan.cpp)
    bool is_masked() const { return !levels.empty(); }
};

/// Pieces that some lanes of a warp go through while others wait for them at the piece `join`.
struct Level {
    std::uint32_t join = 0;
    std::set<std::uint32_t> pieces;
};

/// A branch at which the lanes part in compiled code. Of each side: its first piece (the join: it has none).
struct Parting {
    std::uint32_t level = no_index;
    std::uint32_t taken = no_index, rest = no_index;
    std::set<std::uint32_t> taken_pieces, rest_pieces;
    bool has_two_sides = false;
};
/// Deeper ones are the interpreter's.
inline constexpr unsigned most_partings = 8;

class KernelPlan {
public:
    /// `whole`: for warps whose 32 lanes are all active; otherwise for any. `has_body`: whether compiled code has the
    /// function of that name.
    KernelPlan(const Code& code, const Dim3& block, bool whole, std::function<bool(std::string_view)> has_body);

    const Code& code() const { return code_; }
    bool whole() const { return whole_; }
    std::uint32_t count() const { return static_cast<std::uint32_t>(plans_.size()); }
    const Plan& plan(std::uint32_t i) const { return plans_[i]; }
    const std::vector<Piece>& pieces() const { return pieces_; }
    std::uint32_t piece_at(std::uint32_t first) const { return piece_of_[first]; }
    /// Bytes of a lane; 0: a predicate.
    std::uint32_t bytes_of(std::uint32_t offset) const { return bytes_.at(offset); }
    const std::set<std::uint32_t>& live_before(std::uint32_t i) const { return live_before_[i]; }
    const std::vector<Level>& levels() const { return levels_; }
    /// Other warps go on there: lanes that have parted come back as they left.
    bool is_turn(std::uint32_t i) const;
    /// It ends nowhere but at exits.
    bool only_exits() const;
    /// Lanes may part in a way that the interpreter has to see to.
    bool leaves_parted() const;
    /// By piece: what its branch does with lanes that part; nullptr: the interpreter does it.
    const Parting* parting(std::uint32_t piece) const {
        const auto found = partings_.find(piece);
        return found == partings_.end() ? nullptr : &found->second;
    }
    bool is_constant(std::uint32_t offset) const { return offset >= code_.constants_at; }
    std::uint64_t constant(std::uint32_t offset) const;
    /// What the instruction's result is, its operands being what `shape_of` says.
    template <class ShapeOf>
    LaneShape result(std::uint32_t i, ShapeOf&& shape_of) const {
        return allowed(any_result(i, shape_of));
    }
    LaneShape special_shape(const Plan& plan) const;
    /// Where the lanes of other sides begin that may come next, the piece's own having reached their join.
    std::vector<std::uint32_t> others_behind(const Piece& piece) const;

private:
    template <class ShapeOf>
    LaneShape any_result(std::uint32_t i, ShapeOf&& shape_of) const;
    /// Of what computes, by its affine rule; distances as wide as they come.
    template <class ShapeOf>
    LaneShape affine_result(std::uint32_t i, ShapeOf&& shape_of) const;
    /// A factor that is written in the code, as the instruction takes it.
    std::optional<std::int64_t> literal(const Plan& plan, std::uint32_t offset) const;
    /// Of lanes of which some may be missing, distances that are not known are not found out.
    LaneShape allowed(const LaneShape& shape) const {
        return whole_ || (shape.step.known && shape.half.known) ? shape : LaneShape{};
    }
    Plan classify(std::uint32_t i);
    bool note_uses(std::uint32_t i, Plan& plan);
    /// What was written, and its row.
    struct Written {
        const ptx::Instruction& written;
        const InstructionRow& row;
        ParsedModifiers modifiers;
        bool guarded = false;
        bool has(Mod mod) const { return modifiers.set.has(mod); }
        ptx::Type type() const { return modifiers.types.empty() ? ptx::Type::none : modifiers.types.front(); }
    };
    void classify_arithmetic(std::uint32_t i, const Written& w, bool wide_registers, Plan& plan);
    void classify_copy(std::uint32_t i, const Written& w, Plan& plan);
    void find_affine_rule(std::uint32_t i, const Written& w, Plan& plan);
    /// Registers that hold what a mov wrote, whichever way control came, by offset.
    using Numbers = std::map<std::uint32_t, std::uint64_t>;
    void step(std::uint32_t i, Numbers& numbers) const;
    void find_collectives();
    void classify_collective(std::uint32_t i, const Numbers& numbers);
    void classify_memory(std::uint32_t i, const ParsedModifiers& modifiers, Plan& plan);
    void find_pieces();
    void find_live();
    void find_shapes();
    using Shapes = std::map<std::uint32_t, LaneShape>;
    LaneShape shape_in(const Shapes& shapes, std::uint32_t offset) const;
    /// Of the registers that the piece's instruction writes.
    void step_shapes(const Piece& piece, std::uint32_t i, Shapes& shapes) const;
    void find_lane_loops();
    bool is_lane_loop(std::uint32_t piece) const;
    bool may_run_by_lane(const Piece& piece) const;
    bool pays_by_lane(const Piece& piece) const;
    bool is_chase(const Piece& piece) const;
    /// False: all is known that was to be found.
    bool find_partings();
    bool find_parting(std::uint32_t piece, Parting& parting) const;
    bool find_side(std::uint32_t first, std::uint32_t join, std::set<std::uint32_t>& side) const;
    void find_levels();
    void find_entries();
    void keep_registers();
    void find_in_frame();
    std::set<std::uint32_t> left_in_frame(const Piece& piece) const;
    void find_held();
    bool parts_lanes(std::uint32_t piece) const;
    std::vector<std::uint32_t> all_successors(std::uint32_t i) const;

    const Code& code_;
    Dim3 block_;
    bool whole_;
    std::function<bool(std::string_view)> has_body_;
    std::vector<Plan> plans_;
    std::vector<Piece> pieces_;
    std::vector<std::uint32_t> piece_of_;
    std::map<std::uint32_t, std::uint32_t> bytes_;
    std::vector<std::set<std::uint32_t>> live_before_;
    std::set<std::uint32_t> parting_pieces_;  ///< whose branches' predicates differ from lane to lane
    std::map<std::uint32_t, Parting> partings_;
    std::vector<Level> levels_;
};

inline Distance operator+(const Distance& a, const Distance& b) {
    std::int64_t sum;
    if (!a.known || !b.known || __builtin_add_overflow(a.value, b.value, &sum)) return {false, 0};
    return {true, sum};
}
inline Distance operator-(const Distance& a, const Distance& b) {
    std::int64_t difference;
    if (!a.known || !b.known || __builtin_sub_overflow(a.value, b.value, &difference)) return {false, 0};
    return {true, difference};
}
/// `factor`: of a number that all lanes have; nullopt: known only when it runs.
inline Distance times(const Distance& a, std::optional<std::int64_t> factor) {
    if (a.known && a.value == 0) return a;
    if (!a.known || !factor) return {false, 0};
    std::int64_t product;
    if (__builtin_mul_overflow(a.value, *factor, &product)) return {false, 0};
    return {true, product};
}

template <class ShapeOf>
LaneShape KernelPlan::any_result(std::uint32_t i, ShapeOf&& shape_of) const {
    const Plan& plan = plans_[i];
    const Instruction& instruction = code_.instructions[i];
    switch (plan.work) {
        case Work::copy:
            return shape_of(instruction.a);
        case Work::special:
            return special_shape(plan);
        case Work::parameter:
        case Work::vote:
            return LaneShape::uniform();
        case Work::load: {
            const LaneShape address = shape_of(instruction.a);
            if (address.is_uniform()) return LaneShape::uniform();
            if (address.affine && address.step == Distance{} && instruction.count == 0) return {true, {}, {false, 0}};
            return {};
        }
        case Work::compute:
        case Work::compare:
        case Work::choose:
        case Work::combine:
            break;
        default:
            return {};
    }
    bool all_uniform = true;
    for (std::uint32_t offset : plan.reads)
        if (!(instruction.guard != no_index && offset == (instruction.guard & ~1u) && plan.work == Work::compute))
            all_uniform &= shape_of(offset).is_uniform();
    if (all_uniform) return LaneShape::uniform();
    LaneShape made = affine_result(i, shape_of);
    for (Distance* each : {&made.step, &made.half})
        if (each->known && plan.bits == 32) each->value = static_cast<std::int32_t>(each->value);
    return made;
}

template <class ShapeOf>
LaneShape KernelPlan::affine_result(std::uint32_t i, ShapeOf&& shape_of) const {
    const Plan& plan = plans_[i];
    const Instruction& instruction = code_.instructions[i];
    const auto scaled = [](const LaneShape& shape, std::optional<std::int64_t> factor) -> LaneShape {
        return {true, times(shape.step, factor), times(shape.half, factor)};
    };
    const auto product = [&]() -> LaneShape {
        const LaneShape a = shape_of(instruction.a), b = shape_of(instruction.b);
        if (!a.affine || !b.affine) return {};
        if (b.is_uniform()) return scaled(a, literal(plan, instruction.b));
        return a.is_uniform() ? scaled(b, literal(plan, instruction.a)) : LaneShape{};
    };
    const auto sum = [](const LaneShape& a, const LaneShape& b) -> LaneShape {
        if (!a.affine || !b.affine) return {};
        return {true, a.step + b.step, a.half + b.half};
    };
    switch (plan.rule) {
        case AffineRule::sum:
            return sum(shape_of(instruction.a), shape_of(instruction.b));
        case AffineRule::difference: {
            const LaneShape a = shape_of(instruction.a), b = shape_of(instruction.b);
            if (!a.affine || !b.affine) return {};
            return {true, a.step - b.step, a.half - b.half};
        }
        case AffineRule::product:
        case AffineRule::wide_product:
            return product();
        case AffineRule::product_sum:
        case AffineRule::wide_product_sum:
            return sum(product(), shape_of(instruction.c));
        case AffineRule::shift: {
            const LaneShape a = shape_of(instruction.a);
            if (!a.affine || !is_constant(instruction.b)) return {};
            const std::uint64_t amount = constant(instruction.b) & 0xFFFFFFFF;
            if (amount >= plan.bits || amount > 40) return {};
            return scaled(a, std::int64_t{1} << amount);
        }
        case AffineRule::widen:
        case AffineRule::narrow: {
            const LaneShape a = shape_of(instruction.a);
            return a.affine ? a : LaneShape{};
        }
        case AffineRule::none:
            return {};
    }
    return {};
}

}  // namespace cudash::virtual_gpu
