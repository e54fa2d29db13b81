// The unit compiled for a debugger, with -G. Of several files, the code is linked; debug information is not: what
// stands in one module's sections refers to other places of the same.
#include <algorithm>
#include <filesystem>

#include "repl/session/device/device_unit.h"
#include "runtime_wrappers/nvrtc/compiler.h"
#include "runtime_wrappers/nvrtc/content_hash.h"
#include "runtime_wrappers/nvrtc/ptx_link.h"

namespace cudash::session {
namespace {

/// Labels are the same in all modules, and debug information finds code by them.
std::string with_own_labels(std::string_view text, std::size_t module) {
    constexpr std::string_view prefix = "$L__";
    const std::string own = std::string(prefix) + "m" + std::to_string(module) + "_";
    std::string made;
    while (true) {
        const std::size_t at = text.find(prefix);
        made += text.substr(0, at);
        if (at == std::string_view::npos) return made;
        made += own;
        text.remove_prefix(at + prefix.size());
    }
}

/// Where the sections begin, which stand behind all code.
std::size_t sections_of(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t first = std::min(text.find_first_not_of(" \t", at), text.size());
        if (text.substr(first).starts_with(".section")) return at;
        const std::size_t end = text.find('\n', at);
        at = end == std::string_view::npos ? text.size() : end + 1;
    }
    return text.size();
}

}  // namespace

DeviceUnit::Compiled DeviceUnit::debug_file(const api::Target& target, File file) const {
    nvrtc::Request wanted = request(target, file);
    std::ranges::replace(wanted.options, std::string("-lineinfo"), std::string("-G"));
    auto compiled = nvrtc::compile(wanted);
    if (!compiled && artifact_->by_nvcc)
        return error("no-debug-code", "the debugger needs device code that NVRTC takes, and this needs nvcc",
                     "NVRTC says: " + compiled.error().message);
    return compiled;
}

Result<std::shared_ptr<const nvrtc::Artifact>> DeviceUnit::debug_unit(const api::Target& target) {
    // What does not compile is set aside first, and names are known then.
    if (const auto plain = unit(target); !plain) return plain;
    if (debugged_ && debugged_of_ == artifact_->id) return debugged_;
    debug_parts_.clear();
    const std::set<File> files = files_with_device_code();
    if (files.size() < 2) return debug_file(target, all_files);
    std::vector<std::string> texts;
    nvrtc::ContentHash hash;
    for (const File file : files) {
        const auto compiled = debug_file({.arch = target.arch, .real = false}, file);
        if (!compiled) return compiled;
        std::string text = with_own_labels((*compiled)->code, texts.size());
        const std::size_t sections = sections_of(text);
        debug_parts_.push_back({text.substr(sections), {}});
        texts.push_back(text.substr(0, sections));
        hash.add((*compiled)->id);
    }
    nvrtc::LinkedPtx program = nvrtc::link_ptx(std::vector<std::string_view>(texts.begin(), texts.end()));
    for (std::size_t i = 0; i < debug_parts_.size(); ++i) debug_parts_[i].renamed = std::move(program.renamed[i]);
    nvrtc::Artifact linked;
    linked.id = hash.low();
    linked.code = std::move(program.text);
    debugged_ = std::make_shared<const nvrtc::Artifact>(std::move(linked));
    debugged_of_ = artifact_->id;
    return debugged_;
}

}  // namespace cudash::session
