#include "repl/session/runtime_setup.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>

#include "runtime_wrappers/open_runtime.h"
#include "runtime_wrappers/virtual_gpu/isa/kernel_name.h"

namespace cudash::session {

void flush_output() {
    std::cout.flush();
    std::cerr.flush();
    std::fflush(nullptr);
}

void name_as_written(Diagnostic& diagnostic) {
    if (diagnostic.thread) diagnostic.thread->kernel = virtual_gpu::readable_kernel(diagnostic.thread->kernel);
    std::error_code ignored;
    const std::string folder = std::filesystem::current_path(ignored).string() + "/";
    const auto shorten = [&](SourceSpot& spot) {
        if (spot.file.starts_with(folder)) spot.file.erase(0, folder.size());
    };
    shorten(diagnostic.where);
    for (Diagnostic::Note& note : diagnostic.notes) shorten(note.where);
}

api::Events runtime_events(const Listener& listener) {
    api::Events events;
    events.diagnostic = [&listener](Diagnostic diagnostic) {
        flush_output();
        name_as_written(diagnostic);
        if (listener.diagnostic) listener.diagnostic(diagnostic);
    };
    events.print = [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); };
    events.print_error = [](std::string_view text) {
        std::fflush(stdout);
        // assert() names files as the program was asked for, not by their whole path.
        std::error_code ignored;
        const std::string folder = std::filesystem::current_path(ignored).string() + "/";
        while (!text.empty()) {
            if (text.starts_with(folder)) text.remove_prefix(folder.size());
            const std::size_t line = std::min(text.find('\n'), text.size() - 1) + 1;
            std::fwrite(text.data(), 1, line, stderr);
            text.remove_prefix(line);
        }
    };
    events.progress = [&listener](std::string_view kernel, std::uint64_t done, std::uint64_t all) {
        if (listener.progress) listener.progress(kernel, done, all);
    };
    return events;
}

Result<std::unique_ptr<api::Runtime>> open_runtime(const Options& options, api::DeviceCode& code, api::Events events,
                                                   api::MakeCodeGenerator compiler) {
    const auto selection = api::parse_device(options.device);
    if (!selection) return selection.error();
    api::Options runtime_options;
    runtime_options.device = *selection;
    runtime_options.kernel_timeout_ms = options.kernel_timeout_ms;
    runtime_options.check = options.check;
    runtime_options.profile = options.profile;
    runtime_options.compiler = compiler;
    runtime_options.report_errors = options.report_api_errors;
    runtime_options.keep_failed_calls = !options.report_api_errors;
    return cudash::open_runtime(runtime_options, code, std::move(events));
}

}  // namespace cudash::session
