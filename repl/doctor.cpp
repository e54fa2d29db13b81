#include "repl/doctor.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "repl/exit_codes.h"
#include "repl/notebook/kernelspec.h"
#include "repl/own_program.h"
#include "repl/shell/input/history.h"
#include "runtime_wrappers/nvrtc/compiler.h"
#include "runtime_wrappers/virtual_gpu/devices/profile.h"
#include "runtime_wrappers/virtual_gpu/exec/vector_units.h"

namespace cudash {
namespace {

namespace fs = std::filesystem;

struct Finding {
    enum class State { ok, missing, absent };  ///< `absent`: not needed
    State state = State::ok;
    std::string text;
    std::string fix;
};

Finding ok(std::string text) {
    return {Finding::State::ok, std::move(text), {}};
}
Finding missing(std::string text, std::string fix) {
    return {Finding::State::missing, std::move(text), std::move(fix)};
}
Finding absent(std::string text, std::string fix = {}) {
    return {Finding::State::absent, std::move(text), std::move(fix)};
}

constexpr const char* toolkit_fix =
    "install the CUDA toolkit 13 (https://developer.nvidia.com/cuda-downloads) or set CUDA_PATH to its folder";

Finding find_toolkit() {
    const std::string include = nvrtc::toolkit_include();
    return include.empty() ? missing("no headers found", toolkit_fix) : ok(include);
}

Finding find_nvrtc() {
    const auto version = nvrtc::version();
    if (version) return ok(fmt::format("version {}.{}", version->first, version->second));
    return missing(version.error().message, version.error().hint.empty() ? toolkit_fix : version.error().hint);
}

/// The driver API, as far as doctor asks it (cuda.h, "Initialization", "Version Management", "Device Management").
class Driver {
public:
    Driver() : library_(dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL)) {
        if (const auto initialise = function<int (*)(unsigned)>("cuInit")) status_ = initialise(0);
    }
    bool is_found() const { return library_ != nullptr; }
    /// cuInit's CUresult.
    int status() const { return status_; }

