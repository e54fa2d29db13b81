#include "runtime_wrappers/virtual_gpu/isa/decode.h"

#include <algorithm>
#include <numeric>

#include "runtime_wrappers/virtual_gpu/isa/decode/access_order.h"
#include "runtime_wrappers/virtual_gpu/isa/decode/affine_registers.h"
#include "runtime_wrappers/virtual_gpu/isa/decode/emission.h"
#include "runtime_wrappers/virtual_gpu/isa/decode/flow_graph.h"
#include "runtime_wrappers/virtual_gpu/isa/decode/polls.h"
#include "runtime_wrappers/virtual_gpu/isa/decode/turns.h"
#include "runtime_wrappers/virtual_gpu/isa/sizes.h"

namespace cudash::virtual_gpu {
namespace {

/// What each call takes of a thread's stack beside the function's variables; recorded on an H200, where 64 activations
/// of a function without any fit into the 1024 bytes of cudaLimitStackSize. Endless recursion ends by this.
constexpr std::uint32_t call_bytes = 16;

/// Registers that share their place with no other one. In debug code, none does.
std::vector<std::uint32_t> registers_of_their_own(const FlowGraph& graph, const AffineRegisters& affine, bool debug) {
    if (debug) {
        std::vector<std::uint32_t> all(graph.registers());
        std::iota(all.begin(), all.end(), 0);
        return all;
    }
    std::vector<std::uint32_t> own = graph.frame.registers;
    for (std::uint32_t r = 0; r < graph.registers() && affine.count != 0; ++r)
        if (affine.is_affine(r)) own.push_back(r);
    return own;
}

std::vector<ValuePlace> placed(std::vector<ValuePlace> values, const RegisterPlaces& places) {
    for (ValuePlace& value : values)
        if (value.in_register) value.offset = places.offsets[value.offset];
    return values;
}

std::vector<IndexedStore> indexed_stores(const FlowGraph& graph, const AccessOrder& order) {
    std::vector<IndexedStore> found;
    for (const OrderedAccess& access : order.accesses) {
        const bool may_be_global = access.space == ptx::Space::global || access.space == ptx::Space::none;
        const Provenance& address = access.address;
        if (access.stores && may_be_global && !address.loaded && address.roots != 0 &&
            (address.thread_index || address.block_index))
            found.push_back({graph.items[access.item].written, address.thread_index, address.block_index});
    }
    std::ranges::sort(found, {}, &IndexedStore::written);
    return found;
}

/// The passes, each over the graph and what the ones before it found.
std::unique_ptr<Code> decode_by(const ptx::Function& function, Surroundings& surroundings, const StopChecks* checks) {
    Program& program = surroundings.program();
    auto code = std::make_unique<Code>();
    code->name = function.name;
    code->source = &function;
    if (program.debug) {
        code->debug = std::make_unique<DebugCode>();
        code->debug->first_stop = program.stops;
    }

    FlowGraph graph = make_flow_graph(function, surroundings, checks != nullptr);
    if (checks) graph.checked = find_checked_registers(graph, *checks);
    const AccessOrder order = find_access_order(graph);
    if (order.of_blocks) program.ordered = true;
    program.counts_follow_data |= order.counts_follow_data;
    program.pointers.insert(program.pointers.end(), order.pointers.begin(), order.pointers.end());
    code->indexed_stores = indexed_stores(graph, order);
    AffineRegisters affine = find_affine_registers(graph);
    const TurnPlaces turns = find_turns(graph, order, affine);
    note_polls(graph, program);
    if (code->debug && !checks) affine.count = 0;  // all registers are plain ones

    RegisterPlaces places = place_registers(graph.scopes.register_bytes(), graph.uses, graph.blocks,
                                            registers_of_their_own(graph, affine, code->debug != nullptr));
    if (affine.count != 0) {
        affine.places = place_affine_registers(graph, affine, places, *code);
        affine.steady = find_steady_registers(graph, affine, places);
    }
    if (code->debug) keep_places(graph, places, *code);
    code->parameters = placed(graph.frame.parameters, places);
    code->results = placed(graph.frame.results, places);
    code->constants_at = places.bytes;
    code->cleared = places.cleared;
    Emission emission(graph, affine, places, checks, *code);
    emit(emission, order, turns);

    code->frame_bytes = code->constants_at + static_cast<std::uint32_t>(code->constants.size());
    code->local_bytes = static_cast<std::uint32_t>(round_up(graph.frame.local_bytes, call_bytes));
    code->stack_bytes = static_cast<std::uint32_t>(round_up(graph.frame.depot_bytes, call_bytes));
    if (!function.is_entry) code->stack_bytes += call_bytes;
    return code;
}

}  // namespace

std::uint64_t variable_bytes(const ptx::Variable& variable) {
    std::uint64_t bytes = std::uint64_t{std::max(type_bytes(variable.type), 1u)} * variable.vector;
    if (variable.type >= ptx::Type::texref) bytes = 8;
    for (std::uint64_t dimension : variable.dimensions) bytes = size_product(bytes, dimension);
    return bytes;
}

std::uint64_t variable_alignment(const ptx::Variable& variable) {
    if (variable.alignment != 0) return variable.alignment;
    return variable.type >= ptx::Type::texref
               ? 8
               : std::uint64_t{std::max(type_bytes(variable.type), 1u)} * variable.vector;
}

std::unique_ptr<Code> decode(const ptx::Function& function, Surroundings& surroundings) {
    return decode_by(function, surroundings, nullptr);
}

std::unique_ptr<Code> decode_unstopped(const ptx::Function& function, Surroundings& surroundings,
                                       const StopChecks& checks) {
    return decode_by(function, surroundings, &checks);
}

}  // namespace cudash::virtual_gpu
