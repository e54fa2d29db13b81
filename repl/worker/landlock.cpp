#include "repl/worker/landlock.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

#include "repl/worker/unique_fd.h"

namespace cudash::worker {
namespace {

// Rights by the version of the kernel's interface that brought them. The header of the machine that builds may be older
// than the kernel that runs: the numbers stand here (linux/landlock.h, "Filesystem flags", "Network flags", "Scope
// flags").
constexpr std::uint64_t right(unsigned bit) {
    return std::uint64_t{1} << bit;
}
constexpr std::uint64_t read_file = right(2), read_folder = right(3), write_file = right(1), truncate_file = right(14);
constexpr std::uint64_t of_files =
    right(0) | write_file | read_file | truncate_file | right(15);  // the rest is folders'
constexpr std::uint64_t rights_by_version[] = {
    right(13) - 1,  // 1: execute ... make_sym
    right(13),      // 2: refer
    truncate_file,  // 3
    0,              // 4: TCP
    right(15),      // 5: ioctl on devices
};

struct RulesetAttributes {
    std::uint64_t files = 0, network = 0, scopes = 0;
};
constexpr std::uint64_t all_tcp = 3, all_scopes = 3;

bool allow(int ruleset, const std::string& path, std::uint64_t rights) {
    const UniqueFd place(open(path.c_str(), O_PATH | O_CLOEXEC));
    struct stat status {};
    if (!place || fstat(place.get(), &status) != 0) return false;
    if (!S_ISDIR(status.st_mode)) rights &= of_files;
    const landlock_path_beneath_attr rule{rights, place.get()};
    return syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
}

}  // namespace

bool restrict_files(const std::vector<std::string>& readable, const std::vector<std::string>& writable) {
    const long version = syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (version < 1) return false;
    RulesetAttributes handled;
    for (long v = 1; v <= version && v <= 5; ++v) handled.files |= rights_by_version[v - 1];
    if (version >= 4) handled.network = all_tcp;
    if (version >= 6) handled.scopes = all_scopes;
    const std::size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
    const UniqueFd ruleset(static_cast<int>(syscall(SYS_landlock_create_ruleset, &handled, size, 0)));
    if (!ruleset) return false;
    // A folder that is not there needs no rule.
    for (const std::string& path : readable) allow(ruleset.get(), path, read_file | read_folder);
    for (const std::string& path : writable)
        if (!allow(ruleset.get(), path, handled.files & ~right(0) & ~right(15))) return false;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
    return syscall(SYS_landlock_restrict_self, ruleset.get(), 0) == 0;
}

}  // namespace cudash::worker
