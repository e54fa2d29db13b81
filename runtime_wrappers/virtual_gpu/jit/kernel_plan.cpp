#include "runtime_wrappers/virtual_gpu/jit/kernel_plan.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "runtime_wrappers/virtual_gpu/exec/warp.h"
#include "runtime_wrappers/virtual_gpu/isa/handlers.h"
#include "runtime_wrappers/virtual_gpu/isa/instruction_table.h"

namespace cudash::virtual_gpu {
namespace {

using enum ptx::Type;

/// Bits of an integer type whose arithmetic is that of whole registers; 0: another type.
std::uint8_t whole_bits(ptx::Type type) {
    if (type == u32 || type == s32 || type == b32) return 32;
    return type == u64 || type == s64 || type == b64 ? 64 : 0;
}
bool is_signed_integer(ptx::Type type) {
    return type == s8 || type == s16 || type == s32 || type == s64;
}

struct SpecialName {
    std::string_view name;
    Special special;
};
constexpr SpecialName special_names[] = {{"%tid.x", Special::tid_x},       {"%tid.y", Special::tid_y},
                                         {"%tid.z", Special::tid_z},       {"%ctaid.x", Special::ctaid_x},
                                         {"%ctaid.y", Special::ctaid_y},   {"%ctaid.z", Special::ctaid_z},
                                         {"%nctaid.x", Special::nctaid_x}, {"%nctaid.y", Special::nctaid_y},
                                         {"%nctaid.z", Special::nctaid_z}, {"%laneid", Special::laneid}};

bool reads_clock(std::string_view name) {
    return name.starts_with("%clock") || name.starts_with("%globaltimer");
}

/// The axis of the thread index in all warps: the same progression but for where it begins; or not.
LaneShape thread_index_shape(const Dim3& block, unsigned axis, bool whole) {
    const unsigned threads = block.x * block.y * block.z, warps = (threads + (whole ? 0 : warp_size - 1)) / warp_size;
    if (warps == 0) return {};
    Affine first;
    for (unsigned k = 0; k < warps; ++k) {
        std::uint32_t values[warp_size];
        for (unsigned l = 0; l < warp_size; ++l) {
            const unsigned thread = k * warp_size + l;
            values[l] = axis == 0   ? thread % block.x
                        : axis == 1 ? thread / block.x % block.y
                                    : thread / block.x / block.y;
        }
        Affine made;
        if (!as_affine(values, made)) return {};
        if (k == 0) first = made;
        if (static_cast<std::uint32_t>(made.step) != static_cast<std::uint32_t>(first.step) ||
            static_cast<std::uint32_t>(made.half) != static_cast<std::uint32_t>(first.half))
            return {};
    }
    const auto distance = [](std::uint64_t value) {
        return Distance{true, static_cast<std::int32_t>(static_cast<std::uint32_t>(value))};
    };
    return {true, distance(first.step), distance(first.half)};
}

}  // namespace

LaneShape join(const LaneShape& a, const LaneShape& b) {
    if (!a.affine || !b.affine) return {};
    const auto both = [](const Distance& x, const Distance& y) { return x == y ? x : Distance{false, 0}; };
    return {true, both(a.step, b.step), both(a.half, b.half)};
}

KernelPlan::KernelPlan(const Code& code, const Dim3& block, bool whole, std::function<bool(std::string_view)> has_body)
    : code_(code), block_(block), whole_(whole), has_body_(std::move(has_body)) {
    const std::size_t count = code.steady_at != 0 ? code.steady_at : code.instructions.size();
    plans_.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i) plans_.push_back(classify(i));
    find_pieces();
    find_collectives();
    find_live();
    do find_shapes();
    while (find_partings());
    find_entries();
    find_in_frame();
    find_held();
    find_lane_loops();
}

std::uint64_t KernelPlan::constant(std::uint32_t offset) const {
    std::uint64_t bits = 0;
    const std::size_t at = offset - code_.constants_at;
    std::memcpy(&bits, &code_.constants[at], std::min<std::size_t>(sizeof bits, code_.constants.size() - at));
    return bits;
}

LaneShape KernelPlan::special_shape(const Plan& plan) const {
    switch (plan.special) {
        case Special::tid_x:
            return thread_index_shape(block_, 0, whole_);
        case Special::tid_y:
            return thread_index_shape(block_, 1, whole_);
        case Special::tid_z:
            return thread_index_shape(block_, 2, whole_);
        case Special::laneid:
            return {true, {true, 1}, {true, 16}};
        default:
            return LaneShape::uniform();
    }
}

