#include "repl/session/debug/warp_condition.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "runtime_wrappers/virtual_gpu/memory/address_windows.h"

namespace cudash::session::debug {

namespace gpu = virtual_gpu;

struct WarpCondition::Node {
    enum class Kind : std::uint8_t {
        constant,
        reg,        ///< `offset` in the frame's registers, `bytes` of a lane; 0 bytes: a predicate
        thread,     ///< threadIdx, by `axis`
        block,      ///< blockIdx, by `axis`
        at_place,   ///< `place`, at the same address for all lanes
        local,      ///< `offset` in each thread's local memory, from the frame's beginning
        through,    ///< behind the pointer operands[0], by `stride` bytes for each step of operands[1], and `offset`
        operation,  ///< of operands
        both,       ///< operands[0] && operands[1]
        either,     ///< operands[0] || operands[1]
        opposite,   ///< !operands[0]
        by_thread   ///< `part`, by the evaluator
    };
    Kind kind = Kind::constant;
    NumberType type;
    TypeId type_id = no_type;  ///< of what is not a computed number
    NumberBits value{};
    std::uint64_t offset = 0, stride = 0;
    std::uint32_t bytes = 0;
    unsigned axis = 0;
    gpu::Watched place{};
    std::optional<Operator> sign{};
    const Expression* part = nullptr;
    std::vector<Node> operands{};
};

/// What an expression is made of where a thread stands.
class WarpCondition::Compiler {
public:
    Compiler(DebugUnit& unit, const gpu::Debugger& debugger, const ThreadAt& at)
        : unit_(unit), at_(at), evaluator_(unit, debugger, at) {}

    std::optional<Node> compile(const Expression& expression) {
        using Kind = Expression::Kind;
        std::optional<Node> made;
        switch (expression.kind) {
            case Kind::number:
                made = constant(expression.number);
                break;
            case Kind::name:
                made = name(expression.text);
                break;
            case Kind::member:
                made = member(expression);
                break;
            case Kind::index:
                made = element(expression);
                break;
            case Kind::unary:
                made = unary(expression);
                break;
            case Kind::binary:
                made = binary(expression);
                break;
            default:
                break;
        }
        return made ? made : by_thread(expression);
    }

private:
    static Node constant(const Scalar& value) {
        Node made;
        made.type = {value.kind, value.bytes};
        if (value.is_real())
            made.value.real = value.real;
        else
            made.value.integer = value.integer;
        return made;
    }

    std::optional<Node> by_thread(const Expression& expression) const {
        const auto value = evaluator_.evaluate(expression);
        const auto number = evaluator_.number(expression);
        if (!value || !number) return std::nullopt;
        Node made;
        made.kind = Node::Kind::by_thread;
        made.type = {number->kind, number->bytes};
        made.type_id = value->type;
        made.part = &expression;
        return made;
    }

    std::optional<Node> typed(Node made, TypeId type) const {
        const auto number = unit_.types.number_type(type);
        if (!number) return std::nullopt;
        made.type = *number;
        made.type_id = type;
        return made;
    }

    std::optional<Node> name(const std::string& name) const {
        const auto named = evaluator_.named_place(name);
        if (!named) return std::nullopt;
        Node made;
        if (named->in_register) {
            made.kind = Node::Kind::reg;
            made.offset = named->in_register->offset;
            made.bytes = named->in_register->bytes;
        } else if (named->memory.space == ptx::Space::local) {
            made.kind = Node::Kind::local;
            made.offset = named->memory.address - at_.frame->local_base;
        } else if (named->memory.space == ptx::Space::param) {
            return std::nullopt;
        } else {
            made.kind = Node::Kind::at_place;
            made.place = named->memory;
        }
        return typed(std::move(made), named->type);
    }

    std::optional<Node> member(const Expression& expression) const {
        const Expression& object = expression.operands[0];
        const std::size_t axis = std::string_view("xyz").find(expression.text);
        if (object.kind != Expression::Kind::name || expression.text.size() != 1 || axis == std::string_view::npos ||
            evaluator_.is_variable(object.text))
            return std::nullopt;
        Node made;
        made.type = {Scalar::Kind::unsigned_integer, 4};
        made.axis = static_cast<unsigned>(axis);
        made.kind = object.text == "threadIdx" ? Node::Kind::thread : Node::Kind::block;
        if (object.text == "threadIdx" || object.text == "blockIdx") return made;
        // blockDim and gridDim are the same for all.
        const auto value = evaluator_.number(expression);
        return value ? std::optional(constant(*value)) : std::nullopt;
    }

