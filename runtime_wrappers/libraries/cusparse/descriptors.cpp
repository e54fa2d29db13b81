#include "runtime_wrappers/libraries/cusparse/descriptors.h"

#include <algorithm>
#include <array>

namespace cudash::libraries {
namespace {

struct StatusText {
    cusparseStatus_t status;
    const char* name;
    const char* text;
};
constexpr std::array status_texts = {
    StatusText{CUSPARSE_STATUS_SUCCESS, "CUSPARSE_STATUS_SUCCESS", "success"},
    StatusText{CUSPARSE_STATUS_NOT_INITIALIZED, "CUSPARSE_STATUS_NOT_INITIALIZED", "initialization error"},
    StatusText{CUSPARSE_STATUS_ALLOC_FAILED, "CUSPARSE_STATUS_ALLOC_FAILED", "out of memory"},
    StatusText{CUSPARSE_STATUS_INVALID_VALUE, "CUSPARSE_STATUS_INVALID_VALUE", "invalid value"},
    StatusText{CUSPARSE_STATUS_ARCH_MISMATCH, "CUSPARSE_STATUS_ARCH_MISMATCH", "architecture mismatch"},
    StatusText{CUSPARSE_STATUS_MAPPING_ERROR, "CUSPARSE_STATUS_MAPPING_ERROR", "texture memory mapping error"},
    StatusText{CUSPARSE_STATUS_EXECUTION_FAILED, "CUSPARSE_STATUS_EXECUTION_FAILED", "kernel launch failure"},
    StatusText{CUSPARSE_STATUS_INTERNAL_ERROR, "CUSPARSE_STATUS_INTERNAL_ERROR", "internal error"},
    StatusText{CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED, "CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED",
               "matrix type not supported"},
    StatusText{CUSPARSE_STATUS_ZERO_PIVOT, "CUSPARSE_STATUS_ZERO_PIVOT", "zero pivot"},
    StatusText{CUSPARSE_STATUS_NOT_SUPPORTED, "CUSPARSE_STATUS_NOT_SUPPORTED", "operation not supported"},
    StatusText{CUSPARSE_STATUS_INSUFFICIENT_RESOURCES, "CUSPARSE_STATUS_INSUFFICIENT_RESOURCES",
               "insufficient resources"},
};
constexpr StatusText unknown = {CUSPARSE_STATUS_SUCCESS, "unrecognized error code", "unrecognized error code"};
const StatusText& text_of(cusparseStatus_t status) {
    const auto found = std::ranges::find(status_texts, status, &StatusText::status);
    return found == status_texts.end() ? unknown : *found;
}

}  // namespace

std::string_view StatusOf<cusparseStatus_t>::name(cusparseStatus_t status) {
    return text_of(status).name;
}

namespace cusparse::bodies {

const char* get_error_name(cusparseStatus_t status) {
    return text_of(status).name;
}
const char* get_error_string(cusparseStatus_t status) {
    return text_of(status).text;
}

cusparseStatus_t create(Served&, cusparseHandle_t* handle) {
    Look look;
    look.need_places(handle);
    return look.ok() ? add(handle, {}) : look.status();
}
cusparseStatus_t destroy_handle(Served& served, cusparseHandle_t handle) {
    Request request(served, handle);
    if (request.ok()) objects<cusparseHandle_t>().remove(handle);
    return request.status();
}
cusparseStatus_t get_version(Served& served, cusparseHandle_t handle, int* version) {
    Request request(served, handle);
    request.need_places(version);
    if (request.ok()) *version = CUSPARSE_VERSION;
    return request.status();
}
cusparseStatus_t get_property(Served&, libraryPropertyType type, int* value) {
    constexpr std::array parts = {CUSPARSE_VER_MAJOR, CUSPARSE_VER_MINOR, CUSPARSE_VER_PATCH};
    Look look;
    look.need_places(value);
    look.need(type >= MAJOR_VERSION && type <= PATCH_LEVEL, "there is no property {}", static_cast<int>(type));
    if (look.ok()) *value = parts[static_cast<std::size_t>(type)];
    return look.status();
}
cusparseStatus_t set_stream(Served& served, cusparseHandle_t handle, cudaStream_t stream) {
    Request request(served, handle);
    if (request.ok()) request.handle().stream = stream;
    return request.status();
}
cusparseStatus_t get_stream(Served& served, cusparseHandle_t handle, cudaStream_t* stream) {
    Request request(served, handle);
    request.need_places(stream);
    if (request.ok()) *stream = request.handle().stream;
    return request.status();
}
cusparseStatus_t set_pointer_mode(Served& served, cusparseHandle_t handle, cusparsePointerMode_t mode) {
    Request request(served, handle);
    request.need(mode == CUSPARSE_POINTER_MODE_HOST || mode == CUSPARSE_POINTER_MODE_DEVICE,
                 "there is no pointer mode {}", static_cast<int>(mode));
    if (request.ok()) request.handle().pointer_mode = mode;
    return request.status();
}
cusparseStatus_t get_pointer_mode(Served& served, cusparseHandle_t handle, cusparsePointerMode_t* mode) {
    Request request(served, handle);
    request.need_places(mode);
    if (request.ok()) *mode = request.handle().pointer_mode;
    return request.status();
}

namespace {

/// The member that an attribute names, as bytes: both are enumerations.
int* attribute_of(Look& look, SparseMatrix* matrix, cusparseSpMatAttribute_t attribute, const void* data,
                  std::size_t size) {
    look.need(attribute == CUSPARSE_SPMAT_FILL_MODE || attribute == CUSPARSE_SPMAT_DIAG_TYPE,
              "there is no attribute {}", static_cast<int>(attribute));
    look.need(data != nullptr, "data is a null pointer");
    look.need(size == sizeof(int), "the attribute has {} bytes; dataSize is {}", sizeof(int), size);
    if (!look.ok()) return nullptr;
    return attribute == CUSPARSE_SPMAT_FILL_MODE ? reinterpret_cast<int*>(&matrix->fill)
                                                 : reinterpret_cast<int*>(&matrix->diagonal);
}

template <class T>
cusparseStatus_t set_member(cusparseMatDescr_t kind, T MatrixKind::*member, T value) {
    return get("descrA", kind, [&](Look& look, MatrixKind& found) {
        look.need(value >= T{} && value <= 3, "there is no such value: {}", static_cast<int>(value));
        if (look.ok()) found.*member = value;
    });
}
MatrixKind kind_of(cusparseMatDescr_t kind) {
    const MatrixKind* const found = find(kind);
    return found ? *found : MatrixKind{};
}

}  // namespace

cusparseStatus_t set_attribute(Served&, cusparseSpMatDescr_t matrix, cusparseSpMatAttribute_t attribute,
                               const void* data, std::size_t size) {
    Look look;
    if (int* const member = attribute_of(look, look.object("the matrix", matrix), attribute, data, size)) {
        const int value = *static_cast<const int*>(data);
        look.need(value == 0 || value == 1, "the attribute can't be {}", value);
        if (look.ok()) *member = value;
    }
    return look.status();
}
cusparseStatus_t get_attribute(Served&, cusparseConstSpMatDescr_t matrix, cusparseSpMatAttribute_t attribute,
                               void* data, std::size_t size) {
    Look look;
    if (const int* const member = attribute_of(look, look.object("the matrix", matrix), attribute, data, size))
        *static_cast<int*>(data) = *member;
    return look.status();
}

cusparseStatus_t set_kind(Served&, cusparseMatDescr_t kind, cusparseMatrixType_t type) {
    return set_member(kind, &MatrixKind::type, type);
}
cusparseStatus_t set_kind(Served&, cusparseMatDescr_t kind, cusparseFillMode_t fill) {
    return set_member(kind, &MatrixKind::fill, fill);
}
cusparseStatus_t set_kind(Served&, cusparseMatDescr_t kind, cusparseDiagType_t diagonal) {
    return set_member(kind, &MatrixKind::diagonal, diagonal);
}
cusparseStatus_t set_kind(Served&, cusparseMatDescr_t kind, cusparseIndexBase_t base) {
    return set_member(kind, &MatrixKind::base, base);
}
cusparseMatrixType_t get_kind_type(cusparseMatDescr_t kind) {
    return kind_of(kind).type;
}
cusparseFillMode_t get_kind_fill(cusparseMatDescr_t kind) {
    return kind_of(kind).fill;
}
cusparseDiagType_t get_kind_diagonal(cusparseMatDescr_t kind) {
    return kind_of(kind).diagonal;
}
cusparseIndexBase_t get_kind_base(cusparseMatDescr_t kind) {
    return kind_of(kind).base;
}

}  // namespace cusparse::bodies
}  // namespace cudash::libraries
