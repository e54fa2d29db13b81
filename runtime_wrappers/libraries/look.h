// How a library's call looks at its arguments: the first thing that is wrong counts, and is said.
#pragma once

#include <cstdint>

#include "runtime_wrappers/libraries/serve.h"

namespace cudash::libraries {

template <class Status>
class ArgumentLook {
public:
    /// Sizes and strides beyond it are no memory's, and products of two with an element's size would not fit 64 bits.
    static constexpr std::int64_t most_elements = std::int64_t{1} << 40;

    bool ok() const { return status_ == StatusOf<Status>::success; }
    Status status() const { return status_; }
    template <class... Values>
    void need(bool fine, fmt::format_string<Values...> otherwise, Values&&... values) {
        unless(fine, StatusOf<Status>::invalid_value, otherwise, std::forward<Values>(values)...);
    }
    template <class... Values>
    void lacks(bool missing, fmt::format_string<Values...> what, Values&&... values) {
        unless(!missing, StatusOf<Status>::not_supported, what, std::forward<Values>(values)...);
    }
    template <class... Pointers>
    void need_places(Pointers*... pointers) {
        need((... && (pointers != nullptr)), "there is no place for a result");
    }
    template <class... Values>
    void unless(bool fine, Status otherwise, fmt::format_string<Values...> why, Values&&... values) {
        if (ok() && !fine) status_ = refuse(otherwise, why, std::forward<Values>(values)...);
    }

private:
    Status status_ = StatusOf<Status>::success;
};

}  // namespace cudash::libraries
