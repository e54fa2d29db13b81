#include "runtime_wrappers/libraries/curand/sequences.h"

#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "runtime_wrappers/libraries/curand/device_math.h"
#include "runtime_wrappers/libraries/curand/engines.h"

namespace cudash::libraries::curand {
namespace {

constexpr float inverse32 = 2.3283064e-10f;
constexpr double inverse53 = 0x1p-53, mrg_norm = 2.3283065498378288e-10;

float to_float(std::uint32_t word) {
    return std::fma(static_cast<float>(word), inverse32, inverse32 / 2);
}
double to_double(std::uint32_t x, std::uint32_t y, double unit, double half) {
    return std::fma(static_cast<double>(std::uint64_t{x} ^ std::uint64_t{y} << 21), unit, half);
}
double to_double(std::uint32_t x, std::uint32_t y) {
    return to_double(x, y, inverse53, inverse53 / 2);
}

template <class T>
using Pair = std::array<T, 2>;

// G. Box, M. Muller, "A Note on the Generation of Random Normal Deviates". `angle` is in radians for float, and in
// multiples of pi for double.
Pair<float> box_muller(float u, float angle) {
    const float radius = std::sqrt(-2.0f * log_of(u));
    const auto [sine, cosine] = fast_sine_cosine(angle);
    return {sine * radius, cosine * radius};
}
Pair<double> box_muller(double u, double angle) {
    const double radius = std::sqrt(-2.0 * log_of(u));
    const auto [sine, cosine] = sine_cosine_of_pi(angle);
    return {sine * radius, cosine * radius};
}
Pair<float> normals_of(std::uint32_t x, std::uint32_t y) {
    constexpr float turn = inverse32 * 6.2831855f;
    return box_muller(to_float(x), std::fma(static_cast<float>(y), turn, turn / 2));
}
Pair<double> normals_of(std::uint32_t x0, std::uint32_t x1, std::uint32_t y0, std::uint32_t y1) {
    return box_muller(to_double(x0, x1), to_double(y0, y1, inverse53 * 2, inverse53));
}

template <class T>
T finished(T standard, Normal<T> of, bool exponential) {
    const T value = std::fma(of.deviation, standard, of.mean);
    return exponential ? exp_of(value) : value;
}

// What each engine's lane gives.
float uniform_float(Xorwow& lane) {
    return to_float(lane.next());
}
double uniform_double(Xorwow& lane) {
    const std::uint32_t x = lane.next(), y = lane.next();
    return to_double(x, y);
}
Pair<float> normal_floats(Xorwow& lane) {
    const std::uint32_t x = lane.next(), y = lane.next();
    return normals_of(x, y);
}
Pair<double> normal_doubles(Xorwow& lane) {
    const std::uint32_t x0 = lane.next(), x1 = lane.next(), y0 = lane.next(), y1 = lane.next();
    return normals_of(x0, x1, y0, y1);
}
double uniform_double(Mrg32k3a& lane) {
    return static_cast<double>(lane.next_number()) * mrg_norm;
}
float uniform_float(Mrg32k3a& lane) {
    return static_cast<float>(uniform_double(lane));
}
Pair<float> normal_floats(Mrg32k3a& lane) {
    const float u = uniform_float(lane), v = uniform_float(lane);
    return box_muller(u, v * 6.2831855f);
}
Pair<double> normal_doubles(Mrg32k3a& lane) {
    const double u = uniform_double(lane), v = uniform_double(lane);
    return box_muller(u, v * 2.0);
}

/// Lanes that each give one result, or one pair, in turn.
template <class Lane>
class InTurn : public Sequences {
public:
    /// Lanes that are where all of them have given as many results.
    InTurn(std::vector<Lane> lanes, std::uint64_t offset)
        : lanes_(std::move(lanes)), turn_(static_cast<std::size_t>(offset % lanes_.size())) {
        for (std::size_t i = 0; i < turn_; ++i) lanes_[i].skip(1);
    }
    void bits(std::span<std::uint32_t> results) override {
        for (auto& result : results) result = next().next();
    }
    void uniform(std::span<float> results) override {
        for (auto& result : results) result = uniform_float(next());
    }
    void uniform(std::span<double> results) override {
        for (auto& result : results) result = uniform_double(next());
    }
    void normal(std::span<float> results, Normal<float> of, bool exponential) override {
        pairs(results, of, exponential, [](Lane& lane) { return normal_floats(lane); });
    }
    void normal(std::span<double> results, Normal<double> of, bool exponential) override {
        pairs(results, of, exponential, [](Lane& lane) { return normal_doubles(lane); });
    }

private:
    Lane& next() {
        Lane& lane = lanes_[turn_];
        if (++turn_ == lanes_.size()) turn_ = 0;
        return lane;
    }
    template <class T, class Make>
    void pairs(std::span<T> results, Normal<T> of, bool exponential, Make make) {
        for (std::size_t i = 0; i + 1 < results.size(); i += 2) {
            const Pair<T> pair = make(next());
            results[i] = finished(pair[0], of, exponential);
            results[i + 1] = finished(pair[1], of, exponential);
        }
    }