std::optional<std::int64_t> KernelPlan::literal(const Plan& plan, std::uint32_t offset) const {
    if (!is_constant(offset)) return std::nullopt;
    const bool from_32 = plan.rule == AffineRule::wide_product || plan.rule == AffineRule::wide_product_sum;
    if (plan.bits == 64 && !from_32) return static_cast<std::int64_t>(constant(offset));
    if (plan.is_signed) return static_cast<std::int32_t>(constant(offset));
    return static_cast<std::uint32_t>(constant(offset));
}

Plan KernelPlan::classify(std::uint32_t i) {
    const Instruction& instruction = code_.instructions[i];
    Plan plan;
    const bool wide_registers = note_uses(i, plan);
    const ptx::Instruction* written = code_.written[i];
    if (!written) {
        if (instruction.run == run_join || instruction.run == run_pause) plan.work = Work::nothing;
        if (instruction.run == run_join && !whole_) plan.work = Work::meet;
        if (instruction.run == run_turn) plan.work = Work::barrier;
        return plan;
    }
    const InstructionRow* row = find_instruction(written->mnemonic);
    if (!row || instruction.run == run_refused || instruction.inner == run_refused) return plan;
    const Written w{*written, *row, parse_modifiers(written->modifiers), instruction.guard != no_index};
    const std::string& mnemonic = written->mnemonic;
    switch (row->instruction_class) {
        case Class::control:
            if (row->behavior.control == Control::branch) plan.work = Work::branch;
            break;
        case Class::barrier:
            plan.collective = true;
            if (w.has(Mod::warp) && !w.guarded && whole_) plan.work = Work::handler;
            if ((mnemonic == "bar" || mnemonic == "barrier") && w.has(Mod::sync) && !w.has(Mod::warp) && !w.guarded &&
                written->operands.size() == 1 && written->operands[0].kind == ptx::Operand::Kind::integer)
                plan.work = Work::barrier;
            break;
        case Class::collective:
            plan.collective = true;
            if (whole_ && !w.guarded &&
                (mnemonic == "shfl" || mnemonic == "vote" || mnemonic == "match" || mnemonic == "redux" ||
                 mnemonic == "elect" || mnemonic == "mma" || mnemonic == "wmma" || mnemonic.ends_with("matrix")))
                plan.work = Work::handler;
            break;
        case Class::hint:
            plan.work = Work::nothing;
            break;
        case Class::memory:
            if (mnemonic == "atom" || mnemonic == "red") plan.work = Work::handler;
            if (mnemonic == "ld" || mnemonic == "ldu" || mnemonic == "st") {
                plan.work = Work::handler;
                if (!w.guarded && !wide_registers) classify_memory(i, w.modifiers, plan);
            }
            break;
        case Class::arithmetic:
            classify_arithmetic(i, w, wide_registers, plan);
            break;
    }
    return plan;
}

/// True: registers of 128 bits are among them, which compiled code has not.
bool KernelPlan::note_uses(std::uint32_t i, Plan& plan) {
    bool wide_registers = false;
    const FrameUse& use = code_.uses[i];
    const auto note = [&](std::size_t first, std::size_t count, std::vector<std::uint32_t>& to, bool written) {
        for (std::size_t k = first; k < first + count; ++k) {
            const FrameRegister& r = code_.frame_registers[k];
            if (r.bytes > 8) {
                wide_registers = true;
                continue;
            }
            if (written && r.offset == 0) continue;  // nobody reads it
            bytes_[r.offset] = r.bytes;
            if (std::ranges::find(to, r.offset) == to.end()) to.push_back(r.offset);
        }
    };
    note(use.first, use.reads, plan.reads, false);
    note(use.first + use.reads, use.writes, plan.writes, true);
    plan.may_keep = use.may_keep;
    return wide_registers;
}

