// The way of every call of a library: from its entry point to its body on the virtual GPU, and back through tracing and
// the report of failures. On a real GPU the toolkit's own libraries are called, and nothing of this.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

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

/// Tells that the virtual GPU has no body for it.
void tell_lacking(std::string_view library, std::string_view function);

/// An argument for messages, without its type: what tells of a call is compiled once and not for each function.
class Given {
public:
    template <class Value>
    Given(Value value) {
        if constexpr (std::is_pointer_v<Value>)
            pointer_ = reinterpret_cast<const void*>(value), kind_ = Kind::pointer;
        else if constexpr (std::is_same_v<Value, float>)
            single_ = value, kind_ = Kind::single;
        else if constexpr (std::is_same_v<Value, double>)
            double_ = value, kind_ = Kind::doubles;
        else if constexpr (std::is_same_v<Value, char>)
            integer_ = value, kind_ = Kind::letter;
        else if constexpr (std::is_class_v<Value>)  // cuComplex, cuDoubleComplex
            complex_ = {value.x, value.y}, kind_ = Kind::complex;
        else
            integer_ = static_cast<std::int64_t>(value), kind_ = Kind::integer;
    }
    std::string text() const;

private:
    enum class Kind : std::uint8_t { pointer, integer, single, doubles, letter, complex } kind_;
    struct Complex {
        double real, imaginary;
    };
    union {
        const void* pointer_;
        std::int64_t integer_;
        float single_;
        double double_;
        Complex complex_;
    };
};

template <class... Values>
std::array<Given, sizeof...(Values)> given_as(Values... values) {
    return {values...};
}

/// While it lives, what this thread calls is told as a call of `row` with `arguments`, which called it.
class ToldAs {
public:
    ToldAs(const FunctionRow& row, std::span<const Given> arguments) : row_(row), arguments_(arguments) {
        current() = this;
    }
    ~ToldAs() { current() = nullptr; }
    ToldAs(const ToldAs&) = delete;
    ToldAs& operator=(const ToldAs&) = delete;
    static const ToldAs*& current();
    const FunctionRow& row() const { return row_; }
    std::span<const Given> arguments() const { return arguments_; }

private:
    const FunctionRow& row_;
    std::span<const Given> arguments_;
};

/// A call on its way: it has the device from `begin` to `end`.
class Serving {
public:
    Serving(const FunctionRow& row, const void* frame);
    ~Serving();
    /// Whether there is a virtual GPU.
    bool has_device() const { return runtime_ != nullptr; }
    /// Whether the device works.
    bool begin();
    /// Whether there is something to conclude.
    bool end(bool failed);
    Served& served() { return *given_; }
    /// Traces and reports.
    void conclude(std::string_view status, int number, bool failed, std::span<const Given> arguments) const;

private:
    const FunctionRow& row_;
    api::ServedCall frame_;
    const api::Active* runtime_;
    std::optional<virtual_gpu::runtime::Gpu::Call> call_;
    std::optional<Served> given_;
};

template <class Status, class Body, class... Arguments>
Status serve(const FunctionRow& row, const void* frame, Body body, Arguments... arguments) {
    Serving serving(row, frame);
    if (!serving.has_device()) return StatusOf<Status>::not_initialized;
    const Status status = serving.begin() ? body(serving.served(), arguments...) : StatusOf<Status>::lost;
    const bool failed = status != StatusOf<Status>::success;
    if (!serving.end(failed)) return status;
    const std::array<Given, sizeof...(Arguments)> given = {arguments...};
    serving.conclude(StatusOf<Status>::name(status), static_cast<int>(status), failed, given);
    return status;
}

}  // namespace cudash::libraries
