#include "runtime_wrappers/virtual_gpu/exec/matrix_elements.h"

#include <memory>
#include <mutex>
#include <utility>

namespace cudash::virtual_gpu {
namespace {

/// More than the shapes of all instructions.
constexpr std::uint32_t most_shapes = 256;

struct Known {
    FragmentShape shape;
    ElementPlaces places;
};

bool same_places(const FragmentShape& a, const FragmentShape& b) {
    return a.place == b.place && a.rows == b.rows && a.columns == b.columns && a.lanes == b.lanes &&
           a.per_register() == b.per_register();
}

ElementPlaces find_places(const FragmentShape& shape) {
    ElementPlaces found;
    for (unsigned s = 0; s < shape.slots(); ++s) {
        ElementPlaces::Lanes row, column, index;
        for (unsigned l = 0; l < warp_size; ++l) {
            const MatrixPlace at = shape.place(l, s, shape.per_register(), shape.columns);
            row[l] = static_cast<std::int32_t>(at.row);
            column[l] = static_cast<std::int32_t>(at.column);
            index[l] = static_cast<std::int32_t>(at.row * shape.columns + at.column);
        }
        found.row.push_back(row);
        found.column.push_back(column);
        found.index.push_back(index);
    }
    if (shape.lanes != warp_size) return found;
    found.source.resize(std::size_t{shape.rows} * shape.columns);
    for (unsigned s = 0; s < shape.slots(); ++s)
        for (unsigned l = 0; l < warp_size; ++l)
            found.source[static_cast<std::size_t>(found.index[s][l])] = static_cast<std::int32_t>(s * warp_size + l);
    return found;
}

/// Those that are known never change: who has a number reads without a lock.
struct Registry {
    std::mutex mutex;
    std::uint32_t count = 0;
    std::array<std::unique_ptr<const Known>, most_shapes> known;
};
Registry& registry() {
    static Registry the_only;
    return the_only;
}

}  // namespace

std::uint32_t number_of_places(const FragmentShape& shape) {
    Registry& all = registry();
    std::lock_guard lock(all.mutex);
    for (std::uint32_t n = 0; n < all.count; ++n)
        if (same_places(all.known[n]->shape, shape)) return n;
    if (all.count == most_shapes) return no_index;
    all.known[all.count] = std::make_unique<const Known>(Known{shape, find_places(shape)});
    return all.count++;
}

const ElementPlaces& places_of(std::uint32_t number) {
    return registry().known[number]->places;
}

}  // namespace cudash::virtual_gpu