    std::vector<Lane> lanes_;
    std::size_t turn_;
};

/// Lanes that each give four results in turn: of one block, or doubles of two.
class InFours : public Sequences {
public:
    InFours(std::uint64_t seed, std::uint64_t offset)
        : engine_{seed}, blocks_(count, offset / 4 / count), lane_(offset / 4 % count), place_(offset % 4) {
        for (std::size_t i = 0; i < lane_; ++i) ++blocks_[i];
    }
    void bits(std::span<std::uint32_t> results) override {
        fours(results, 1, [&](std::uint64_t block) { return engine_.block(lane_, block); });
    }
    void uniform(std::span<float> results) override {
        fours(results, 1, [&](std::uint64_t block) {
            const auto words = engine_.block(lane_, block);
            return std::array{to_float(words[0]), to_float(words[1]), to_float(words[2]), to_float(words[3])};
        });
    }
    void uniform(std::span<double> results) override {
        fours(results, 2, [&](std::uint64_t block) {
            const auto a = engine_.block(lane_, block), b = engine_.block(lane_, block + 1);
            return std::array{to_double(a[0], a[1]), to_double(a[2], a[3]), to_double(b[0], b[1]),
                              to_double(b[2], b[3])};
        });
    }
    void normal(std::span<float> results, Normal<float> of, bool exponential) override {
        fours(results, 1, [&](std::uint64_t block) {
            const auto words = engine_.block(lane_, block);
            return both(normals_of(words[0], words[1]), normals_of(words[2], words[3]), of, exponential);
        });
    }
    void normal(std::span<double> results, Normal<double> of, bool exponential) override {
        fours(results, 2, [&](std::uint64_t block) {
            const auto a = engine_.block(lane_, block), b = engine_.block(lane_, block + 1);
            return both(normals_of(a[0], a[1], a[2], a[3]), normals_of(b[0], b[1], b[2], b[3]), of, exponential);
        });
    }

private:
    static constexpr std::size_t count = 65536;

    template <class T>
    static std::array<T, 4> both(Pair<T> a, Pair<T> b, Normal<T> of, bool exponential) {
        return {finished(a[0], of, exponential), finished(a[1], of, exponential), finished(b[0], of, exponential),
                finished(b[1], of, exponential)};
    }
    template <class T, class Make>
    void fours(std::span<T> results, std::uint64_t blocks, Make make) {
        for (std::size_t at = 0; at < results.size();) {
            const std::array<T, 4> four = make(blocks_[lane_]);
            while (place_ < 4 && at < results.size()) results[at++] = four[place_++];
            if (place_ < 4) return;
            place_ = 0;
            blocks_[lane_] += blocks;
            if (++lane_ == count) lane_ = 0;
        }
    }

    Philox engine_;
    std::vector<std::uint64_t> blocks_;  ///< that each lane has given
    std::size_t lane_, place_;
};

}  // namespace

std::unique_ptr<Sequences> Sequences::create(Engine engine, Lanes lanes, std::uint64_t seed, std::uint64_t offset) {
    const std::size_t count = lane_count(engine, lanes);
    switch (engine) {
        case Engine::xorwow:
            return std::make_unique<InTurn<Xorwow>>(lanes == Lanes::seeded
                                                        ? Xorwow::seeded_lanes(seed, count, offset / count)
                                                        : Xorwow::lanes(seed, count, offset / count),
                                                    offset);
        case Engine::mrg32k3a:
            return std::make_unique<InTurn<Mrg32k3a>>(Mrg32k3a::lanes(seed, count, offset / count), offset);
        case Engine::philox:
            break;
    }
    return std::make_unique<InFours>(seed, offset);
}

}  // namespace cudash::libraries::curand
