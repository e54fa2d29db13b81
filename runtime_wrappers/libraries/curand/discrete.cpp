// Distributions that kernels draw from by curand_discrete: tables in memory of the device, as curand_discrete.h
// declares them.
#include <curand.h>

// needs the types of the one above
#include <curand_discrete.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <vector>

#include "runtime_wrappers/libraries/curand/generator.h"
#include "runtime_wrappers/libraries/curand/poisson.h"

namespace cudash::libraries::curand::bodies {
namespace {

using virtual_gpu::Address;

/// The probabilities of `shift`, `shift` + 1, ...; what is left out is less than a double of a uniform number can tell.
struct Probabilities {
    unsigned shift = 0;
    std::vector<double> of;
};
Probabilities poisson(double lambda) {
    constexpr double deviations = 9, more = 20;
    const double reach = deviations * std::sqrt(lambda) + more;
    Probabilities found{.shift = static_cast<unsigned>(std::max(0.0, std::floor(lambda - reach))), .of = {}};
    double sum = 0;
    for (double k = found.shift; k <= lambda + reach; ++k) {
        found.of.push_back(std::exp(k * std::log(lambda) - lambda - std::lgamma(k + 1)));
        sum += found.of.back();
    }
    for (double& each : found.of) each /= sum;
    return found;
}

/// Marsaglia, Tsang, Wang, "Fast Generation of Discrete Random Variables", Journal of Statistical Software 11 (2004),
/// the square histogram: of N cells of width 1/N, cell j means j below `limits[j]` and `others[j]` above it.
struct SquareHistogram {
    std::vector<double> limits;
    std::vector<unsigned> others;
};
SquareHistogram square_histogram(std::vector<double> probabilities) {
    const std::size_t count = probabilities.size();
    const double width = 1.0 / static_cast<double>(count);
    SquareHistogram histogram;
    for (std::size_t j = 0; j < count; ++j) {
        histogram.limits.push_back(static_cast<double>(j + 1) * width);
        histogram.others.push_back(static_cast<unsigned>(j));
    }
    for (std::size_t turn = 1; turn < count; ++turn) {
        const auto [poor, rich] = std::ranges::minmax_element(probabilities);
        if (poor == rich) break;
        const auto j = static_cast<std::size_t>(poor - probabilities.begin());
        histogram.limits[j] = static_cast<double>(j) * width + *poor;
        histogram.others[j] = static_cast<unsigned>(rich - probabilities.begin());
        *rich -= width - *poor;
        *poor = width;
    }
    return histogram;
}

/// All of it in one allocation, one part after the other.
struct Tables {
    curandDiscreteDistribution_st distribution{};
    curandDistributionM2Shift_st shifted{};
    curandHistogramM2_st histogram{};
    SquareHistogram cells;