    int version() const {
        int value = 0;
        if (const auto get = function<int (*)(int*)>("cuDriverGetVersion")) get(&value);
        return value;
    }
    std::vector<std::string> devices() const {
        std::vector<std::string> names;
        const auto get_count = function<int (*)(int*)>("cuDeviceGetCount");
        const auto get_name = function<int (*)(char*, int, int)>("cuDeviceGetName");
        int count = 0;
        if (status_ != 0 || !get_count || !get_name || get_count(&count) != 0) return names;
        for (int device = 0; device < count; ++device) {
            char name[256] = "";
            if (get_name(name, sizeof name, device) == 0) names.push_back(fmt::format("gpu:{} {}", device, name));
        }
        return names;
    }

private:
    template <class F>
    F function(const char* name) const {
        return library_ ? reinterpret_cast<F>(dlsym(library_.get(), name)) : nullptr;
    }
    struct Close {
        void operator()(void* library) const { dlclose(library); }
    };
    std::unique_ptr<void, Close> library_;
    int status_ = -1;
};

Finding find_driver(const Driver& driver) {
    if (!driver.is_found()) return absent("no NVIDIA driver; programs run on the virtual GPU");
    if (driver.status() != 0)
        return absent(fmt::format("libcuda.so.1 is there, but cuInit gives error {}", driver.status()),
                      "see whether nvidia-smi works; a reboot is needed after a driver update");
    return ok(fmt::format("supports CUDA {}.{}", driver.version() / 1000, driver.version() % 1000 / 10));
}

Finding find_gpus(const Driver& driver) {
    const auto names = driver.devices();
    return names.empty() ? absent("none") : ok(fmt::format("{}", fmt::join(names, ", ")));
}

Finding find_clang() {
    const char* given = std::getenv("CUDASH_CLANG_RESOURCE_DIR");
    const fs::path folder = given && *given ? given : CUDASH_CLANG_RESOURCE_DIR;
    std::error_code ignored;
    if (fs::exists(folder / "include" / "stddef.h", ignored)) return ok(folder.string());
    return missing(fmt::format("{} has no headers", folder.string()), "apt-get install libclang-common-19-dev");
}

Finding find_profiles() {
    std::vector<std::string_view> names;
    for (const auto& profile : virtual_gpu::profiles()) names.push_back(profile.name);
    return ok(fmt::format("{}", fmt::join(names, ", ")));
}

Finding check_folder(const fs::path& folder) {
    if (folder.empty()) return absent("no home folder; nothing is kept between runs", "set HOME or XDG_CACHE_HOME");
    fs::path existing = folder;
    std::error_code ignored;
    while (!fs::exists(existing, ignored) && existing.has_parent_path() && existing != existing.parent_path())
        existing = existing.parent_path();
    if (access(existing.c_str(), W_OK | X_OK) == 0) return ok(folder.string());
    return absent(fmt::format("{} can't be written", folder.string()),
                  fmt::format("make {} writable", existing.string()));
}

fs::path cache_folder() {
    const char* cache = std::getenv("XDG_CACHE_HOME");
    if (cache && *cache == '/') return fs::path(cache) / "cudash";
    const char* home = std::getenv("HOME");
    return home && *home == '/' ? fs::path(home) / ".cache/cudash" : fs::path();
}

Finding check_processor() {
    return ok(
        fmt::format("{} processors, kernels run with {}", sysconf(_SC_NPROCESSORS_ONLN), virtual_gpu::vector_units()));
}

/// Those that start this program, and those whose program is gone.
Finding find_kernels() {
    const std::string here = own_program().string();
    const auto kernels = notebook::installed_kernels();
    for (const auto& each : kernels)
        if (!each.starts)
            return absent(fmt::format("{} starts {}, which is gone", each.folder, each.program),
                          fmt::format("`cudash kernel install --user`, or `rm -r {}`", each.folder));
    for (const auto& each : kernels)
        if (each.program == here) return ok(each.folder);
    return absent("not installed", "`cudash kernel install --user`, for CUDA C++ in notebooks");
}

Finding try_worker(const worker::Settings& settings) {
    const auto begin = std::chrono::steady_clock::now();
    worker::Client client(settings, {[](const Diagnostic&) {}, {}, {}});
    const auto device = client.wait_ready();
    if (!device) return missing(device.error().message, device.error().hint);
    const auto time = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
    return ok(fmt::format("{}, ready in {} ms", *device, time.count()));
}

/// What holds a worker that runs a stranger's code here, found out by starting one.
void show_isolation(worker::Settings settings, const view::Display& display) {
    std::error_code ignored;
    settings.options.device = "virtual:h200";
    settings.confinement.emplace().folder = fs::temp_directory_path(ignored).string();
    worker::Client client(settings, {[](const Diagnostic&) {}, {}, [](std::string_view) {}});
    if (!client.wait_ready()) return;
    display.results("\nisolation of submissions (cudash grade):\n");
    for (const worker::Layer& layer : worker::layers()) {
        const bool holds =
            std::find(client.layers().begin(), client.layers().end(), layer.name) != client.layers().end();
        display.results(fmt::format("{:<8} {:<14} stops {}\n", holds ? "ok" : "-", layer.name, layer.stops));
    }
    const auto missing = worker::missing_layers(worker::Trust::native_code, client.layers());
    display.results(missing.empty()
                        ? std::string("whole programs and device code can be graded\n")
                        : fmt::format("whole programs are refused, because of: {}\n", fmt::join(missing, ", ")));
}

/// The settings of the shell, as it would start now.
void show_settings(const settings::Settings& values, const view::Display& display) {
    const std::string file = settings::default_file([](const char* name) { return std::getenv(name); });
    std::error_code ignored;
    display.results(fmt::format("\nsettings ({}):\n", file.empty()                ? "no home folder, and no file"
                                                      : fs::exists(file, ignored) ? file
                                                                                  : file + ", which is not there"));
    std::vector<const settings::Setting*> rows;
    for (const settings::Setting& row : settings::table()) rows.push_back(&row);
    display.show(settings::listed(values, rows));
}

}  // namespace

int doctor(worker::Settings settings, const settings::Settings& values, const view::Display& display) {
    values.values().to_worker(settings);
    const Driver driver;
    const std::pair<std::string_view, std::function<Finding()>> checks[] = {
        {"CUDA toolkit", find_toolkit},
        {"NVRTC", find_nvrtc},
        {"clang headers", find_clang},
        {"NVIDIA driver", [&] { return find_driver(driver); }},
        {"GPUs", [&] { return find_gpus(driver); }},
        {"virtual GPUs", find_profiles},
        {"processor", check_processor},
        {"cache", [] { return check_folder(cache_folder()); }},
        {"history", [] { return check_folder(fs::path(shell::default_history_file()).parent_path()); }},
        {"Jupyter kernel", find_kernels},
        {"worker", [&] { return try_worker(settings); }},
    };
    constexpr std::string_view words[] = {"ok", "missing", "-"};
    bool complete = true;
    for (const auto& [name, check] : checks) {
        const Finding finding = check();
        complete = complete && finding.state != Finding::State::missing;
        std::string line = fmt::format("{:<8} {:<14} {}\n", words[static_cast<int>(finding.state)], name, finding.text);
        if (!finding.fix.empty()) line += fmt::format("{:<24}fix: {}\n", "", finding.fix);
        display.results(line);
    }
    show_isolation(settings, display);
    show_settings(values, display);
    return complete ? 0 : exit_codes::unavailable;
}

}  // namespace cudash
