#include "runtime_wrappers/libraries/curand/poisson.h"

#include <cmath>
#include <vector>

namespace cudash::libraries::curand {

void normal_poisson(Engine engine, Lanes lanes, std::uint64_t seed, std::span<unsigned> results, double lambda) {
    // Philox makes four numbers at a time, in the order of the results.
    const bool in_order = engine == Engine::philox;
    const std::size_t count = in_order ? 2 : Sequences::lane_count(engine, lanes), round = 2 * count;
    std::vector<float> normals((results.size() + round - 1) / round * round);
    Sequences::create(engine, lanes, seed, 0)->normal(std::span<float>(normals), {0, 1}, false);
    for (std::size_t i = 0; i < results.size(); ++i) {
        const std::size_t turn = i / count, lane = i % count;
        // A lane's numbers lie in pairs in the results of curandGenerateNormal, the lanes' pairs side by side.
        const std::size_t at = in_order ? i : turn / 2 * round + 2 * lane + turn % 2;
        results[i] = static_cast<unsigned>(std::sqrt(lambda) * normals[at] + lambda + 0.5);
    }
}

}  // namespace cudash::libraries::curand
