// Handles and descriptors: made, asked, changed, destroyed.
#pragma once

#include "runtime_wrappers/libraries/cusparse/request.h"

namespace cudash::libraries::cusparse::bodies {

using Int = std::int64_t;

const char* get_error_name(cusparseStatus_t status);
const char* get_error_string(cusparseStatus_t status);
cusparseStatus_t create(Served& served, cusparseHandle_t* handle);
cusparseStatus_t get_version(Served& served, cusparseHandle_t handle, int* version);
cusparseStatus_t get_property(Served& served, libraryPropertyType type, int* value);
cusparseStatus_t set_stream(Served& served, cusparseHandle_t handle, cudaStream_t stream);
cusparseStatus_t get_stream(Served& served, cusparseHandle_t handle, cudaStream_t* stream);
cusparseStatus_t set_pointer_mode(Served& served, cusparseHandle_t handle, cusparsePointerMode_t mode);
cusparseStatus_t get_pointer_mode(Served& served, cusparseHandle_t handle, cusparsePointerMode_t* mode);
cusparseStatus_t destroy_handle(Served& served, cusparseHandle_t handle);

template <class T>
cusparseStatus_t add(T* handle, const typename ObjectOf<T>::Type& object) {
    *handle = objects<T>().add(object);
    return CUSPARSE_STATUS_SUCCESS;
}
/// One that holds nothing yet.
template <class T>
cusparseStatus_t create_object(Served&, T* handle) {
    Look look;
    look.need_places(handle);
    return look.ok() ? add(handle, {}) : look.status();
}
template <class T>
cusparseStatus_t destroy_object(Served&, T handle) {
    using Plain = typename PlainOf<T>::Type;
    Look look;
    if (look.object("the argument", handle)) objects<Plain>().remove(const_cast<Plain>(handle));
    return look.status();
}

/// Copies members of an object to the places that the program names.
template <class T, class Get>
cusparseStatus_t get(std::string_view name, T handle, Get copy) {
    Look look;
    if (auto* const object = look.object(name, handle)) copy(look, *object);
    return look.status();
}
template <class Value, class Place>
void put(Look& look, const Value& value, Place* place) {
    look.need_places(place);
    if (!place) return;
    if constexpr (std::is_pointer_v<Value>)
        *place = static_cast<Place>(value);
    else
        *place = value;
}

template <cusparseFormat_t format, class Handle, class Pointer>
cusparseStatus_t create_compressed(Served&, Handle* matrix, Int rows, Int cols, Int nnz, Pointer* offsets,
                                   Pointer* indices, Pointer* values, cusparseIndexType_t offsets_type,
                                   cusparseIndexType_t indices_type, cusparseIndexBase_t base, cudaDataType type);
template <class Handle>
void add_matrix_object(Look& look, Handle* handle, const SparseMatrix& matrix) {
    look.need_places(handle);
    for (const auto& [name, size] :
         {std::pair("rows", matrix.rows), std::pair("cols", matrix.columns), std::pair("nnz", matrix.count)})
        look.need_size(name, size);
    look.need(
        static_cast<double>(matrix.count) <= static_cast<double>(matrix.rows) * static_cast<double>(matrix.columns),
        "nnz is {}, more than a matrix of {} x {} has elements", matrix.count, matrix.rows, matrix.columns);
    look.need(matrix.base == CUSPARSE_INDEX_BASE_ZERO || matrix.base == CUSPARSE_INDEX_BASE_ONE,
              "indices begin with {}", static_cast<int>(matrix.base));
    for (const cusparseIndexType_t type : {matrix.major_type, matrix.minor_type})
        look.need(type >= CUSPARSE_INDEX_16U && type <= CUSPARSE_INDEX_64I, "{} is not a cusparseIndexType_t",
                  static_cast<int>(type));
    if (!look.ok()) return;
    typename PlainOf<Handle>::Type made{};
    add(&made, matrix);
    *handle = made;
}
template <cusparseFormat_t format, class Handle, class Pointer>
cusparseStatus_t create_compressed(Served&, Handle* matrix, Int rows, Int cols, Int nnz, Pointer* offsets,
                                   Pointer* indices, Pointer* values, cusparseIndexType_t offsets_type,
                                   cusparseIndexType_t indices_type, cusparseIndexBase_t base, cudaDataType type) {
    Look look;
    add_matrix_object(look, matrix,
                      {format, rows, cols, nnz, const_cast<void*>(offsets), const_cast<void*>(indices),
                       const_cast<void*>(values), offsets_type, indices_type, base, type});
    return look.status();
}
template <class Handle, class Pointer>
cusparseStatus_t create_coo(Served& served, Handle* matrix, Int rows, Int cols, Int nnz, Pointer* row_indices,
                            Pointer* column_indices, Pointer* values, cusparseIndexType_t type,
                            cusparseIndexBase_t base, cudaDataType value_type) {
    return create_compressed<CUSPARSE_FORMAT_COO>(served, matrix, rows, cols, nnz, row_indices, column_indices, values,
                                                  type, type, base, value_type);
}
template <cusparseFormat_t format, class Handle, class Pointer>
cusparseStatus_t get_compressed(Served&, Handle handle, Int* rows, Int* cols, Int* nnz, Pointer* offsets,
                                Pointer* indices, Pointer* values, cusparseIndexType_t* offsets_type,
                                cusparseIndexType_t* indices_type, cusparseIndexBase_t* base, cudaDataType* type) {
    return get("the matrix", handle, [&](Look& look, const SparseMatrix& matrix) {
        look.need(matrix.format == format, "the matrix has format {}", static_cast<int>(matrix.format));
        if (!look.ok()) return;
        put(look, matrix.rows, rows);
        put(look, matrix.columns, cols);
        put(look, matrix.count, nnz);
        put(look, matrix.major, offsets);
        put(look, matrix.minor, indices);
        put(look, matrix.values, values);
        put(look, matrix.major_type, offsets_type);
        put(look, matrix.minor_type, indices_type);
        put(look, matrix.base, base);
        put(look, matrix.type, type);
    });
}
template <class Handle, class Pointer>
cusparseStatus_t get_coo(Served& served, Handle handle, Int* rows, Int* cols, Int* nnz, Pointer* row_indices,
                         Pointer* column_indices, Pointer* values, cusparseIndexType_t* type, cusparseIndexBase_t* base,
                         cudaDataType* value_type) {
    cusparseIndexType_t of_columns{};
    return get_compressed<CUSPARSE_FORMAT_COO>(served, handle, rows, cols, nnz, row_indices, column_indices, values,
                                               type, &of_columns, base, value_type);
}
template <cusparseFormat_t format>
cusparseStatus_t set_pointers(Served&, cusparseSpMatDescr_t handle, void* major, void* minor, void* values) {
    return get("the matrix", handle, [&](Look& look, SparseMatrix& matrix) {
        look.need(matrix.format == format, "the matrix has format {}", static_cast<int>(matrix.format));
        if (!look.ok()) return;
        matrix.major = major;
        matrix.minor = minor;
        matrix.values = values;
    });
}

template <class Handle>
cusparseStatus_t get_format(Served&, Handle handle, cusparseFormat_t* format) {
    return get("the matrix", handle, [&](Look& look, const SparseMatrix& matrix) { put(look, matrix.format, format); });
}
template <class Handle>
cusparseStatus_t get_size(Served&, Handle handle, Int* rows, Int* cols, Int* nnz) {
    return get("the matrix", handle, [&](Look& look, const SparseMatrix& matrix) {
        put(look, matrix.rows, rows);
        put(look, matrix.columns, cols);
        put(look, matrix.count, nnz);
    });
}
/// Of matrices and vectors.
template <class Handle>
cusparseStatus_t get_base(Served&, Handle handle, cusparseIndexBase_t* base) {
    return get("the argument", handle, [&](Look& look, const auto& object) { put(look, object.base, base); });
}
template <class Handle, class Pointer>
cusparseStatus_t get_values(Served&, Handle handle, Pointer* values) {
    return get("the argument", handle, [&](Look& look, const auto& object) { put(look, object.values, values); });
}
template <class Handle>
cusparseStatus_t set_values(Served&, Handle handle, void* values) {
    return get("the argument", handle, [&](Look&, auto& object) { object.values = values; });
}
cusparseStatus_t set_attribute(Served& served, cusparseSpMatDescr_t matrix, cusparseSpMatAttribute_t attribute,
                               const void* data, std::size_t size);
cusparseStatus_t get_attribute(Served& served, cusparseConstSpMatDescr_t matrix, cusparseSpMatAttribute_t attribute,
                               void* data, std::size_t size);

template <class Handle, class Pointer>
cusparseStatus_t create_sparse_vector(Served&, Handle* vector, Int size, Int nnz, Pointer* indices, Pointer* values,
                                      cusparseIndexType_t index_type, cusparseIndexBase_t base, cudaDataType type) {
    Look look;
    look.need_places(vector);
    look.need_size("size", size);
    look.need(nnz >= 0 && nnz <= size, "a vector of {} can't have {} elements", size, nnz);
    if (!look.ok()) return look.status();
    cusparseSpVecDescr_t made{};
    add(&made, {size, nnz, const_cast<void*>(indices), const_cast<void*>(values), index_type, base, type});
    *vector = made;
    return CUSPARSE_STATUS_SUCCESS;
}
template <class Handle, class Pointer>
cusparseStatus_t get_sparse_vector(Served&, Handle handle, Int* size, Int* nnz, Pointer* indices, Pointer* values,
                                   cusparseIndexType_t* index_type, cusparseIndexBase_t* base, cudaDataType* type) {
    return get("the vector", handle, [&](Look& look, const SparseVector& vector) {
        put(look, vector.size, size);
        put(look, vector.count, nnz);
        put(look, vector.indices, indices);
        put(look, vector.values, values);
        put(look, vector.index_type, index_type);
        put(look, vector.base, base);
        put(look, vector.type, type);
    });
}
template <class Handle, class Pointer>
cusparseStatus_t create_dense_vector(Served&, Handle* vector, Int size, Pointer* values, cudaDataType type) {
    Look look;
    look.need_places(vector);
    look.need_size("size", size);
    if (!look.ok()) return look.status();
    cusparseDnVecDescr_t made{};
    add(&made, {size, const_cast<void*>(values), type});
    *vector = made;
    return CUSPARSE_STATUS_SUCCESS;
}
template <class Handle, class Pointer>
cusparseStatus_t get_dense_vector(Served&, Handle handle, Int* size, Pointer* values, cudaDataType* type) {
    return get("the vector", handle, [&](Look& look, const DenseVector& vector) {
        put(look, vector.size, size);
        put(look, vector.values, values);
        put(look, vector.type, type);
    });
}
template <class Handle, class Pointer>
cusparseStatus_t create_dense_matrix(Served&, Handle* matrix, Int rows, Int cols, Int ld, Pointer* values,
                                     cudaDataType type, cusparseOrder_t order) {
    Look look;
    look.need_places(matrix);
    look.need(order == CUSPARSE_ORDER_COL || order == CUSPARSE_ORDER_ROW, "there is no order {}",
              static_cast<int>(order));
    look.need_size("rows", rows);
    look.need_size("cols", cols);
    look.need_size("ld", ld);
    look.need(ld >= (order == CUSPARSE_ORDER_ROW ? cols : rows), "the leading dimension of {} x {} is {}", rows, cols,
              ld);
    if (!look.ok()) return look.status();
    cusparseDnMatDescr_t made{};
    add(&made, {rows, cols, ld, const_cast<void*>(values), type, order});
    *matrix = made;
    return CUSPARSE_STATUS_SUCCESS;
}
template <class Handle, class Pointer>
cusparseStatus_t get_dense_matrix(Served&, Handle handle, Int* rows, Int* cols, Int* ld, Pointer* values,
                                  cudaDataType* type, cusparseOrder_t* order) {
    return get("the matrix", handle, [&](Look& look, const DenseMatrix& matrix) {
        put(look, matrix.rows, rows);
        put(look, matrix.columns, cols);
        put(look, matrix.leading, ld);
        put(look, matrix.values, values);
        put(look, matrix.type, type);
        put(look, matrix.order, order);
    });
}

cusparseStatus_t set_kind(Served& served, cusparseMatDescr_t kind, cusparseMatrixType_t type);
cusparseStatus_t set_kind(Served& served, cusparseMatDescr_t kind, cusparseFillMode_t fill);
cusparseStatus_t set_kind(Served& served, cusparseMatDescr_t kind, cusparseDiagType_t diagonal);
cusparseStatus_t set_kind(Served& served, cusparseMatDescr_t kind, cusparseIndexBase_t base);
/// They return what they are asked for; of none, what new ones have.
cusparseMatrixType_t get_kind_type(cusparseMatDescr_t kind);
cusparseFillMode_t get_kind_fill(cusparseMatDescr_t kind);
cusparseDiagType_t get_kind_diagonal(cusparseMatDescr_t kind);
cusparseIndexBase_t get_kind_base(cusparseMatDescr_t kind);

}  // namespace cudash::libraries::cusparse::bodies
