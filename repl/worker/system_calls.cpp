#include "repl/worker/system_calls.h"

#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

namespace cudash::worker {
namespace {

// What the session, LLVM, NVRTC and the executor's threads use, and what is harmless beside it. Not here, and so
// refused: new processes, programs, sockets, pipes, tracing, mounts, keys, modules, bpf, perf, io_uring, and whatever
// makes, changes, locks or removes a file.
constexpr const char* allowed[] = {
    // files; which ones is Landlock's part
    "read", "write", "readv", "writev", "pread64", "pwrite64", "lseek", "close", "stat", "fstat", "lstat", "newfstatat",
    "statx", "statfs", "fstatfs", "access", "faccessat", "faccessat2", "readlink", "readlinkat", "getdents64", "getcwd",
    "chdir", "dup", "dup2", "dup3", "poll", "ppoll", "select", "pselect6", "fadvise64",
    // memory
    "mmap", "munmap", "mprotect", "mremap", "madvise", "msync", "mincore", "brk", "membarrier",
    // threads
    "futex", "set_robust_list", "set_tid_address", "rseq", "sched_yield", "sched_getaffinity", "sched_getparam",
    "sched_getscheduler", "sched_get_priority_max", "sched_get_priority_min", "getcpu", "exit", "exit_group",
    "restart_syscall", "arch_prctl",
    // signals and time
    "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "rt_sigpending", "rt_sigtimedwait", "rt_sigsuspend",
    "sigaltstack", "timer_create", "timer_settime", "timer_gettime", "timer_delete", "timer_getoverrun", "setitimer",
    "getitimer", "alarm", "pause", "nanosleep", "clock_nanosleep", "clock_gettime", "clock_getres", "gettimeofday",
    "time", "times",
    // questions
    "getpid", "gettid", "getppid", "getuid", "geteuid", "getgid", "getegid", "getresuid", "getresgid", "getgroups",
    "getpgrp", "getrlimit", "getrusage", "sysinfo", "uname", "getrandom"};

constexpr scmp_datum_t namespaces =
    CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
/// Of open(2): what is opened for more than reading, or made.
constexpr scmp_datum_t writes = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY);

struct Conditional {
    const char* name;
    unsigned count;
    scmp_arg_cmp conditions[2];
};

}  // namespace

bool restrict_system_calls() {
    const std::unique_ptr<void, void (*)(scmp_filter_ctx)> filter(seccomp_init(SCMP_ACT_ERRNO(EPERM)),
                                                                  &seccomp_release);
    if (!filter) return false;
    seccomp_attr_set(filter.get(), SCMP_FLTATR_CTL_TSYNC, 1);
    bool complete = true;
    // A name that this processor lacks is none to allow.
    for (const char* name : allowed)
        if (const int number = seccomp_syscall_resolve_name(name); number >= 0)
            complete &= seccomp_rule_add(filter.get(), SCMP_ACT_ALLOW, number, 0) == 0;

    const auto self = static_cast<scmp_datum_t>(getpid());
    const Conditional conditional[] = {
        {"clone", 1, {SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD | namespaces, CLONE_THREAD)}},
        {"open", 1, {SCMP_A1_32(SCMP_CMP_MASKED_EQ, writes, 0)}},
        {"openat", 1, {SCMP_A2_32(SCMP_CMP_MASKED_EQ, writes, 0)}},
        // Not: the size of a pipe, whom a signal goes to, locks, leases.
        {"fcntl", 1, {SCMP_A1_32(SCMP_CMP_EQ, F_DUPFD)}},
        {"fcntl", 1, {SCMP_A1_32(SCMP_CMP_EQ, F_DUPFD_CLOEXEC)}},
        {"fcntl", 1, {SCMP_A1_32(SCMP_CMP_EQ, F_GETFD)}},
        {"fcntl", 1, {SCMP_A1_32(SCMP_CMP_EQ, F_SETFD)}},
        {"fcntl", 1, {SCMP_A1_32(SCMP_CMP_EQ, F_GETFL)}},
        {"fcntl", 1, {SCMP_A1_32(SCMP_CMP_EQ, F_SETFL)}},
        {"kill", 1, {SCMP_A0_32(SCMP_CMP_EQ, self)}},
        {"tgkill", 1, {SCMP_A0_32(SCMP_CMP_EQ, self)}},
        // The protocol's socket is connected; send() gives no address.
        {"sendto", 1, {SCMP_A4(SCMP_CMP_EQ, 0)}},
        // Limits may be read, and only its own.
        {"prlimit64", 2, {SCMP_A0_32(SCMP_CMP_EQ, 0), SCMP_A2(SCMP_CMP_EQ, 0)}},
        {"ioctl", 1, {SCMP_A1_32(SCMP_CMP_EQ, TCGETS)}},
        {"ioctl", 1, {SCMP_A1_32(SCMP_CMP_EQ, TIOCGWINSZ)}},
        {"ioctl", 1, {SCMP_A1_32(SCMP_CMP_EQ, FIONREAD)}},
        {"prctl", 1, {SCMP_A0_32(SCMP_CMP_EQ, PR_SET_NAME)}},
        {"prctl", 1, {SCMP_A0_32(SCMP_CMP_EQ, PR_GET_NAME)}},
        {"prctl", 1, {SCMP_A0_32(SCMP_CMP_EQ, 0x53564d41)}},  // PR_SET_VMA: glibc names its memory
    };
    for (const Conditional& rule : conditional)
        if (const int number = seccomp_syscall_resolve_name(rule.name); number >= 0)
            complete &= seccomp_rule_add_array(filter.get(), SCMP_ACT_ALLOW, number, rule.count, rule.conditions) == 0;
    // Its flags lie in memory, where a filter can't look: glibc falls back to clone.
    complete &= seccomp_rule_add(filter.get(), SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0) == 0;
    return complete && seccomp_load(filter.get()) == 0;
}

}  // namespace cudash::worker
