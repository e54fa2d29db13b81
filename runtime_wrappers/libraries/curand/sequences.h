// What a generator of cuRAND writes: its lanes take turns, and each distribution takes its numbers from them as
// recorded (tests/hardware/libraries). One sequence goes on from call to call, whatever each call asks for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace cudash::libraries::curand {

enum class Engine : std::uint8_t { xorwow, mrg32k3a, philox };

/// The order of the results, as lanes: CURAND_ORDERING_PSEUDO_LEGACY differs for MRG32k3a alone; in
/// CURAND_ORDERING_PSEUDO_SEEDED each lane of XORWOW has a seed of its own.
enum class Lanes : std::uint8_t { standard, legacy, seeded };

template <class T>
struct Normal {
    T mean, deviation;
};

class Sequences {
public:
    virtual ~Sequences() = default;
    static std::unique_ptr<Sequences> create(Engine engine, Lanes lanes, std::uint64_t seed, std::uint64_t offset);

    /// How many of them take turns.
    static std::size_t lane_count(Engine engine, Lanes lanes) {
        return engine == Engine::mrg32k3a && lanes != Lanes::legacy ? 81920 : 4096;
    }

    virtual void bits(std::span<std::uint32_t> results) = 0;
    virtual void uniform(std::span<float> results) = 0;
    virtual void uniform(std::span<double> results) = 0;
    /// As many as fit in pairs. `exponential`: their exponential functions, the log-normal distribution.
    virtual void normal(std::span<float> results, Normal<float> of, bool exponential) = 0;
    virtual void normal(std::span<double> results, Normal<double> of, bool exponential) = 0;
};

}  // namespace cudash::libraries::curand
