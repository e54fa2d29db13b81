// The unit compiled for a debugger, with -G.
#include <algorithm>

#include "repl/session/device/device_unit.h"
#include "runtime_wrappers/nvrtc/compiler.h"
#include "runtime_wrappers/nvrtc/content_hash.h"

namespace cudash::session {

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
    std::vector<std::shared_ptr<const nvrtc::Artifact>> modules;
    std::vector<std::string_view> texts;
    nvrtc::ContentHash hash;
    for (const File file : files) {
        auto compiled = debug_file({.arch = target.arch, .real = false}, file);
        if (!compiled) return compiled;
        hash.add((*compiled)->id);
        texts.push_back((*compiled)->code);
        modules.push_back(std::move(*compiled));
    }
    nvrtc::LinkedDebugPtx program = nvrtc::link_debug_ptx(texts);
    debug_parts_ = std::move(program.parts);
    nvrtc::Artifact linked;
    linked.id = hash.low();
    linked.code = std::move(program.text);
    debugged_ = std::make_shared<const nvrtc::Artifact>(std::move(linked));
    debugged_of_ = artifact_->id;
    return debugged_;
}

}  // namespace cudash::session
