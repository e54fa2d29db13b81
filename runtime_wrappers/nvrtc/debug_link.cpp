#include "runtime_wrappers/nvrtc/debug_link.h"

#include <algorithm>

#include "runtime_wrappers/nvrtc/ptx_link.h"

namespace cudash::nvrtc {
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

LinkedDebugPtx link_debug_ptx(const std::vector<std::string_view>& modules) {
    LinkedDebugPtx made;
    std::vector<std::string> texts;
    for (const std::string_view module : modules) {
        std::string text = with_own_labels(module, texts.size());
        const std::size_t sections = sections_of(text);
        made.parts.push_back({text.substr(sections), {}});
        text.resize(sections);
        texts.push_back(std::move(text));
    }
    LinkedPtx linked = link_ptx(std::vector<std::string_view>(texts.begin(), texts.end()));
    for (std::size_t i = 0; i < made.parts.size(); ++i) made.parts[i].renamed = std::move(linked.renamed[i]);
    made.text = std::move(linked.text);
    return made;
}

}  // namespace cudash::nvrtc
