// vadd, vsub, vabsdiff, vmin, vmax, vshl, vshr, vmad, vset and their 2- and 4-lane forms. Hardware since Maxwell has no
// such instructions and does them in steps, so they are no fast path here either.
#include "runtime_wrappers/virtual_gpu/exec/select.h"
#include "runtime_wrappers/virtual_gpu/isa/semantics_video.h"

namespace cudash::virtual_gpu {
namespace {

using namespace semantics;
using enum ptx::Type;

template <class Form, std::uint32_t (*Function)(const Form&, std::uint32_t, std::uint32_t, std::uint32_t),
          std::vector<Form> Code::*Forms>
const Instruction* run_video(const Instruction* i, Warp& w) {
    const Form& form = (w.frame->code->*Forms)[i->extra];
    auto *a = lanes<std::uint32_t>(w, i->a), *b = lanes<std::uint32_t>(w, i->b), *c = lanes<std::uint32_t>(w, i->c);
    auto* d = lanes<std::uint32_t>(w, i->d);
    for_each_lane(w.mask, [&](unsigned l) { d[l] = Function(form, a[l], b[l], c[l]); });
    return i + 1;
}
constexpr Handler run_scalar = &run_video<ScalarVideo, scalar_video, &Code::scalar_video>;
constexpr Handler run_multiply_add = &run_video<ScalarVideo, video_multiply_add, &Code::scalar_video>;
constexpr Handler run_simd = &run_video<SimdVideo, simd_video, &Code::simd_video>;

VideoCompare comparison(const Site& site) {
    struct Row {
        Mod mod;
        VideoCompare compare;
    };
    static constexpr Row rows[] = {{Mod::eq, VideoCompare::eq}, {Mod::ne, VideoCompare::ne},
                                   {Mod::lt, VideoCompare::lt}, {Mod::le, VideoCompare::le},
                                   {Mod::gt, VideoCompare::gt}, {Mod::ge, VideoCompare::ge}};
    for (const Row& row : rows)
        if (site.has(row.mod)) return row.compare;
    return VideoCompare::eq;
}

VideoSecond second_operation(const Site& site) {
    if (site.has(Mod::add)) return VideoSecond::add;
    if (site.has(Mod::min)) return VideoSecond::min;
    return site.has(Mod::max) ? VideoSecond::max : VideoSecond::none;
}

/// ".b1" or ".h0"; nothing: the whole register.
bool part_of(const ptx::Operand& operand, VideoPart& part) {
    const std::string& text = operand.selector;
    if (text.empty()) return true;
    const unsigned bits = text[0] == 'b' ? 8 : 16;
    const unsigned index = static_cast<unsigned>(text[1] - '0');
    if (text.size() != 2 || index * bits >= 32) return false;
    part = {static_cast<std::uint8_t>(index * bits), static_cast<std::uint8_t>(bits)};
    return true;
}

ptx::Operand whole_register(const ptx::Operand& operand) {
    ptx::Operand whole = operand;
    whole.negated = false;
    whole.selector.clear();
    return whole;
}
std::uint32_t word_source(Site& site, std::size_t index) {
    return site.source(whole_register(site.operand(index)), b32);
}

/// d, a, b and, if there is one, c.
bool video_operands(Site& site) {
    site.out.d = site.destination(whole_register(site.operand(0)), 4);
    site.out.a = word_source(site, 1);
    site.out.b = word_source(site, 2);
    site.out.c = site.operands() > 3 ? word_source(site, 3) : site.constant(0, 4);
    return !site.refused();
}

void select_scalar(Site& site, VideoOperation operation) {
    const bool sets = operation == VideoOperation::set;
    const bool shifts = operation == VideoOperation::shl || operation == VideoOperation::shr;
    ScalarVideo form;
    form.operation = operation;
    form.second = second_operation(site);
    form.compare = comparison(site);
    // vset has no destination type: its value is 0 or 1.
    form.d_signed = !sets && site.type(0) == s32;
    form.a_signed = site.type(sets ? 0 : 1) == s32;
    form.c_signed = site.type(0) == s32;
    form.b_signed = !shifts && site.type(sets ? 1 : 2) == s32;
    form.saturate = site.has(Mod::sat);
    form.wrap = site.has(Mod::wrap);
    form.merges = !site.operand(0).selector.empty();
    const bool needs_c = form.merges || form.second != VideoSecond::none;
    if (site.modifiers.types.size() != (sets ? 2u : 3u) || needs_c != (site.operands() == 4) ||
        (form.merges && form.second != VideoSecond::none) || !part_of(site.operand(0), form.d) ||
        !part_of(site.operand(1), form.a) || !part_of(site.operand(2), form.b) || !video_operands(site))
        return site.refuse();
    site.out.extra = static_cast<std::uint32_t>(site.code().scalar_video.size());
    site.code().scalar_video.push_back(form);
    site.run(run_scalar);
}

/// ".h32" of the pair b:a: the lane for each lane of d, lowest last. Nothing: `first` and those above it.
bool lanes_of(const ptx::Operand& operand, unsigned lanes, unsigned first, std::uint8_t (&chosen)[4]) {
    const std::string& text = operand.selector;
    for (unsigned i = 0; i < lanes; ++i) chosen[i] = static_cast<std::uint8_t>(first + i);
    if (text.empty()) return true;
    if (text[0] != (lanes == 2 ? 'h' : 'b') || text.size() != lanes + 1) return false;
    for (unsigned i = 0; i < lanes; ++i) {
        chosen[i] = static_cast<std::uint8_t>(text[lanes - i] - '0');
        if (chosen[i] >= 2 * lanes) return false;
    }
    return true;
}

/// ".b20": which lanes of d are written. Nothing: all.
bool mask_of(const ptx::Operand& operand, unsigned lanes, std::uint8_t& mask) {
    const std::string& text = operand.selector;
    mask = static_cast<std::uint8_t>((1u << lanes) - 1);
    if (text.empty()) return true;
    if (text[0] != (lanes == 2 ? 'h' : 'b')) return false;
    mask = 0;
    for (std::size_t i = 1; i < text.size(); ++i) {
        const auto lane = static_cast<unsigned>(text[i] - '0');
        if (lane >= lanes) return false;
        mask = static_cast<std::uint8_t>(mask | 1u << lane);
    }
    return true;
}

void select_simd(Site& site, VideoOperation operation, unsigned lanes) {
    const bool sets = operation == VideoOperation::set;
    SimdVideo form;
    form.operation = operation;
    form.compare = comparison(site);
    form.lanes = static_cast<std::uint8_t>(lanes);
    form.d_signed = !sets && site.type(0) == s32;
    form.a_signed = site.type(sets ? 0 : 1) == s32;
    form.b_signed = site.type(sets ? 1 : 2) == s32;
    form.saturate = site.has(Mod::sat);
    form.accumulate = site.has(Mod::add);
    if (site.modifiers.types.size() != (sets ? 2u : 3u) || !mask_of(site.operand(0), lanes, form.mask) ||
        !lanes_of(site.operand(1), lanes, 0, form.a_lane) || !lanes_of(site.operand(2), lanes, lanes, form.b_lane) ||
        !video_operands(site))
        return site.refuse();
    site.out.extra = static_cast<std::uint32_t>(site.code().simd_video.size());
    site.code().simd_video.push_back(form);
    site.run(run_simd);
}

}  // namespace

void select_vmad(Site& site) {
    ScalarVideo form;
    form.a_signed = site.type(1) == s32;
    form.b_signed = site.type(2) == s32;
    form.saturate = site.has(Mod::sat);
    form.negate_product = site.operand(1).negated != site.operand(2).negated;
    form.negate_c = site.operand(3).negated;
    form.plus_one = site.has(Mod::po);
    form.scale = site.has(Mod::shr7) ? 7 : site.has(Mod::shr15) ? 15 : 0;
    const bool negates = form.negate_product || form.negate_c;
    // "a and b can be negated, or c, not both; .po excludes either."
    if (site.modifiers.types.size() != 3 || !site.operand(0).selector.empty() || (negates && form.plus_one) ||
        !part_of(site.operand(1), form.a) || !part_of(site.operand(2), form.b) || !video_operands(site))
        return site.refuse();
    site.out.extra = static_cast<std::uint32_t>(site.code().scalar_video.size());
    site.code().scalar_video.push_back(form);
    site.run(run_multiply_add);
}

#define CUDASH_SCALAR_VIDEO(mnemonic, operation)        \
    void select_##mnemonic(Site& site) {                \
        select_scalar(site, VideoOperation::operation); \
    }
