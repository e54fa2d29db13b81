#include "runtime_wrappers/libraries/serve.h"

#include <algorithm>
#include <mutex>
#include <set>
#include <vector>

#include "runtime_wrappers/api/error_names.h"
#include "runtime_wrappers/libraries/tables.h"
#include "runtime_wrappers/virtual_gpu/runtime/backend.h"

namespace cudash::libraries {

std::string_view FunctionRow::shown() const {
    std::string_view text = name;
    for (const std::string_view version : {"_v2_64", "_v2"})
        if (text.ends_with(version)) text.remove_suffix(version.size());
    return text;
}

std::span<const FunctionRow> functions() {
    static const std::vector<FunctionRow> all = [] {
        std::vector<FunctionRow> rows;
        [[maybe_unused]] const auto add = [&](std::span<const FunctionRow> library) {
            rows.insert(rows.end(), library.begin(), library.end());
        };
#ifdef CUDASH_HAS_CUBLAS
        add(cublas::rows());
#endif
#ifdef CUDASH_HAS_CUBLASLT
        add(cublas_lt::rows());
#endif
#ifdef CUDASH_HAS_CUFFT
        add(cufft::rows());
#endif
#ifdef CUDASH_HAS_CURAND
        add(curand::rows());
#endif
#ifdef CUDASH_HAS_CUSOLVER
        add(cusolver::rows());
#endif
#ifdef CUDASH_HAS_CUSPARSE
        add(cusparse::rows());
#endif
        return rows;
    }();
    return all;
}

const void* find_function(std::string_view name) {
    if (!name.starts_with("cu")) return nullptr;
    const auto rows = functions();
    const auto found = std::ranges::find(rows, name, &FunctionRow::name);
    return found == rows.end() ? nullptr : found->address;
}

std::string support_page() {
    std::string page =
        "# Functions of cuBLAS, cuBLASLt, cuFFT, cuRAND, cuSOLVER and cuSPARSE\n\n<!-- Made from the libraries' tables "
        "(*.def): `CUDASH_REWRITE=1 build/release/tests/unit_tests -tc='libraries: the support page*'`. -->\n\n"
        "On a real GPU, the libraries of the toolkit are called. The virtual GPU has the functions below; those that "
        "it lacks are\nsaid by name when they are called.\n";
    std::string_view family, topic;
    std::size_t lacking = 0;
    bool lacked = false;
    for (const FunctionRow& row : functions()) {
        if (row.family != family) page += fmt::format("\n## {}\n", row.family);
        if (row.family != family || row.topic != topic || row.lacking() != lacked)
            page += fmt::format("\n**{}{}**\n\n", row.topic, row.lacking() ? ", lacking" : "");
        family = row.family;
        topic = row.topic;
        lacked = row.lacking();
        lacking += lacked;
        page += fmt::format("- {}\n", row.name);
    }
    return page + fmt::format("\n{} functions, {} of them lacking.\n", functions().size(), lacking);
}

std::string Given::text() const {
    switch (kind_) {
        case Kind::pointer:
            return api::to_text(pointer_);
        case Kind::integer:
            return api::to_text(integer_);
        case Kind::single:
            return api::to_text(single_);
        case Kind::letter:
            return fmt::format("'{}'", static_cast<char>(integer_));
        case Kind::complex:
            return fmt::format("({}, {})", complex_.real, complex_.imaginary);
        case Kind::doubles:
            break;
    }
    return api::to_text(double_);
}

const ToldAs*& ToldAs::current() {
    thread_local const ToldAs* told = nullptr;
    return told;
}

Serving::Serving(const FunctionRow& row, const void* frame) : row_(row), frame_(frame), runtime_(api::active()) {
    if (!virtual_gpu::runtime::gpu_of(runtime_)) runtime_ = nullptr;
}

Serving::~Serving() = default;

bool Serving::end(bool failed) {
    call_.reset();
    return failed || runtime_->trace_calls;
}

bool Serving::begin() {
    virtual_gpu::runtime::Gpu& gpu = *virtual_gpu::runtime::gpu_of(runtime_);
    call_.emplace(gpu, api::Support::VIRTUAL);
    given_.emplace(Served{gpu, row_.shown()});
    return call_->status() == cudaSuccess;
}

void Serving::conclude(std::string_view status, int number, bool failed, std::span<const Given> arguments) const {
    const api::Active& runtime = *runtime_;
    const ToldAs* const told = ToldAs::current();
    const FunctionRow& row = told ? told->row() : row_;
    std::vector<std::string> values;
    for (const Given& argument : told ? told->arguments() : arguments) values.push_back(argument.text());
    const std::string call = api::describe_call(row.shown(), row.arguments, values);
    if (runtime.trace_calls && runtime.events.trace) runtime.events.trace(call, status);
    if (!failed) return;
    const api::Explanation explanation = std::exchange(api::thread_state().explanation, {});
    // A program may expect a status; memory that is not the device's is a mistake that no program means to make.
    const bool of_memory = !explanation.hint.empty();
    // Nor does one mean to meet what this device lacks.
    const bool of_device = explanation.cause.starts_with("the virtual GPU ");
    const api::CallPlace place = runtime.place();
    const bool report = runtime.report_errors || of_memory || of_device;
    const bool keep = runtime.keep_failed_calls;
    if (explanation.told || !runtime.events.diagnostic || !(report || keep)) return;
    Diagnostic found = error("library-call-failed",
                             fmt::format("{} failed with {} ({}){}{}", call, status, number,
                                         explanation.cause.empty() ? "" : ": ", explanation.cause),
                             explanation.hint);
    found.where = place.where;
    if (report) {
        runtime.events.diagnostic(found);
    } else {
        // Only the result says that the call failed: no other call can be asked.
        if (found.hint.empty()) found.hint = "compare the result with the library's status for success";
        runtime.failed_calls.add(
            {api::FailedCalls::no_thread, api::FailedCalls::other_status, std::move(found), place.discarded});
    }
}

void tell_lacking(std::string_view library, std::string_view function) {
    static std::mutex mutex;
    static std::set<std::string, std::less<>> told;
    const api::Active* runtime = api::active();
    if (!runtime || !runtime->events.diagnostic) return;
    {
        const std::lock_guard lock(mutex);
        if (!told.emplace(function).second) return;
    }
    Diagnostic found = error(
        api::diagnostic_code(cudaErrorNotSupported),
        fmt::format("{} of {} is not implemented on the virtual GPU; it works with a real one", function, library));
    found.where = runtime->place().where;
    runtime->events.diagnostic(found);
}

}  // namespace cudash::libraries
