// What a row of a library's table becomes: the function of that name, which is checked against the library's header.
#pragma once

#include "runtime_wrappers/libraries/serve.h"

namespace cudash::libraries {

/// An argument as the bodies take it; a library may have others.
template <class Value>
Value computed(Value value) {
    return value;
}

}  // namespace cudash::libraries

#define CUDASH_STRIP(...) __VA_ARGS__
#define CUDASH_AFTER(...) __VA_OPT__(, ) __VA_ARGS__
#define CUDASH_LIBRARY_ENTRY(status, library, topic, body, name, parameters, arguments)                                \
    status name parameters {                                                                                           \
        static constexpr FunctionRow row{library, #topic, #name, #arguments};                                          \
        const auto carry_out = [](Served& served, auto... given) { return bodies::body(served, computed(given)...); }; \
        return serve<status>(row, __builtin_frame_address(0), carry_out CUDASH_AFTER arguments);                       \
    }                                                                                                                  \
    static_assert(static_cast<decltype(&entry::name)>(&::name) != nullptr, #name ": the row differs from the header");
/// Whatever it is given, it takes nothing.
#define CUDASH_LIBRARY_LACKS(status, refusal, library, name)      \
    status name() {                                               \
        const api::ServedCall served(__builtin_frame_address(0)); \
        tell_lacking(library, #name);                             \
        return refusal;                                           \
    }
