// What cuBLASLt's descriptors, preferences and algorithms hold. A program may keep one in memory of its own, so all of
// it lies in the room that the header gives to each.
#pragma once

#include <cublasLt.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string_view>
#include <vector>

#include "runtime_wrappers/libraries/cublas/request.h"

namespace cudash::libraries::cublas_lt {

struct Layout {
    static constexpr std::uint32_t kind = 0x4c61796f;
    static constexpr std::string_view name = "matrix layout";
    std::uint32_t mark = kind;
    std::int32_t type = CUDA_R_32F, order = CUBLASLT_ORDER_COL, batch_count = 1;
    std::uint64_t rows = 0, columns = 0;
    std::int64_t leading = 0, batch_stride = 0, plane_offset = 0;
    std::int32_t batch_mode = CUBLASLT_BATCH_MODE_STRIDED;
};
struct Operation {
    static constexpr std::uint32_t kind = 0x4f706572;
    static constexpr std::string_view name = "description of a product";
    std::uint32_t mark = kind;
    std::int32_t compute = CUBLAS_COMPUTE_32F, scale = CUDA_R_32F, pointer_mode = CUBLASLT_POINTER_MODE_HOST;
    std::int32_t transa = CUBLAS_OP_N, transb = CUBLAS_OP_N, transc = CUBLAS_OP_N, fill = CUBLAS_FILL_MODE_FULL;
    std::uint32_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
    std::int32_t multiprocessors = 0, auxiliary_type = -1, bias_type = -1;
    void* bias = nullptr;
    void* auxiliary = nullptr;
    std::int64_t bias_stride = 0, auxiliary_leading = 0, auxiliary_stride = 0, alpha_stride = 0;
    const float* a_scale = nullptr;
    const float* b_scale = nullptr;
    const float* c_scale = nullptr;
    const float* d_scale = nullptr;
    float* d_largest = nullptr;
    const float* auxiliary_scale = nullptr;
    float* auxiliary_largest = nullptr;
    void* d_out_scale = nullptr;
    cublasLtEmulationDesc_t emulation = nullptr;
    std::int32_t a_mode = 0, b_mode = 0, c_mode = 0, d_mode = 0, auxiliary_mode = 0, d_out_mode = 0;
    std::int8_t fast_accumulation = 0;
};
struct Preference {
    static constexpr std::uint32_t kind = 0x50726566;
    static constexpr std::string_view name = "preference";
    std::uint32_t mark = kind, search_mode = CUBLASLT_SEARCH_BEST_FIT;
    std::uint64_t most_workspace = 0;
    std::uint32_t reductions = CUBLASLT_REDUCTION_SCHEME_MASK, a_alignment = 256, b_alignment = 256, c_alignment = 256,
                  d_alignment = 256;
    float most_waves = 0;
    std::uint64_t implementations = ~std::uint64_t{0};
};
struct Algorithm {
    static constexpr std::uint32_t kind = 0x416c676f;
    static constexpr std::string_view name = "algorithm";
    std::uint32_t mark = kind;
    std::int32_t id = 0;
    std::uint32_t tile = CUBLASLT_MATMUL_TILE_UNDEFINED;
    std::int32_t splits = 1;
    std::uint32_t reduction = CUBLASLT_REDUCTION_SCHEME_NONE, swizzle = 0, option = 0, stages = 0;
    std::uint16_t inner_shape = 0, cluster_shape = 0;
};
struct Transform {
    static constexpr std::uint32_t kind = 0x5472616e;
    static constexpr std::string_view name = "description of a transform";
    std::uint32_t mark = kind;
    std::int32_t scale = CUDA_R_32F, pointer_mode = CUBLASLT_POINTER_MODE_HOST, transa = CUBLAS_OP_N,
                 transb = CUBLAS_OP_N;
};
/// Kept and told: nothing is emulated here.
struct Emulation {
    static constexpr std::uint32_t kind = 0x456d756c;
    static constexpr std::string_view name = "description of an emulation";
    std::uint32_t mark = kind;
    std::int32_t strategy = 0, special_values = CUDA_EMULATION_SPECIAL_VALUES_SUPPORT_DEFAULT, mantissa_control = 0,
                 most_bits = 0, bit_offset = 0;
    std::int32_t* bit_count = nullptr;
};

/// The room that the header gives, and what lies in it.
template <class Room>
struct ObjectOf;
#define CUDASH_OBJECT(room, object) \
    template <>                     \
    struct ObjectOf<room> {         \
        using Type = object;        \
    };                              \
    static_assert(sizeof(object) <= sizeof(room) && alignof(object) <= alignof(room))
CUDASH_OBJECT(cublasLtMatrixLayoutOpaque_t, Layout);
CUDASH_OBJECT(cublasLtMatmulDescOpaque_t, Operation);
CUDASH_OBJECT(cublasLtMatmulPreferenceOpaque_t, Preference);
CUDASH_OBJECT(cublasLtMatmulAlgo_t, Algorithm);
CUDASH_OBJECT(cublasLtMatrixTransformDescOpaque_t, Transform);
CUDASH_OBJECT(cublasLtEmulationDescOpaque_t, Emulation);
#undef CUDASH_OBJECT
template <class Room>
using Object = typename ObjectOf<Room>::Type;

/// nullptr: there is none, or it was never made, or destroyed.
template <class Room>
Object<Room>* find(Room* room) {
    auto* const object = reinterpret_cast<Object<Room>*>(room);
    return object && object->mark == Object<Room>::kind ? object : nullptr;
}
template <class Room>
const Object<Room>* find(const Room* room) {
    return find(const_cast<Room*>(room));
}
template <class Room>
void put(Room& room, const Object<Room>& object) {
    room = {};
    reinterpret_cast<Object<Room>&>(room) = object;
}

/// Room for those that the library keeps. What was destroyed stays readable, without its mark, until it is used again.
template <class Room>
class Rooms {
public:
    Room* add(const Object<Room>& object) {
        if (free_.empty()) free_.push_back(&rooms_.emplace_back());
        Room* const room = free_.back();
        free_.pop_back();
        put(*room, object);
        return room;
    }
    void remove(Room* room) {
        *room = {};
        for (Room& own : rooms_)
            if (&own == room) free_.push_back(room);
    }
    static Rooms& all() {
        static Rooms rooms;
        return rooms;
    }

private:
    std::deque<Room> rooms_;
    std::vector<Room*> free_;
};

/// A member that programs set and ask for by its number.
struct Attribute {
    int number = 0;
    std::string_view name{};
    std::size_t offset = 0, size = 0;
    bool read_only = false;
};
template <class T>
std::span<const Attribute> attributes_of();

cublasStatus_t set_attribute(void* object, std::span<const Attribute> attributes, int number, const void* buffer,
                             std::size_t size);
/// `object`: nullptr is refused.
cublasStatus_t get_attribute(const void* object, std::span<const Attribute> attributes, int number, void* buffer,
                             std::size_t size, std::size_t* written);

/// Whether the handle is one of cublasLtCreate's, or of cublasCreate's: those are taken, too.
bool is_handle(cublasLtHandle_t handle);

/// The algorithm that there is, for products of all kinds.
inline constexpr int only_algorithm = 0;

}  // namespace cudash::libraries::cublas_lt
