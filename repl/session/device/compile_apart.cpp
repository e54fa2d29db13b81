// Kernels of headers (Thrust's, CUB's) that cells use. Each takes nvcc seconds, so the ones that a cell was the first
// to use become a module of their own, once, and the session's own text stays one that NVRTC takes in milliseconds.
#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "repl/session/device/device_unit.h"
#include "repl/session/device/text_scan.h"

namespace cudash::session {
namespace {

/// Without the #include lines of Thrust and CUB.
std::string without_algorithms(std::string text) {
    for (const TextRun& run : scan_text(text)) {
        const std::string_view directive = std::string_view(text).substr(run.begin, run.end - run.begin);
        if (run.kind != TextRun::Kind::directive || directive.find("include") == directive.npos) continue;
        if (directive.find("<thrust/") != directive.npos || directive.find("<cub/") != directive.npos)
            std::fill_n(text.begin() + static_cast<std::ptrdiff_t>(run.begin), directive.size(), ' ');
    }
    return text;
}

}  // namespace

nvrtc::Request DeviceUnit::Apart::request_for(const api::Target& target) const {
    nvrtc::Request made = request;
    made.arch = target.arch;
    made.real = target.real;
    return made;
}

/// Macros of the session that shape Thrust's and CUB's code.
bool DeviceUnit::configures_headers() const {
    const auto is_of_library = [](std::string_view text) {
        constexpr std::array<std::string_view, 4> names = {"THRUST_", "CUB_", "CCCL_", "LIBCUDACXX_"};
        return std::ranges::any_of(names, [&](std::string_view each) { return text.find(each) != text.npos; });
    };
    if (std::ranges::any_of(settings_.defines, is_of_library)) return true;
    for (const SourceText& source : sources_) {
        const std::string_view text = source.text;
        if (!is_of_library(text)) continue;
        for (const TextRun& run : scan_text(text)) {
            const std::string_view directive = text.substr(run.begin, run.end - run.begin);
            if (run.kind == TextRun::Kind::directive && directive.find("define") != directive.npos &&
                is_of_library(directive))
                return true;
        }
    }
    return false;
}

/// With the headers alone that define what the kernels are made of, in place of all of Thrust: nvcc reads them in half
/// the time.
std::optional<nvrtc::Request> DeviceUnit::brief_request(const std::vector<std::size_t>& kernels) const {
    std::set<std::string> headers;
    for (const std::size_t each : kernels) {
        if (kernels_[each]->fact.headers.empty()) return std::nullopt;
        headers.insert(kernels_[each]->fact.headers.begin(), kernels_[each]->fact.headers.end());
    }
    if (configures_headers()) return std::nullopt;
    std::string includes;
    for (const std::string& header : headers) includes += "#include \"" + header + "\"\n";
    const Scope scope{.kernels = &kernels};
    nvrtc::Request request;
    if (std::ranges::any_of(kernels, [&](std::size_t each) { return !kernels_[each]->uses.empty(); })) {
        if (kernels_[kernels.front()]->fact.file != 0) return std::nullopt;
        request = request_for_nvcc({}, scope);
        request.source = includes + without_algorithms(std::move(request.source));
        return request;
    }
    request.name = "session.cu";
    request.source = includes + instances(scope);
    request.options = {"--std=" + settings_.standard};
    return request;
}

/// Those that can be: nvcc must know their names, and a variable of the session is in one module only.
void DeviceUnit::set_apart(const std::vector<std::size_t>& kernels) {
    if (!settings_.second_opinion) return;
    Apart made;
    std::ranges::copy_if(kernels, std::back_inserter(made.kernels), [&](std::size_t each) {
        const Kernel& kernel = *kernels_[each];
        const auto is_used = [&](const auto& variable) { return kernel.uses.contains(variable->fact.id); };
        return kernel.current && is_nameable_by_nvcc(kernel.fact) && std::ranges::none_of(variables_, is_used);
    });
    if (made.kernels.empty()) return;
    auto brief = brief_request(made.kernels);
    // nvcc makes all that a file needs when it reads the file.
    const bool is_file = kernels_[kernels.front()]->fact.file != 0;
    if (is_file && (!brief || made.kernels.size() < kernels.size())) return;
    made.is_brief = brief.has_value();
    made.request = brief ? std::move(*brief) : request_for_nvcc({}, {.kernels = &made.kernels});
    for (const std::size_t each : made.kernels) {
        kernels_[each]->apart = apart_.size();
        kernels_[each]->symbol.is_apart = true;
    }
    apart_.push_back(std::move(made));
}

/// From here on the unit must have them.
std::vector<std::size_t> DeviceUnit::take_back(std::size_t apart) {
    changed_ = true;
    for (const std::size_t each : apart_[apart].kernels) {
        kernels_[each]->apart.reset();
        kernels_[each]->symbol.is_apart = false;
    }
    return std::exchange(apart_[apart].kernels, {});
}

/// Functions that they use have another body now. Those of types that were replaced stay what they were.
void DeviceUnit::set_apart_again(const std::vector<Declaration::Id>& replaced) {
    std::set<Declaration::Id> functions(replaced.begin(), replaced.end());
    for (const Declaration& each : declarations_)
        if (each.is_type) functions.erase(each.id);
    const auto uses_one = [&](std::size_t kernel) {
        return std::ranges::any_of(functions, [&](Declaration::Id id) { return kernels_[kernel]->uses.contains(id); });
    };
    const std::size_t count = functions.empty() ? 0 : apart_.size();
    for (std::size_t i = 0; i < count; ++i)
        if (std::ranges::any_of(apart_[i].kernels, uses_one)) set_apart(take_back(i));
}

/// Those that nvcc refuses go back to the unit, which finds out whose mistake it is. Something only if it was stopped.
std::optional<Diagnostic> DeviceUnit::compile_apart(const api::Target& target) {
    for (std::size_t i = 0; i < apart_.size(); ++i) {
        Apart& each = apart_[i];
        const auto is_current = [&](std::size_t kernel) { return kernels_[kernel]->current; };
        if ((each.artifact && each.arch == target.arch) || std::ranges::none_of(each.kernels, is_current)) continue;
        const api::Target portable{.arch = target.arch, .real = false};
        Compiled compiled = nvrtc::compile_with_nvcc(each.request_for(portable));
        const auto is_stopped = [&] { return !compiled && compiled.error().code == "interrupted"; };
        if (!compiled && !is_stopped() && each.is_brief && has_cells()) {
            each.is_brief = false;
            each.request = request_for_nvcc({}, {.kernels = &each.kernels});
            compiled = nvrtc::compile_with_nvcc(each.request_for(portable));
        }
        if (is_stopped()) return compiled.error();
        const auto name = [&](std::size_t kernel) {
            return nvrtc::name_by_nvcc(**compiled, kernels_[kernel]->fact.mangled, lambda_numbers_);
        };
        if (!compiled || std::ranges::any_of(each.kernels, [&](std::size_t kernel) { return name(kernel).empty(); })) {
            take_back(i);
            continue;
        }
        for (const std::size_t kernel : each.kernels) kernels_[kernel]->symbol.name = name(kernel);
        each.artifact = std::move(*compiled);
        each.arch = target.arch;
    }
    return std::nullopt;
}

Result<std::shared_ptr<const nvrtc::Artifact>> DeviceUnit::module_of(const api::KernelSymbol& symbol,
                                                                     const api::Target& target) {
    const auto kernel = std::ranges::find(kernels_, &symbol, [](const auto& each) { return &each->symbol; });
    if (kernel == kernels_.end() || !(*kernel)->apart) return unit(target);
    const Apart& apart = apart_[*(*kernel)->apart];
    if (!target.real && apart.artifact && apart.arch == target.arch) return apart.artifact;
    return nvrtc::compile_with_nvcc(apart.request_for(target));
}

}  // namespace cudash::session