void KernelPlan::classify_arithmetic(std::uint32_t i, const Written& w, bool wide_registers, Plan& plan) {
    const std::string& mnemonic = w.written.mnemonic;
    if (mnemonic == "nanosleep") return;
    for (const ptx::Operand& operand : w.written.operands)
        if (reads_clock(operand.name)) return;
    plan.work = Work::handler;
    plan.chains = !w.guarded;
    if (wide_registers) return;
    const LaneOperation* operation = code_.operations[i];
    const bool has_body = operation && has_body_(operation->function);
    if (plan.writes.empty() && w.row.behavior.effect == Effect::none && !w.has(Mod::cc)) {
        plan.work = Work::nothing;  // nobody reads what it writes
    } else if (w.type() == pred) {
        const bool named = mnemonic == "and" || mnemonic == "or" || mnemonic == "xor" || mnemonic == "not" ||
                           (mnemonic == "mov" && !w.written.operands[1].name.starts_with("%is_"));
        if (named && !w.guarded) plan.work = Work::combine;
    } else if (mnemonic == "mov" || mnemonic == "cvta") {
        classify_copy(i, w, plan);
    } else if (mnemonic == "selp") {
        if (!w.guarded && plan.writes.size() == 1) plan.work = Work::choose;
    } else if (mnemonic == "setp") {
        if (!has_body || w.guarded || operation->result != pred) return;
        plan.work = Work::compare;
        const bool pair = w.written.operands[0].kind == ptx::Operand::Kind::predicate_pair;
        plan.to_value = pair || w.has(Mod::and_) || w.has(Mod::or_) || w.has(Mod::xor_);
    } else if (has_body && operation->result != pred && plan.writes.size() == 1 && mnemonic != "set") {
        plan.work = Work::compute;
        find_affine_rule(i, w, plan);
    }
}

void KernelPlan::classify_copy(std::uint32_t i, const Written& w, Plan& plan) {
    const ptx::Operand &to = w.written.operands[0], &from = w.written.operands[1];
    if (to.kind != ptx::Operand::Kind::name || plan.writes.size() != 1) return;
    plan.bits = bytes_[plan.writes[0]] == 8 ? 64 : 32;
    if (from.name.starts_with("%ntid.") && plan.bits == 32 && from.name.size() == 7 && from.name[6] != 'w') {
        plan.work = Work::special;
        plan.special = Special::ntid;
        plan.number = from.name[6] == 'x' ? block_.x : from.name[6] == 'y' ? block_.y : block_.z;
        return;
    }
    for (const SpecialName& each : special_names)
        if (from.name == each.name && plan.bits == 32) {
            plan.work = Work::special;
            plan.special = each.special;
            return;
        }
    const std::size_t sources = plan.reads.size() - (w.guarded ? 1 : 0);
    if (from.kind != ptx::Operand::Kind::vector && (is_constant(code_.instructions[i].a) || sources == 1))
        plan.work = Work::copy;
}

void KernelPlan::find_affine_rule(std::uint32_t i, const Written& w, Plan& plan) {
    const std::uint8_t bits = whole_bits(w.type());
    if (bits == 0 || w.has(Mod::sat) || w.has(Mod::cc) || w.has(Mod::hi)) return;
    const std::string& mnemonic = w.written.mnemonic;
    const bool wide = w.has(Mod::wide);
    plan.bits = wide ? 64 : bits;
    plan.is_signed = is_signed_integer(w.type());
    if (mnemonic == "add") plan.rule = AffineRule::sum;
    if (mnemonic == "sub") plan.rule = AffineRule::difference;
    if (mnemonic == "mul" && wide && bits == 32) plan.rule = AffineRule::wide_product;
    if (mnemonic == "mad" && wide && bits == 32) plan.rule = AffineRule::wide_product_sum;
    if (mnemonic == "mul" && w.has(Mod::lo)) plan.rule = AffineRule::product;
    if (mnemonic == "mad" && w.has(Mod::lo)) plan.rule = AffineRule::product_sum;
    if (mnemonic == "shl") plan.rule = AffineRule::shift;
    if (mnemonic != "cvt" || w.modifiers.types.size() != 2) return;
    const std::uint32_t source = code_.instructions[i].a;
    const ptx::Type from = w.modifiers.types[1];
    const std::uint8_t from_bits = whole_bits(from);
    const bool registers_fit =
        bytes_[plan.writes[0]] * 8 == bits && (is_constant(source) || bytes_[source] * 8 == from_bits);
    if (from_bits == 0 || !registers_fit) return;
    plan.rule = bits > from_bits ? AffineRule::widen : AffineRule::narrow;
    plan.is_signed = is_signed_integer(from);
}

