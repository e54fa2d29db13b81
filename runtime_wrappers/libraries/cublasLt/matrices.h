// Matrices in the orders that a layout names, and as plain columns, which is what is computed with.
#pragma once

#include <vector>

#include "runtime_wrappers/libraries/cublasLt/objects.h"
#include "runtime_wrappers/libraries/look.h"
#include "runtime_wrappers/libraries/numbers.h"
#include "runtime_wrappers/libraries/work.h"

namespace cudash::libraries::cublas_lt {

template <class T>
using Complex = std::complex<T>;

class Look : public ArgumentLook<cublasStatus_t> {
public:
    void need_handle(cublasLtHandle_t handle) {
        unless(is_handle(handle), CUBLAS_STATUS_NOT_INITIALIZED,
               "the handle is not one of cublasLtCreate, or was destroyed");
    }
    template <class Room>
    const Object<Room>* object(std::string_view argument, const Room* room) {
        const Object<Room>* const found = find(room);
        need(found != nullptr, "{} is not a valid {}, or was destroyed", argument, Object<Room>::name);
        return found;
    }
    void need_matrix(std::string_view matrix, const Layout& layout);
};

constexpr std::int64_t order_32_columns = 32;

/// Where an element lies, in elements.
inline std::int64_t place_of(const Layout& layout, std::int64_t row, std::int64_t column) {
    if (layout.order == CUBLASLT_ORDER_ROW) return row * layout.leading + column;
    if (layout.order == CUBLASLT_ORDER_COL32)
        return column / order_32_columns * layout.leading + row * order_32_columns + column % order_32_columns;
    return column * layout.leading + row;
}

/// Its memory, as an operand whose elements are bytes.
std::size_t add_matrix(Work& work, std::string_view name, const void* pointer, const Layout& layout, Access access);

/// The numbers of one matrix of a batch, column by column.
template <class Wide>
std::vector<Wide> read_matrix(const Layout& layout, const std::byte* bytes, std::int64_t batch) {
    const auto rows = static_cast<std::int64_t>(layout.rows), columns = static_cast<std::int64_t>(layout.columns);
    std::vector<Wide> values(static_cast<std::size_t>(rows * columns));
    if (values.empty()) return values;
    with_elements(layout.type, bytes, [&](const auto* elements) {
        elements += batch * layout.batch_stride;
        for (std::int64_t column = 0, at = 0; column < columns; ++column)
            for (std::int64_t row = 0; row < rows; ++row)
                values[static_cast<std::size_t>(at++)] = read_number<Wide>(elements[place_of(layout, row, column)]);
    });
    return values;
}
template <class Wide>
void write_matrix(const Layout& layout, const std::vector<Wide>& values, std::byte* bytes, std::int64_t batch) {
    with_elements(layout.type, bytes, [&](auto* elements) {
        elements += batch * layout.batch_stride;
        const auto rows = static_cast<std::int64_t>(layout.rows);
        for (std::size_t at = 0; at < values.size(); ++at) {
            const auto place = static_cast<std::int64_t>(at);
            write_number(values[at], elements[place_of(layout, place % rows, place / rows)]);
        }
    });
}

}  // namespace cudash::libraries::cublas_lt
