// ATTACK: asks the kernel for what no submission needs
// STOPS: seccomp; namespaces
// POINTS: 0
// FAILS: the answer
#include <cuda_runtime.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
#include <sys/syscall.h>

int main() {
    char buffer[256] = {};
    const struct {
        const char* name;
        long result;
    } calls[] = {
        {"mount", syscall(SYS_mount, "none", "/mnt", "tmpfs", 0, 0)},
        {"unshare", syscall(SYS_unshare, 0x10000000)},
        {"setns", syscall(SYS_setns, 0, 0)},
        {"chroot", syscall(SYS_chroot, ".")},
        {"keyctl", syscall(SYS_keyctl, 0, -3, 0, 0, 0)},
        {"bpf", syscall(SYS_bpf, 0, buffer, 72)},
        {"perf_event_open", syscall(SYS_perf_event_open, buffer, 0, -1, -1, 0)},
        {"io_uring_setup", syscall(SYS_io_uring_setup, 4, buffer)},
        {"userfaultfd", syscall(SYS_userfaultfd, 0)},
        {"memfd_create", syscall(SYS_memfd_create, "x", 0)},
        {"seccomp", syscall(SYS_seccomp, 0, 0, 0)},
        {"init_module", syscall(SYS_init_module, buffer, 0, "")},
        {"kexec_load", syscall(SYS_kexec_load, 0, 0, 0, 0)},
        {"reboot", syscall(SYS_reboot, 0, 0, 0, 0)},
        {"setuid", syscall(SYS_setuid, 0)},
        {"mknod", syscall(SYS_mknod, "dev", 0x2000 | 0600, 0x0103)},
        {"shmget", syscall(SYS_shmget, 1, 4096, 01600)},
        {"open_by_handle_at", syscall(SYS_open_by_handle_at, 0, buffer, 0)},
        {"pidfd_getfd", syscall(SYS_pidfd_getfd, 0, 0, 0)},
    };
    for (const auto& call : calls)
        if (call.result >= 0) printf("LEAK: %s works\n", call.name);
}