    std::optional<Node> element(const Expression& expression) {
        auto pointer = compile(expression.operands[0]);
        if (!pointer || unit_.types[pointer->type_id].kind != DebugType::Kind::pointer) return std::nullopt;
        auto index = compile(expression.operands[1]);
        if (!index || index->type.is_real()) return std::nullopt;
        return behind(std::move(*pointer), std::move(*index));
    }

    std::optional<Node> behind(Node pointer, Node index) const {
        const TypeId target = unit_.types[pointer.type_id].target;
        Node made;
        made.kind = Node::Kind::through;
        made.stride = unit_.types[target].bytes;
        made.operands = {std::move(pointer), std::move(index)};
        return typed(std::move(made), target);
    }

    std::optional<Node> unary(const Expression& expression) {
        if (expression.text == "&") return std::nullopt;
        auto operand = compile(expression.operands[0]);
        if (!operand) return std::nullopt;
        if (expression.text == "*") {
            if (unit_.types[operand->type_id].kind != DebugType::Kind::pointer) return std::nullopt;
            return behind(std::move(*operand), constant(Scalar::of_int(0)));
        }
        if (expression.text == "!") {
            Node made;
            made.kind = Node::Kind::opposite;
            made.type = {Scalar::Kind::boolean, 1};
            made.operands = {std::move(*operand)};
            return made;
        }
        if (operand->type.is_real()) return std::nullopt;
        if (expression.text == "-") return operation("-", constant(Scalar::of_int(0)), std::move(*operand));
        if (expression.text == "~") return operation("^", std::move(*operand), constant(Scalar::of_int(-1)));
        return std::nullopt;
    }

    static std::optional<Node> operation(std::string_view sign, Node left, Node right) {
        const auto found = find_operator(sign, left.type, right.type);
        if (!found) return std::nullopt;
        Node made;
        made.kind = Node::Kind::operation;
        made.type = found->result;
        made.sign = found;
        made.operands = {std::move(left), std::move(right)};
        return made;
    }

    std::optional<Node> binary(const Expression& expression) {
        auto left = compile(expression.operands[0]), right = compile(expression.operands[1]);
        const bool both = expression.text == "&&", either = expression.text == "||";
        if (!left || !right) return std::nullopt;
        if (both || either) {
            Node made;
            made.kind = both ? Node::Kind::both : Node::Kind::either;
            made.type = {Scalar::Kind::boolean, 1};
            made.operands = {std::move(*left), std::move(*right)};
            return made;
        }
        const auto counts_elements = [&](const Node& each) {
            const DebugType::Kind kind = unit_.types[each.type_id].kind;
            return kind == DebugType::Kind::pointer || kind == DebugType::Kind::array;
        };
        if ((expression.text == "+" || expression.text == "-") && (counts_elements(*left) || counts_elements(*right)))
            return std::nullopt;
        return operation(expression.text, std::move(*left), std::move(*right));
    }

    DebugUnit& unit_;
    ThreadAt at_;
    Evaluator evaluator_;
};

/// One look at a warp.
class WarpCondition::Run {
public:
    using Numbers = std::array<NumberBits, gpu::warp_size>;
    Run(const WarpCondition& condition, const gpu::Warp& warp, const gpu::Instruction* stop)
        : condition_(condition), warp_(warp), stop_(stop) {}