CUDASH_SCALAR_VIDEO(vadd, add)
CUDASH_SCALAR_VIDEO(vsub, sub)
CUDASH_SCALAR_VIDEO(vabsdiff, absdiff)
CUDASH_SCALAR_VIDEO(vmin, min)
CUDASH_SCALAR_VIDEO(vmax, max)
CUDASH_SCALAR_VIDEO(vshl, shl)
CUDASH_SCALAR_VIDEO(vshr, shr)
CUDASH_SCALAR_VIDEO(vset, set)
#undef CUDASH_SCALAR_VIDEO

#define CUDASH_SIMD_VIDEO(mnemonic, operation)           \
    void select_##mnemonic##2(Site & site) {             \
        select_simd(site, VideoOperation::operation, 2); \
    }                                                    \
    void select_##mnemonic##4(Site & site) {             \
        select_simd(site, VideoOperation::operation, 4); \
    }
CUDASH_SIMD_VIDEO(vadd, add)
CUDASH_SIMD_VIDEO(vsub, sub)
CUDASH_SIMD_VIDEO(vavrg, average)
CUDASH_SIMD_VIDEO(vmin, min)
CUDASH_SIMD_VIDEO(vmax, max)
CUDASH_SIMD_VIDEO(vset, set)
#undef CUDASH_SIMD_VIDEO
void select_vabsdiff2(Site& site) {
    select_simd(site, VideoOperation::absdiff, 2);
}
void select_any_vabsdiff4(Site& site) {
    select_simd(site, VideoOperation::absdiff, 4);
}

}  // namespace cudash::virtual_gpu
