#include "repl/view/diagnostic_json.h"

#include <algorithm>

#include "repl/json.h"
#include "runtime_wrappers/folded.h"

namespace cudash::view {
namespace {

using Json = nlohmann::ordered_json;

struct SeverityName {
    Diagnostic::Severity severity;
    const char* name;
};
constexpr SeverityName severities[] = {{Diagnostic::Severity::note, "note"},
                                       {Diagnostic::Severity::warning, "warning"},
                                       {Diagnostic::Severity::error, "error"}};

Json or_null(unsigned number) {
    return number == 0 ? Json(nullptr) : Json(number);
}

Json place(const SourceSpot& where) {
    if (where.file.empty()) return nullptr;
    return {{"file", where.file}, {"line", or_null(where.line)}, {"column", or_null(where.column)}};
}

}  // namespace

Json json_of(const Dim3& size) {
    return Json::array({size.x, size.y, size.z});
}

std::string print_json(const Diagnostic& diagnostic) {
    const auto* severity = std::find_if(std::begin(severities), std::end(severities),
                                        [&](const SeverityName& row) { return row.severity == diagnostic.severity; });
    Json json{{"code", diagnostic.code},
              {"severity", severity->name},
              {"message", diagnostic.message},
              {"place", place(diagnostic.where)},
              {"kernel", nullptr},
              {"block", nullptr},
              {"thread", nullptr},
              {"notes", Json::array()},
              {"hint", diagnostic.hint},
              {"count", times_found(diagnostic)}};
    if (diagnostic.thread) {
        json["kernel"] = diagnostic.thread->kernel;
        json["block"] = json_of(diagnostic.thread->block);
        json["thread"] = json_of(diagnostic.thread->thread);
    }
    for (const Diagnostic::Note& note : diagnostic.notes)
        json["notes"].push_back({{"message", note.message}, {"place", place(note.where)}});
    return json_text(json) + "\n";
}

}  // namespace cudash::view