void KernelPlan::classify_memory(std::uint32_t i, const ParsedModifiers& modifiers, Plan& plan) {
    const Instruction& instruction = code_.instructions[i];
    const ptx::Instruction& written = *code_.written[i];
    const bool is_store = written.mnemonic == "st";
    for (Mod mod : {Mod::volatile_, Mod::relaxed, Mod::acquire, Mod::release, Mod::mmio, Mod::async})
        if (modifiers.set.has(mod)) return;
    if (modifiers.types.empty()) return;
    const ptx::Type type = modifiers.types.back();
    const ptx::Space space = modifiers.spaces.empty() ? ptx::Space::none : modifiers.spaces.front();
    plan.element = static_cast<std::uint8_t>(type_bytes(type));
    if (plan.element == 0 || plan.element > 8) return;
    plan.sign_extends = is_signed_integer(type);
    const std::size_t address = std::ranges::count_if(
        written.operands, [](const ptx::Operand& operand) { return operand.kind == ptx::Operand::Kind::address; });
    if (address != 1) return;
    const std::size_t values = std::max<std::size_t>(instruction.count, 1);
    if (space == ptx::Space::param) {
        if (!is_store && plan.reads.empty() && is_constant(instruction.a) && instruction.count == 0)
            plan.work = Work::parameter;
        return;
    }
    if (space != ptx::Space::none && space != ptx::Space::global && space != ptx::Space::constant &&
        space != ptx::Space::shared)
        return;
    if (!is_constant(instruction.a) && std::ranges::find(plan.reads, instruction.a) == plan.reads.end()) return;
    if (values != 1 && values != 2 && values != 4) return;
    plan.shared = space == ptx::Space::shared;
    plan.work = is_store ? Work::store : Work::load;
}

std::vector<std::uint32_t> KernelPlan::all_successors(std::uint32_t i) const {
    const Instruction& instruction = code_.instructions[i];
    const ptx::Instruction* written = code_.written[i];
    const auto index = [&](const Instruction* to) {
        return static_cast<std::uint32_t>(to - code_.instructions.data());
    };
    std::vector<std::uint32_t> next;
    if (instruction.run == run_skip) return {i + 1, index(instruction.target)};
    if (instruction.run == run_exit) return {};
    if (plans_[i].work == Work::branch) {
        if (instruction.guard != no_index) next.push_back(i + 1);
        next.push_back(index(instruction.target));
        return next;
    }
    if (written && plans_[i].work == Work::leave) {
        const Control control = behavior_of(*written).control;
        if (control == Control::stop || (control == Control::leave && instruction.guard == no_index)) return {};
        if (control == Control::indexed_branch) return code_.branch_lists[instruction.extra];
    }
    if (i + 1 < count()) next.push_back(i + 1);
    return next;
}

void KernelPlan::find_pieces() {
    std::set<std::uint32_t> leaders{0};
    for (std::uint32_t i = 0; i < count(); ++i) {
        const Work work = plans_[i].work;
        if (code_.instructions[i].run == run_join) leaders.insert(i);
        if (work != Work::branch && !ends(work)) continue;
        if (i + 1 < count()) leaders.insert(i + 1);
        for (std::uint32_t next : all_successors(i)) leaders.insert(next);
    }
    piece_of_.assign(count() + 1, no_index);
    for (auto at = leaders.begin(); at != leaders.end(); ++at) {
        Piece piece;
        piece.first = *at;
        piece.last = (std::next(at) == leaders.end() ? count() : *std::next(at)) - 1;
        piece_of_[piece.first] = static_cast<std::uint32_t>(pieces_.size());
        pieces_.push_back(piece);
    }
    for (Piece& piece : pieces_)
        if (!ends(plans_[piece.last].work))
            for (std::uint32_t next : all_successors(piece.last)) piece.successors.push_back(piece_of_[next]);
}

/// The interpreter hands warps over where it has done what compiled code doesn't do, and in loops.
void KernelPlan::find_entries() {
    pieces_[0].is_entry = true;
    for (std::uint32_t p = 0; p < pieces_.size(); ++p) {
        const std::uint32_t last = pieces_[p].last;
        const Work work = plans_[last].work;
        if (work != Work::branch && !ends(work)) continue;
        const bool parts_elsewhere = work == Work::branch && parts_lanes(p) && !parting(p);
        for (std::uint32_t next : all_successors(last))
            pieces_[piece_of_[next]].is_entry |= ends(work) || next <= last || (parts_elsewhere && !whole_);
        const std::uint32_t join = code_.instructions[last].c;
        if (parts_elsewhere && join != no_index && piece_of_[join] != no_index)
            pieces_[piece_of_[join]].is_entry = true;
    }
    std::vector<std::uint32_t> queue;
    for (std::uint32_t p = 0; p < pieces_.size(); ++p) {
        pieces_[p].reached = pieces_[p].is_entry;
        if (pieces_[p].is_entry) queue.push_back(p);
    }
    while (!queue.empty()) {
        const std::uint32_t p = queue.back();
        queue.pop_back();
        for (std::uint32_t next : pieces_[p].successors)
            if (!pieces_[next].reached) {
                pieces_[next].reached = true;
                queue.push_back(next);
            }
    }
}