    /// Lanes of `mask` that have no value.
    std::uint32_t compute(const Node& node, std::uint32_t mask, Numbers& to) const {
        using Kind = Node::Kind;
        switch (node.kind) {
            case Kind::constant:
                to.fill(node.value);
                return 0;
            case Kind::reg:
                read_registers(node, to);
                return 0;
            case Kind::thread:
                for (unsigned lane = 0; lane < gpu::warp_size; ++lane) to[lane].integer = warp_.tid[node.axis][lane];
                return 0;
            case Kind::block: {
                const Dim3& id = warp_.block->id;
                to.fill({.integer = node.axis == 0 ? id.x : node.axis == 1 ? id.y : id.z});
                return 0;
            }
            case Kind::at_place:
            case Kind::local:
            case Kind::through:
                return read_memory(node, mask, to);
            case Kind::operation:
                return operate(node, mask, to);
            case Kind::both:
            case Kind::either:
                return decide(node, mask, to);
            case Kind::opposite: {
                const std::uint32_t failed = compute(node.operands[0], mask, to);
                convert(to.data(), gpu::warp_size, node.operands[0].type, node.type);
                for (NumberBits& each : to) each.integer = each.integer == 0;
                return failed;
            }
            case Kind::by_thread:
                return ask(node, mask, to);
        }
        return mask;
    }

private:
    void read_registers(const Node& node, Numbers& to) const {
        const std::byte* from = warp_.frame->registers + node.offset;
        if (node.bytes == 0) {
            std::uint32_t mask = 0;
            std::memcpy(&mask, from, sizeof mask);
            for (unsigned lane = 0; lane < gpu::warp_size; ++lane) to[lane] = number_of(node.type, mask >> lane & 1);
            return;
        }
        if (node.bytes >= node.type.bytes) return read_numbers(node.type, from, node.bytes, to.data(), gpu::warp_size);
        for (unsigned lane = 0; lane < gpu::warp_size; ++lane, from += node.bytes) {
            std::uint64_t raw = 0;
            std::memcpy(&raw, from, node.bytes);
            to[lane] = number_of(node.type, raw);
        }
    }

    std::uint32_t read_memory(const Node& node, std::uint32_t mask, Numbers& to) const {
        Numbers index{};
        std::uint32_t failed = 0;
        if (node.kind == Node::Kind::through)
            failed = compute(node.operands[0], mask, to) | compute(node.operands[1], mask, index);
        for (unsigned lane = 0; lane < gpu::warp_size; ++lane) {
            if (!((mask & ~failed) >> lane & 1)) continue;
            gpu::Watched place = node.place;
            if (node.kind == Node::Kind::through) {
                const auto pointer = static_cast<std::uint64_t>(to[lane].integer);
                place = gpu::spot_of(pointer + static_cast<std::uint64_t>(index[lane].integer) * node.stride);
            } else if (node.kind == Node::Kind::local) {
                place = {ptx::Space::local, warp_.frame->local_base + node.offset};
            }
            place.block = warp_.block->number, place.warp = warp_.index, place.lane = lane;
            place.bytes = node.type.bytes;
            const bool is_null = node.kind == Node::Kind::through && to[lane].integer == 0;
            const std::byte* const at = is_null ? nullptr : condition_.debugger_->memory_of(place);
            std::uint64_t raw = 0;
            if (at)
                std::memcpy(&raw, at, node.type.bytes);
            else
                failed |= 1u << lane;
            to[lane] = number_of(node.type, raw);
        }
        return failed;
    }

    std::uint32_t operate(const Node& node, std::uint32_t mask, Numbers& to) const {
        const Operator& sign = *node.sign;
        Numbers left, right;
        std::uint32_t failed = compute(node.operands[0], mask, left);
        failed |= compute(node.operands[1], mask & ~failed, right);
        convert(left.data(), gpu::warp_size, node.operands[0].type, sign.left);
        convert(right.data(), gpu::warp_size, node.operands[1].type, sign.right);
        return failed | (sign.apply(left.data(), right.data(), to.data(), gpu::warp_size, sign.result) & mask);
    }

    /// C++ looks at the right side of && and || where that decides.
    std::uint32_t decide(const Node& node, std::uint32_t mask, Numbers& to) const {
        std::uint32_t failed = compute(node.operands[0], mask, to);
        convert(to.data(), gpu::warp_size, node.operands[0].type, node.type);
        std::uint32_t open = 0;
        for (unsigned lane = 0; lane < gpu::warp_size; ++lane)
            open |= std::uint32_t{(to[lane].integer != 0) == (node.kind == Node::Kind::both)} << lane;
        open &= mask & ~failed;
        if (open == 0) return failed;
        Numbers right;
        failed |= compute(node.operands[1], open, right);
        convert(right.data(), gpu::warp_size, node.operands[1].type, node.type);
        for (unsigned lane = 0; lane < gpu::warp_size; ++lane)
            if (open >> lane & 1) to[lane] = right[lane];
        return failed;
    }

