#include "repl/session/profile_api.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include "runtime_wrappers/virtual_gpu/profile/metrics.h"
#include "runtime_wrappers/virtual_gpu/profile/profiler.h"

namespace cudash::session {
namespace {

using virtual_gpu::Counters;
using virtual_gpu::Profiler;

api::Runtime* served = nullptr;
std::string why;

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

Profiler* profiler() {
    Profiler* const found = served ? served->profiler() : nullptr;
    why = found ? "" : "kernels on a real GPU are not profiled";
    return found;
}

/// "k" names k and every instance of a template k.
bool names(std::string_view asked, std::string_view kernel) {
    return kernel == asked || (kernel.starts_with(asked) && kernel.substr(asked.size()).starts_with('<'));
}

template <class Look>
std::uint64_t each_entry(const char* kernel, Look&& look) {
    Profiler* const from = profiler();
    if (!from || !kernel) return 0;
    std::uint64_t launches = 0;
    for (const Profiler::Entry& entry : from->entries()) {
        if (!names(kernel, entry.sum.kernel)) continue;
        launches += entry.launches;
        look(entry);
    }
    if (launches == 0)
        why = from->entries().empty() && !from->on
                  ? "nothing was profiled: call cudash::profile_on() before the launch"
                  : fmt::format("no kernel {} has run since the profile began", kernel);
    return launches;
}

void turn(int on) {
    if (Profiler* const found = profiler()) found->on = on != 0;
}

unsigned long long launches_of(const char* kernel) {
    return each_entry(kernel, [](const Profiler::Entry&) {});
}

double metric(const char* kernel, unsigned line, const char* name) {
    const virtual_gpu::Metric* const found = name ? virtual_gpu::find_metric(name) : nullptr;
    Counters sum;
    bool has_line = line == 0;
    const std::uint64_t count = each_entry(kernel, [&](const Profiler::Entry& entry) {
        if (line == 0) {
            sum.add(virtual_gpu::count(entry.sum, entry.sum.device));
            return;
        }
        for (const auto& each : virtual_gpu::count_lines(entry.sum, entry.sum.device)) {
            if (each.where.line != line) continue;
            sum.add(each.counters);
            has_line = true;
        }
    });
    if (count == 0) return unknown;
    if (!found) {
        why = fmt::format("there is no metric {}; :profile metrics lists them", name ? name : "without a name");
        return unknown;
    }
    if (!has_line) {
        why = fmt::format("no instruction of {} is of line {}", kernel, line);
        return unknown;
    }
    return found->value(sum);
}

double microseconds(const char* kernel) {
    double sum = 0;
    const std::uint64_t count =
        each_entry(kernel, [&](const Profiler::Entry& entry) { sum += entry.sum.time.nanoseconds / 1000; });
    return count == 0 ? unknown : sum;
}

int blocks(const char* kernel) {
    int found = -1;
    each_entry(kernel, [&](const Profiler::Entry& entry) { found = static_cast<int>(entry.sum.occupancy.blocks); });
    return found;
}

const char* bound(const char* kernel) {
    std::string_view found = "";
    each_entry(kernel, [&](const Profiler::Entry& entry) { found = virtual_gpu::name_of(entry.sum.time.bound); });
    return found.data();  // of a literal
}

const char* reason() {
    return why.c_str();
}

struct Function {
    std::string_view name;
    const void* address;
};

}  // namespace

void serve_profile(api::Runtime* runtime) {
    served = runtime;
}

const void* profile_function(std::string_view name) {
    static const std::array functions = {
        Function{"cudash_profile_on", reinterpret_cast<const void*>(&turn)},
        Function{"cudash_profile_launches", reinterpret_cast<const void*>(&launches_of)},
        Function{"cudash_profile_metric", reinterpret_cast<const void*>(&metric)},
        Function{"cudash_profile_microseconds", reinterpret_cast<const void*>(&microseconds)},
        Function{"cudash_profile_blocks", reinterpret_cast<const void*>(&blocks)},
        Function{"cudash_profile_bound", reinterpret_cast<const void*>(&bound)},
        Function{"cudash_profile_why", reinterpret_cast<const void*>(&reason)},
    };
    const auto found = std::ranges::find(functions, name, &Function::name);
    return found == functions.end() ? nullptr : found->address;
}

}  // namespace cudash::session
