// The way of every call of a library: from its entry point to its body on the virtual GPU, and back through tracing and
// the report of failures. On a real GPU the toolkit's own libraries are called, and nothing of this.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "runtime_wrappers/api/active.h"
#include "runtime_wrappers/api/argument.h"
#include "runtime_wrappers/virtual_gpu/runtime/gpu.h"

namespace cudash::libraries {

/// A row of a library's table.
struct FunctionRow {
    std::string_view family{};     ///< "cuBLAS"
    std::string_view topic{};      ///< the group in listings
    std::string_view name{};       ///< the symbol: "cublasSgemm_v2"
    std::string_view arguments{};  ///< "(handle, n, alpha, ...)"; empty: the virtual GPU lacks it
    const void* address = nullptr;

    bool lacking() const { return arguments.empty(); }
    /// As a program writes it: "cublasSgemm".
    std::string_view shown() const;
};
/// Every function of every library.
std::span<const FunctionRow> functions();
/// The entry point of that name; nullptr if the name is none of theirs.
const void* find_function(std::string_view name);
/// The page that lists them.
std::string support_page();

/// What a body is given beside its arguments.
struct Served {
    virtual_gpu::runtime::Gpu& gpu;
    std::string_view function;
};

/// What a library's statuses are called, and which of them say what each library has to say. Specialized for each.
template <class Status>
struct StatusOf;

/// Says why a call is refused, and returns `status`.
template <class Status, class... Values>
Status refuse(Status status, fmt::format_string<Values...> cause, Values&&... values) {
    api::thread_state().explanation.cause = fmt::format(cause, std::forward<Values>(values)...);
    return status;
}

/// Traces and reports. Only called for failures, or while tracing.
void conclude(const api::Active& runtime, const FunctionRow& row, std::string_view status, int number, bool failed,
              std::span<const std::string> values);
/// Tells that the virtual GPU has no body for it.
void tell_lacking(std::string_view library, std::string_view function);

template <class Status, class Body, class... Arguments>
Status serve(const FunctionRow& row, const void* frame, Body body, Arguments... arguments) {
    const api::ServedCall served(frame);
    const api::Active* runtime = api::active();
    if (!runtime || !runtime->virtual_gpu) return StatusOf<Status>::not_initialized;
    Status status = StatusOf<Status>::success;
    {
        virtual_gpu::runtime::Gpu::Call call(*runtime->virtual_gpu, api::Support::VIRTUAL);
        Served with{*runtime->virtual_gpu, row.shown()};
        status = call.status() == cudaSuccess ? body(with, arguments...) : StatusOf<Status>::lost;
    }
    const bool failed = status != StatusOf<Status>::success;
    if (!failed && !runtime->trace_calls) return status;
    const std::array<std::string, sizeof...(Arguments)> values = {api::to_text(arguments)...};
    conclude(*runtime, row, StatusOf<Status>::name(status), static_cast<int>(status), failed, values);
    return status;
}

}  // namespace cudash::libraries