    std::uint32_t ask(const Node& node, std::uint32_t mask, Numbers& to) const {
        std::uint32_t failed = 0;
        for (unsigned lane = 0; lane < gpu::warp_size; ++lane) {
            if (!(mask >> lane & 1)) continue;
            const Evaluator evaluator(*condition_.unit_, *condition_.debugger_, {&warp_, lane, warp_.frame, stop_});
            const auto value = evaluator.number(*node.part);
            if (value)
                to[lane] = bits_of(*value);
            else
                failed |= 1u << lane;
        }
        return failed;
    }

    const WarpCondition& condition_;
    const gpu::Warp& warp_;
    const gpu::Instruction* stop_;
};

WarpCondition::WarpCondition(const Expression& condition, DebugUnit& unit, const gpu::Debugger& debugger)
    : condition_(std::make_shared<const Expression>(condition)), unit_(&unit), debugger_(&debugger) {}

std::optional<WarpCondition> WarpCondition::compile(const Expression& condition, DebugUnit& unit,
                                                    const gpu::Debugger& debugger, const ThreadAt& at) {
    WarpCondition made(condition, unit, debugger);
    auto root = Compiler(unit, debugger, at).compile(*made.condition_);
    if (!root) return std::nullopt;
    made.root_ = std::make_shared<const Node>(std::move(*root));
    made.note_registers(*made.root_);
    return made;
}

void WarpCondition::note_registers(const Node& node) {
    const auto offset = static_cast<std::uint32_t>(node.offset);
    if (node.kind == Node::Kind::reg &&
        std::ranges::find(registers_, offset, &gpu::FrameRegister::offset) == registers_.end())
        registers_.push_back({offset, node.bytes});
    knows_registers_ &= node.kind != Node::Kind::by_thread;
    using Kind = Node::Kind;
    reads_block_ |= node.kind == Kind::block;
    reads_memory_ |= node.kind == Kind::at_place || node.kind == Kind::through;
    for (const Kind more : {Kind::thread, Kind::at_place, Kind::local, Kind::through}) reads_more_ |= node.kind == more;
    for (const Node& operand : node.operands) note_registers(operand);
}

/// Most warps of a launch have in a kernel's parameters what the one before had. Asking costs a look at the registers.
bool WarpCondition::is_known(const gpu::Warp& warp, std::uint32_t mask) const {
    std::size_t size = 0;
    bool same = mask == known_.mask;
    for (const gpu::FrameRegister& each : registers_) {
        const std::size_t bytes = each.bytes == 0 ? sizeof(std::uint32_t) : each.bytes * gpu::warp_size;
        if (known_.registers.size() < size + bytes) known_.registers.resize(size + bytes), same = false;
        const std::byte* const here = warp.frame->registers + each.offset;
        if (!same || std::memcmp(&known_.registers[size], here, bytes) != 0) {
            std::memcpy(&known_.registers[size], here, bytes);
            same = false;
        }
        size += bytes;
    }
    known_.mask = mask;
    return same;
}

WarpCondition::Lanes WarpCondition::of(const gpu::Warp& warp, const gpu::Instruction* stop, std::uint32_t mask) const {
    const bool by_registers = reads_registers_alone() && !reads_block_;
    if (by_registers && is_known(warp, mask)) return known_.lanes;
    Run::Numbers numbers{};
    Lanes lanes;
    lanes.failed = Run(*this, warp, stop).compute(*root_, mask, numbers) & mask;
    convert(numbers.data(), gpu::warp_size, root_->type, {Scalar::Kind::boolean, 1});
    for (unsigned lane = 0; lane < gpu::warp_size; ++lane)
        lanes.held |= std::uint32_t{numbers[lane].integer != 0} << lane;
    lanes.held &= mask & ~lanes.failed;
    if (by_registers) known_.lanes = lanes;
    return lanes;
}

}  // namespace cudash::session::debug
