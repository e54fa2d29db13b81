#include "runtime_wrappers/virtual_gpu/isa/instruction_table.h"

#include <algorithm>

#include "runtime_wrappers/virtual_gpu/isa/constant_folding.h"

namespace cudash::virtual_gpu {
namespace {

using enum ptx::Type;

constexpr TypeSet none_set = 0;
constexpr TypeSet integers16 = types({u16, u32, u64, s16, s32, s64});
constexpr TypeSet integers32 = types({u32, u64, s32, s64});
constexpr TypeSet floats = types({f32, f64});
constexpr TypeSet halves = types({f16, f16x2, bf16, bf16x2});
constexpr TypeSet bits16 = types({b16, b32, b64});
constexpr TypeSet signed_integers = types({s16, s32, s64});
/// What a register can be moved as, and what memory can be read and written as.
constexpr TypeSet movable = types({b16, b32, b64, b128, u16, u32, u64, s16, s32, s64, f32, f64});
constexpr TypeSet accessed = movable | types({b8, u8, s8});
constexpr TypeSet reduced = types({b32, b64, u32, u64, s32, s64, f16, f16x2, bf16, bf16x2, f32, f64});

const ModSet rounding = {Mod::rn, Mod::rz, Mod::rm, Mod::rp};
const ModSet scopes = {Mod::cta, Mod::cluster, Mod::gpu, Mod::sys};
const ModSet block_scopes = {Mod::cta, Mod::cluster};
const ModSet load_orders = {Mod::weak, Mod::volatile_, Mod::relaxed, Mod::acquire, Mod::mmio};
const ModSet store_orders = {Mod::weak, Mod::volatile_, Mod::relaxed, Mod::release, Mod::mmio};
const ModSet load_caching = {Mod::ca, Mod::cg, Mod::cs, Mod::lu, Mod::cv, Mod::nc, Mod::cache_hint};
const ModSet store_caching = {Mod::wb, Mod::cg, Mod::cs, Mod::wt, Mod::cache_hint};
const ModSet vectors = {Mod::v2, Mod::v4};
const ModSet comparisons = {Mod::eq,  Mod::ne,  Mod::lt,  Mod::le,  Mod::gt,   Mod::ge,  Mod::lo,
                            Mod::ls,  Mod::hi,  Mod::hs,  Mod::equ, Mod::neu,  Mod::ltu, Mod::leu,
                            Mod::gtu, Mod::geu, Mod::num, Mod::nan, Mod::and_, Mod::or_, Mod::xor_};
const ModSet video_seconds = {Mod::sat, Mod::add, Mod::min, Mod::max};
const ModSet video_comparisons = {Mod::eq, Mod::ne, Mod::lt, Mod::le, Mod::gt, Mod::ge, Mod::add, Mod::min, Mod::max};
const ModSet reductions = {Mod::add,  Mod::min,   Mod::max, Mod::inc, Mod::dec, Mod::and_,      Mod::or_,
                           Mod::xor_, Mod::noftz, Mod::v2,  Mod::v4,  Mod::v8,  Mod::cache_hint};
const ModSet mma_sizes = {Mod::m8n8k4,  Mod::m8n8k16,  Mod::m16n8k4,  Mod::m16n8k8,   Mod::m16n8k16, Mod::m16n8k32,
                          Mod::m8n8k32, Mod::m8n8k128, Mod::m16n8k64, Mod::m16n8k128, Mod::m16n8k256};
const ModSet wmma_sizes = {Mod::m8n8k4,   Mod::m16n16k16, Mod::m32n8k16, Mod::m8n32k16,
                           Mod::m16n16k8, Mod::m8n8k32,   Mod::m8n8k128};
const ModSet surface_load_caching = {Mod::ca, Mod::cg, Mod::cs, Mod::cv};
const ModSet surface_store_caching = {Mod::wb, Mod::cg, Mod::cs, Mod::wt};
const ModSet surface_geometries = {Mod::g1d, Mod::g2d, Mod::g3d, Mod::ga1d, Mod::ga2d};
const ModSet reduced_geometries = {Mod::g1d, Mod::g2d, Mod::g3d};
const ModSet gathered_geometries = {Mod::g2d, Mod::ga2d, Mod::gcube, Mod::gacube};
const ModSet video_lane_comparisons = {Mod::eq, Mod::ne, Mod::lt, Mod::le, Mod::gt, Mod::ge, Mod::add};
const ModSet geometries = {Mod::g1d, Mod::g2d, Mod::g3d, Mod::ga1d, Mod::ga2d, Mod::gcube, Mod::gacube};
// What else the PTX ISA lets a module ask of an object, no driver loads (measured on an H200).
const ModSet queries = {Mod::width, Mod::height, Mod::depth};
const ModSet boundaries = {Mod::trap, Mod::clamp, Mod::zero};
const ModSet no_modifiers = {};

std::vector<InstructionRow> make_rows() {
    std::vector<InstructionRow> rows = {
#define PTX_OP(name, form, types, modifiers, instruction_class, price, section, ...)   \
    {#name,        Form::form, types,         modifiers,     Class::instruction_class, \
     &cost::price, section,    {__VA_ARGS__}, &select_##name},
#include "runtime_wrappers/virtual_gpu/isa/instructions.def"
#undef PTX_OP
    };
    // Names that are C++ keywords carry an underscore in the table.
    for (InstructionRow& row : rows)
        if (row.mnemonic.ends_with('_')) row.mnemonic.remove_suffix(1);
    std::sort(rows.begin(), rows.end(),
              [](const InstructionRow& a, const InstructionRow& b) { return a.mnemonic < b.mnemonic; });
    return rows;
}

}  // namespace

std::span<const InstructionRow> instruction_table() {
    static const std::vector<InstructionRow> rows = make_rows();
    return rows;
}

const InstructionRow* find_instruction(std::string_view mnemonic) {
    auto rows = instruction_table();
    auto found = std::lower_bound(rows.begin(), rows.end(), mnemonic,
                                  [](const InstructionRow& row, std::string_view name) { return row.mnemonic < name; });
    return found != rows.end() && found->mnemonic == mnemonic ? &*found : nullptr;
}

const Behavior& behavior_of(const ptx::Instruction& written) {
    static const Behavior nothing_special;
    const InstructionRow* row = find_instruction(written.mnemonic);
    return row ? row->behavior : nothing_special;
}

namespace {

struct FormRow {
    Form form;
    FormShape shape;
};
constexpr FormRow form_rows[] = {
    {Form::none, {0, 0, 0}}, {Form::a, {0, 1, 1}},     {Form::d, {1, 1, 1}},     {Form::da, {1, 2, 2}},
    {Form::dab, {1, 3, 3}},  {Form::dabc, {1, 4, 4}},  {Form::dabce, {1, 5, 5}}, {Form::dabo, {1, 3, 4}},
    {Form::pab, {1, 3, 4}},  {Form::dm, {1, 2, 3}},    {Form::ma, {0, 2, 3}},    {Form::dmab, {1, 3, 5}},
    {Form::dmx, {1, 2, 6}},  {Form::label, {0, 1, 2}}, {Form::call, {0, 0, 0}},  {Form::dx, {1, 1, 9}},
    {Form::x, {0, 0, 9}},
};
static_assert(
    [] {
        for (std::size_t i = 0; i < std::size(form_rows); ++i)
            if (form_rows[i].form != static_cast<Form>(i)) return false;
        return std::size(form_rows) == static_cast<std::size_t>(Form::x) + 1;
    }(),
    "a row for each form, in the order of Form");

}  // namespace

FormShape shape_of(Form form) {
    return form_rows[static_cast<std::size_t>(form)].shape;
}

}  // namespace cudash::virtual_gpu
