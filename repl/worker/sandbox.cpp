#include "repl/worker/sandbox.h"

#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "repl/own_program.h"
#include "repl/worker/file_tree.h"
#include "repl/worker/landlock.h"
#include "repl/worker/readable.h"
#include "repl/worker/system_calls.h"

namespace cudash::worker {
namespace {

namespace fs = std::filesystem;

/// What the two halves of the process's own protection need to know of it.
struct SandboxState {
    const Confinement& confinement;
};

bool clean_start(const SandboxState& held) {
    return chdir(held.confinement.folder.c_str()) == 0;
}

bool own_namespaces(const SandboxState&) {
    return getpid() == 1;  // the front end starts it as the first process of its own
}

bool own_file_tree(const SandboxState&) {
    return access(file_tree_mark, F_OK) == 0;  // the front end lets it begin there
}

bool no_privileges(const SandboxState&) {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    const __user_cap_data_struct none[2] = {};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && syscall(SYS_capset, &header, none) == 0;
}

bool landlock(const SandboxState& held) {
    const fs::path program = own_program();
    const char* cache = std::getenv("CUDASH_HEADER_CACHE");
    std::vector<std::string> readable = readable_paths(program.string(), cache ? cache : "");
    readable.push_back(held.confinement.folder);
    return restrict_files(readable, {"/dev/null"});
}

/// Bytes that are in use already, with the reserved device memory, which is more than any machine has.
std::uint64_t in_use(std::string_view field) {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with(field)) return std::strtoull(line.c_str() + field.size(), nullptr, 10) << 10;
    return 0;
}

bool limit(__rlimit_resource resource, std::uint64_t value) {
    rlimit current{};
    getrlimit(resource, &current);
    const rlimit wanted{std::min<rlim_t>(value, current.rlim_max), std::min<rlim_t>(value, current.rlim_max)};
    return setrlimit(resource, &wanted) == 0;
}

bool limits(const SandboxState& held) {
    const Confinement& c = held.confinement;
    constexpr std::uint64_t slack = 512u << 20;  // stacks, reserved and not used
    // Counted for each user; in a user namespace of its own that is this worker alone. Root is exempt: beside this the
    // front end counts threads.
    constexpr std::uint64_t threads = 256;
    if (getpid() == 1 && !limit(RLIMIT_NPROC, threads + std::thread::hardware_concurrency())) return false;
    return limit(RLIMIT_CPU, c.cpu_seconds) && limit(RLIMIT_FSIZE, 0) && limit(RLIMIT_NOFILE, 256) &&
           limit(RLIMIT_CORE, 0) && limit(RLIMIT_MEMLOCK, 0) && limit(RLIMIT_MSGQUEUE, 0) &&
           limit(RLIMIT_SIGPENDING, 256) && limit(RLIMIT_DATA, in_use("VmData:") + c.memory_bytes + slack) &&
           limit(RLIMIT_AS, in_use("VmSize:") + c.memory_bytes + 4 * slack);
}

bool unseen(const SandboxState&) {
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0;
}

bool seccomp(const SandboxState&) {
    return restrict_system_calls();
}

struct Row {
    Layer layer;
    bool before_session;
    bool (*put_on)(const SandboxState&);
};

constexpr std::array rows = {
    Row{{"clean start", "secrets in the environment, open files, folders that others use", true, true},
        true,
        clean_start},
    Row{{"namespaces", "seeing and signaling other processes, all networks, shared memory of others", false, false},
        true,
        own_namespaces},
    Row{{"file tree", "asking for any file but libraries, headers and its own folder", false, false},
        true,
        own_file_tree},
    Row{{"no privileges", "set-uid programs, capabilities", true, true}, true, no_privileges},
    Row{{"landlock", "files but libraries, headers and its own folder; TCP", true, true}, true, landlock},
    Row{{"limits", "endless loops, memory and file bombs, core dumps", true, true}, false, limits},
    Row{{"not dumpable", "being traced, or read through /proc", false, false}, false, unseen},
    Row{{"seccomp", "new processes and programs, sockets, tracing, mounts, writing files, kernel interfaces", true,
         true},
        false,
        seccomp},
};

constexpr std::array table = [] {
    std::array<Layer, rows.size()> result{};
    for (std::size_t i = 0; i < rows.size(); ++i) result[i] = rows[i].layer;
    return result;
}();

void put_on(bool before_session, const Confinement& confinement, std::vector<std::string>& active) {
    for (const Row& row : rows) {
        const bool left_out = std::ranges::find(confinement.without, row.layer.name) != confinement.without.end();
        if (row.before_session == before_session && !left_out && row.put_on({confinement}))
            active.emplace_back(row.layer.name);
    }
}

}  // namespace

std::span<const Layer> layers() {
    return table;
}

std::vector<std::string_view> missing_layers(Trust trust, std::span<const std::string> active) {
    std::vector<std::string_view> missing;
    for (const Layer& layer : table) {
        const bool needed = trust == Trust::native_code ? layer.for_native_code : layer.for_device_code;
        if (needed && std::find(active.begin(), active.end(), layer.name) == active.end())
            missing.push_back(layer.name);
    }
    return missing;
}

void Sandbox::before_session() {
    put_on(true, confinement_, active_);
}

void Sandbox::after_session() {
    put_on(false, confinement_, active_);
}

}  // namespace cudash::worker
