// call: functions of the module, functions by address, and the runtime's own (calls go to device_library.h).
#include <fmt/format.h>

#include "runtime_wrappers/virtual_gpu/exec/block.h"
#include "runtime_wrappers/virtual_gpu/exec/diagnose.h"
#include "runtime_wrappers/virtual_gpu/exec/lanes.h"
#include "runtime_wrappers/virtual_gpu/exec/stops.h"
#include "runtime_wrappers/virtual_gpu/isa/decode.h"
#include "runtime_wrappers/virtual_gpu/isa/device_library.h"
#include "runtime_wrappers/virtual_gpu/isa/kernel_name.h"
#include "runtime_wrappers/virtual_gpu/memory/address_windows.h"

namespace cudash::virtual_gpu {
namespace {

const Instruction* run_call(const Instruction* i, Warp& w) {
    const CallSite& site = w.frame->code->calls[i->extra];
    return w.call(i, *w.block->launch->program->functions[site.callee], site);
}

/// The address is in register a; lanes that call different functions go one group after the other.
const Instruction* run_indirect_call(const Instruction* i, Warp& w) {
    const auto* address = lanes<std::uint64_t>(w, i->a);
    const auto first = static_cast<unsigned>(std::countr_zero(w.mask));
    const Address target = address[first];
    std::uint32_t same = 0;
    for_each_lane(w.mask, [&](unsigned l) { same |= std::uint32_t{address[l] == target} << l; });
    if (same != w.mask) {
        const Instruction* rejoin = i->c == no_index ? nullptr : &w.frame->code->instructions[i->c];
        w.count_before(i);
        if (w.block->launch->stops) w.block->launch->stops->counts_twice = true;
        return w.split({{i, same}, {i, w.mask & ~same}}, rejoin);
    }
    const Program& program = *w.block->launch->program;
    auto found = in_window(target, code_window) && (target - code_window) % code_step == 0
                     ? program.by_address.find(static_cast<std::uint32_t>((target - code_window) / code_step))
                     : program.by_address.end();
    if (found == program.by_address.end())
        return raise(w, i, LaunchStatus::invalid_pc, "bad-function-pointer",
                     target == 0 ? "a call through a null function pointer"
                                 : "a call through a pointer that is not a device function's");
    return w.call(i, *program.functions[found->second], w.frame->code->calls[i->extra]);
}

ValuePlace place_of(Site& site, const ptx::Operand& operand) {
    if (auto place = site.place(operand.name); place && place->in_frame)
        return {false, static_cast<std::uint32_t>(place->address), static_cast<std::uint32_t>(place->size)};
    if (unsigned bytes = site.register_bytes(operand))
        return {true, site.source(operand, bytes == 8 ? ptx::Type::b64 : ptx::Type::b32), bytes};
    if (operand.kind == ptx::Operand::Kind::integer) return {true, site.source(operand, ptx::Type::b64), 8};
    if (operand.kind == ptx::Operand::Kind::real)
        return {true, site.source(operand, operand.single ? ptx::Type::b32 : ptx::Type::b64), operand.single ? 4u : 8u};
    if (operand.kind == ptx::Operand::Kind::sink) return {true, site.destination(operand, 8), 8};
    site.refuse("an argument is neither a parameter variable nor a register");
    return {};
}

}  // namespace

void select_call(Site& site) {
    if (!site.written.call) return site.refuse();
    const auto& call = *site.written.call;
    CallSite made;
    for (const ptx::Operand& argument : call.arguments) made.arguments.push_back(place_of(site, argument));
    for (const ptx::Operand& result : call.results) made.results.push_back(place_of(site, result));
    site.out.extra = static_cast<std::uint32_t>(site.code().calls.size());
    if (site.register_bytes(call.callee) == 8) {
        site.out.a = site.source(call.callee, ptx::Type::u64);
        site.program().recursive = true;
        site.run(run_indirect_call);
    } else if (Handler library = select_library_function(call.callee.name, site.program())) {
        site.out.cache = site.new_access_site();  // where its arguments point, it may write
        site.run(library);
    } else {
        made.callee = site.callee(call.callee.name);
        if (made.callee == no_index)
            return site.refuse(fmt::format("{} is not the name of a defined function", demangled(call.callee.name)));
        site.run(run_call);
    }
    site.code().calls.push_back(std::move(made));
}

}  // namespace cudash::virtual_gpu
