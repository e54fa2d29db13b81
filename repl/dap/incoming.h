// What the client sends, read on a thread of its own: it must be heard while the program runs.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <variant>

#include "repl/json.h"
#include "repl/worker/unique_fd.h"

namespace cudash::dap {

/// A request, or what was wrong with what came instead.
using Received = std::variant<nlohmann::json, std::string>;

class Incoming {
public:
    explicit Incoming(int descriptor);
    ~Incoming();
    Incoming(const Incoming&) = delete;
    Incoming& operator=(const Incoming&) = delete;

    /// Waits for the next one. nullopt: there is none any more.
    std::optional<Received> wait();
    bool has_next();
    /// Nothing more comes, or a request that ends the program is waiting.
    bool is_ending();
    /// While the program runs, SIGINT is raised for requests that can't wait, and again and again for those that end
    /// it.
    void set_running(bool running);
    /// A request to pause came since the program began to run.
    bool takes_pause() { return pause_.exchange(false); }

private:
    void read_all();
    void take(const std::string& text);
    void push(Received received);
    void interrupt();
    void end_running();

    int descriptor_;
    worker::UniqueFd wake_read_, wake_write_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Received> queue_;
    bool over_ = false;
    std::atomic<bool> running_{false}, pause_{false}, interrupted_{false}, leaves_{false};
    std::thread thread_;
};

}  // namespace cudash::dap
