#include "runtime_wrappers/libraries/cublasLt/matrices.h"

#include <limits>

namespace cudash::libraries::cublas_lt {

void Look::need_matrix(std::string_view matrix, const Layout& layout) {
    lacks(size_of_type(layout.type) == 0, "the virtual GPU has no matrices of type {} ({})", layout.type, matrix);
    lacks(layout.order != CUBLASLT_ORDER_COL && layout.order != CUBLASLT_ORDER_ROW &&
              layout.order != CUBLASLT_ORDER_COL32,
          "the virtual GPU has the orders COL, ROW and COL32; that of {} is {}", matrix, layout.order);
    lacks(layout.batch_mode != CUBLASLT_BATCH_MODE_STRIDED,
          "the virtual GPU has batches at strides; the mode of {} is {}", matrix, layout.batch_mode);
    lacks(layout.plane_offset != 0, "the virtual GPU has no planar complex numbers, as {} has", matrix);
    lacks(layout.leading < 0, "the virtual GPU has no negative leading dimensions, as that of {}", matrix);
    need(layout.batch_count >= 1, "the number of batches of {} is {}", matrix, layout.batch_count);
    constexpr std::uint64_t most = std::numeric_limits<int>::max();
    lacks(layout.rows > most || layout.columns > most, "the virtual GPU has no matrices of {} x {} elements, as {} is",
          layout.rows, layout.columns, matrix);
    need(layout.leading <= most_elements && layout.batch_stride >= 0 && layout.batch_stride <= most_elements,
         "the leading dimension of {} is {} and its batch stride {}: no memory is that large", matrix, layout.leading,
         layout.batch_stride);
    const bool by_rows = layout.order == CUBLASLT_ORDER_ROW;
    const std::uint64_t least = layout.order == CUBLASLT_ORDER_COL32 ? layout.rows * order_32_columns
                                : by_rows                            ? layout.columns
                                                                     : layout.rows;
    need(static_cast<std::uint64_t>(layout.leading) >= least, "the leading dimension of {} is {}, less than {}", matrix,
         layout.leading, least);
}

std::size_t add_matrix(Work& work, std::string_view name, const void* pointer, const Layout& layout, Access access) {
    const std::int64_t size = size_of_type(layout.type);
    auto inner = static_cast<std::int64_t>(layout.rows), outer = static_cast<std::int64_t>(layout.columns);
    if (layout.order == CUBLASLT_ORDER_ROW) std::swap(inner, outer);
    if (layout.order == CUBLASLT_ORDER_COL32) {
        inner *= order_32_columns;
        outer = (outer + order_32_columns - 1) / order_32_columns;
    }
    return work.add(name, static_cast<const std::byte*>(pointer),
                    {.width = inner * size,
                     .height = outer,
                     .depth = layout.batch_count,
                     .pitch = layout.leading * size,
                     .slice = layout.batch_stride * size},
                    access);
}

}  // namespace cudash::libraries::cublas_lt
