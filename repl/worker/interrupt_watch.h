// SIGINT as something to wait for, beside descriptors.
#pragma once

#include <sys/signalfd.h>

#include <csignal>

#include "repl/worker/unique_fd.h"

namespace cudash::worker {

/// Receives SIGINT through a descriptor while it lives.
class InterruptWatch {
public:
    InterruptWatch() {
        sigset_t set;
        sigemptyset(&set);
        sigaddset(&set, SIGINT);
        pthread_sigmask(SIG_BLOCK, &set, &before_);
        fd_ = UniqueFd(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
    }
    ~InterruptWatch() {
        signalfd_siginfo info;
        while (read(fd_.get(), &info, sizeof info) == sizeof info) {
        }
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }
    InterruptWatch(const InterruptWatch&) = delete;
    InterruptWatch& operator=(const InterruptWatch&) = delete;
    int fd() const { return fd_.get(); }
    /// One that has come: whether a terminal sent it, which all processes of its group got.
    bool take_from_terminal() const {
        signalfd_siginfo info;
        return read(fd_.get(), &info, sizeof info) == sizeof info && info.ssi_code == SI_KERNEL;
    }

private:
    sigset_t before_;
    UniqueFd fd_;
};

}  // namespace cudash::worker
