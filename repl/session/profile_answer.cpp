#include "repl/session/profile_answer.h"

#include "repl/session/profile_report.h"

namespace cudash::session {

Outcome profile_answer(virtual_gpu::Profiler* profiler, std::string_view request, const LineText& source) {
    if (!profiler)
        return refuse(error("needs-virtual", "kernels on a real GPU are not profiled", "try :device virtual"));
    Outcome outcome;
    if (request == "report csv") {
        outcome.text = report_as_csv(*profiler);
        return outcome;
    }
    if (request == "report") {
        outcome.report = report_of(*profiler, source);
        return outcome;
    }
    auto view = profile_view(*profiler, request, source);
    if (!view) return refuse(view.error());
    outcome.text = std::move(view->text);
    outcome.table = std::move(view->table);
    outcome.picture = std::move(view->picture);
    return outcome;
}

}  // namespace cudash::session