void KernelPlan::find_live() {
    live_before_.resize(count());
    const auto step_back = [&](std::uint32_t i, std::set<std::uint32_t>& live) {
        const Plan& plan = plans_[i];
        if (!plan.may_keep)
            for (std::uint32_t r : plan.writes) live.erase(r);
        if (plan.may_keep) live.insert(plan.writes.begin(), plan.writes.end());
        live.insert(plan.reads.begin(), plan.reads.end());
    };
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t p = pieces_.size(); p-- > 0;) {
            Piece& piece = pieces_[p];
            std::set<std::uint32_t> live;
            for (std::uint32_t next : all_successors(piece.last)) {
                const auto& after = pieces_[piece_of_[next]].live_in;
                live.insert(after.begin(), after.end());
            }
            for (std::uint32_t i = piece.last + 1; i-- > piece.first;) {
                step_back(i, live);
                live_before_[i] = live;
            }
            if (live == piece.live_in) continue;
            piece.live_in = std::move(live);
            changed = true;
        }
    }
}

LaneShape KernelPlan::shape_in(const Shapes& shapes, std::uint32_t offset) const {
    if (is_constant(offset)) return LaneShape::uniform();
    const auto found = shapes.find(offset);
    return found == shapes.end() ? LaneShape{} : found->second;
}

void KernelPlan::step_shapes(const Piece& piece, std::uint32_t i, Shapes& shapes) const {
    const Plan& plan = plans_[i];
    const Instruction& instruction = code_.instructions[i];
    if (plan.writes.empty()) return;
    const auto shape_of = [&](std::uint32_t offset) { return shape_in(shapes, offset); };
    LaneShape made = result(i, shape_of);
    if (instruction.guard != no_index && plan.work != Work::branch) {
        const bool together = shape_of(instruction.guard & ~1u).is_uniform();
        made = together && plan.work != Work::handler && !ends(plan.work)
                   ? allowed(join(made, shape_of(plan.writes[0])))
                   : LaneShape{};
    }
    for (std::uint32_t r : plan.writes) shapes[r] = piece.kept.contains(r) ? LaneShape{} : made;
}

void KernelPlan::find_shapes() {
    for (Piece& piece : pieces_) {
        piece.shapes.clear();
        piece.carried = piece.live_in;
        piece.carried.insert(piece.kept.begin(), piece.kept.end());
    }
    for (std::uint32_t r : pieces_[0].carried) pieces_[0].shapes[r] = LaneShape::uniform();  // cleared
    std::vector<std::uint32_t> queue{0};
    std::vector<bool> seen(pieces_.size());
    seen[0] = true;
    while (!queue.empty()) {
        Piece& piece = pieces_[queue.back()];
        queue.pop_back();
        Shapes shapes = piece.shapes;
        for (std::uint32_t i = piece.first; i <= piece.last; ++i) step_shapes(piece, i, shapes);
        if (plans_[piece.last].work == Work::branch && code_.instructions[piece.last].guard != no_index &&
            !shape_in(shapes, code_.instructions[piece.last].guard & ~1u).is_uniform())
            parting_pieces_.insert(piece_of_[piece.first]);
        std::vector<std::uint32_t> ways = others_behind(piece);
        for (std::uint32_t next : all_successors(piece.last)) ways.push_back(piece_of_[next]);
        for (std::uint32_t to : ways) {
            Piece& target = pieces_[to];
            bool changed = !seen[to];
            for (std::uint32_t r : target.carried) {
                const auto found = shapes.find(r);
                const LaneShape here = found == shapes.end() ? LaneShape{} : found->second;
                const auto known = target.shapes.find(r);
                const LaneShape joined = allowed(known == target.shapes.end() ? here : join(known->second, here));
                if (known != target.shapes.end() && joined == known->second) continue;
                target.shapes[r] = joined;
                changed = true;
            }
            seen[to] = true;
            if (changed) queue.push_back(to);
        }
    }
    for (Piece& piece : pieces_)
        for (std::uint32_t r : piece.carried) piece.shapes.try_emplace(r, LaneShape{});
}

}  // namespace cudash::virtual_gpu