    std::size_t limits_at() const { return sizeof distribution + sizeof shifted + sizeof histogram; }
    std::size_t others_at() const { return limits_at() + cells.limits.size() * sizeof(double); }
    std::size_t size() const { return others_at() + cells.others.size() * sizeof(unsigned); }
};
static_assert(sizeof(curandDiscreteDistribution_st) % 8 == 0 && sizeof(curandDistributionM2Shift_st) % 8 == 0 &&
              sizeof(curandHistogramM2_st) % 8 == 0);

Tables tables_of(double lambda) {
    Tables tables;
    tables.distribution.mean = lambda;
    tables.distribution.stddev = std::sqrt(lambda);
    tables.distribution.method = CURAND_CHOOSE_BEST;  // kernels then round normally distributed numbers
    if (lambda >= least_normal_lambda) return tables;
    tables.distribution.method = CURAND_M2;
    Probabilities probabilities = poisson(lambda);
    tables.shifted.shift = probabilities.shift;
    tables.shifted.length = static_cast<unsigned>(probabilities.of.size());
    tables.cells = square_histogram(std::move(probabilities.of));
    return tables;
}

/// As bytes for `address`, where they will lie.
std::vector<std::byte> placed(Tables tables, Address address) {
    const auto at = [&]<class T>(T*& member, std::size_t offset) { member = reinterpret_cast<T*>(address + offset); };
    at(tables.distribution.M2, sizeof tables.distribution);
    at(tables.shifted.histogram, sizeof tables.distribution + sizeof tables.shifted);
    at(tables.histogram.V, tables.limits_at());
    at(tables.histogram.K, tables.others_at());
    std::vector<std::byte> bytes(tables.size());
    std::byte* to = bytes.data();
    const auto put = [&](const void* from, std::size_t size) {
        if (size != 0) std::memcpy(to, from, size);
        to += size;
    };
    put(&tables.distribution, sizeof tables.distribution);
    put(&tables.shifted, sizeof tables.shifted);
    put(&tables.histogram, sizeof tables.histogram);
    put(tables.cells.limits.data(), tables.cells.limits.size() * sizeof(double));
    put(tables.cells.others.data(), tables.cells.others.size() * sizeof(unsigned));
    return bytes;
}

/// The serial number of each one's allocation: cudaDeviceReset may free that, and its address be given out again.
std::map<Address, std::uint64_t>& live_distributions() {
    static std::map<Address, std::uint64_t> live;
    return live;
}
std::uint64_t serial_of(virtual_gpu::runtime::Gpu& gpu, Address address) {
    const auto allocation = gpu.memory.space->find(address);
    return allocation ? allocation->serial : 0;
}

}  // namespace

curandStatus_t create_poisson_distribution(Served& served, double lambda, curandDiscreteDistribution_t* distribution) {
    if (!distribution) return refuse(CURAND_STATUS_NOT_INITIALIZED, "there is no place for the distribution");
    if (!(lambda > 0 && lambda <= largest_lambda))
        return refuse(CURAND_STATUS_OUT_OF_RANGE, "lambda is {}; it must be above 0 and at most {}", lambda,
                      largest_lambda);
    virtual_gpu::runtime::Gpu& gpu = served.gpu;
    if (gpu.context.status() != cudaSuccess) return CURAND_STATUS_PREEXISTING_FAILURE;
    Tables tables = tables_of(lambda);
    Address address = 0;
    if (gpu.memory.allocate(address, tables.size(), {.device = gpu.current()}) != cudaSuccess)
        return CURAND_STATUS_ALLOCATION_FAILED;
    const std::vector<std::byte> bytes = placed(std::move(tables), address);
    Work work(served, nullptr);
    const std::size_t to = work.add("the distribution", reinterpret_cast<const std::byte*>(address),
                                    {.width = static_cast<std::int64_t>(bytes.size())}, Access::written);
    work.wait();
    if (work.ask([&](Operands& operands) { std::ranges::copy(bytes, operands.at<std::byte>(to)); }) != Asked::done) {
        gpu.memory.release(address);
        return CURAND_STATUS_PREEXISTING_FAILURE;
    }
    live_distributions()[address] = serial_of(gpu, address);
    *distribution = reinterpret_cast<curandDiscreteDistribution_t>(address);
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t destroy_distribution(Served& served, curandDiscreteDistribution_t distribution) {
    const auto address = reinterpret_cast<Address>(distribution);
    const auto found = live_distributions().extract(address);
    if (found.empty())
        return refuse(CURAND_STATUS_NOT_INITIALIZED,
                      "this is not a distribution of curandCreatePoissonDistribution, or it was destroyed");
    if (serial_of(served.gpu, address) != found.mapped())
        return refuse(CURAND_STATUS_NOT_INITIALIZED, "cudaDeviceReset has freed this distribution");
    if (served.gpu.scheduler.wait_for_devices() != cudaSuccess) return CURAND_STATUS_PREEXISTING_FAILURE;
    served.gpu.memory.release(address);
    return CURAND_STATUS_SUCCESS;
}

}  // namespace cudash::libraries::curand::bodies
