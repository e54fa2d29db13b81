// A value or the diagnostic that says why there is none. No exceptions cross a module's boundary.
#pragma once

#include <utility>
#include <variant>

#include "runtime_wrappers/diagnostic.h"

namespace cudash {

template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    Result(Diagnostic diagnostic) : state_(std::in_place_index<1>, std::move(diagnostic)) {}

    explicit operator bool() const { return state_.index() == 0; }
    T& operator*() { return std::get<0>(state_); }
    const T& operator*() const { return std::get<0>(state_); }
    T* operator->() { return &std::get<0>(state_); }
    const T* operator->() const { return &std::get<0>(state_); }
    Diagnostic& error() { return std::get<1>(state_); }
    const Diagnostic& error() const { return std::get<1>(state_); }

private:
    std::variant<T, Diagnostic> state_;
};

}  // namespace cudash
