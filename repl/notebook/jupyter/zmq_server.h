// The sockets of a kernel. xeus's own servers can't be interrupted while a cell waits for input, drop output that comes
// too fast, and forget a client's cells that it aborts; this one has two threads: the main one evaluates, and the other
// answers the control channel and heartbeats meanwhile.
#pragma once

#include <xeus/xauthentication.hpp>
#include <xeus/xeus_context.hpp>
#include <xeus/xkernel_configuration.hpp>
#include <xeus/xserver.hpp>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <zmq.hpp>
#include <zmq_addon.hpp>

#include "repl/notebook/request_handler.h"
#include "repl/worker/unique_fd.h"

namespace cudash::notebook {

/// What the server is made from.
struct ServerContext {
    zmq::context_t zmq;
    RequestHandler* handler = nullptr;
};

/// What a debugger over the control channel would ask the main thread by; cells have the debugger's commands instead.
class NullMessenger final : public xeus::xcontrol_messenger {
    nl::json send_to_shell_impl(const nl::json&) override { return nl::json::object(); }
};

class ZmqServer final : public xeus::xserver {
public:
    ZmqServer(ServerContext& context, const xeus::xconfiguration& config);
    static std::unique_ptr<xeus::xserver> create(xeus::xcontext& context, const xeus::xconfiguration& config,
                                                 nl::json::error_handler_t on_bad_text);

private:
    xeus::xcontrol_messenger& get_control_messenger_impl() override { return messenger_; }
    void send_shell_impl(xeus::xmessage message) override;
    void send_control_impl(xeus::xmessage message) override;
    void send_stdin_impl(xeus::xmessage message) override;
    void publish_impl(xeus::xpub_message message, xeus::channel channel) override;
    void start_impl(xeus::xpub_message message) override;
    void abort_queue_impl(const listener& answer, long polling_interval) override;
    void stop_impl() override;
    void update_config_impl(xeus::xconfiguration&) const override {}

    void serve_shell();
    void take_shell_message();
    void serve_control();
    void end_control();
    void abort(xeus::xmessage request);
    void publish_status(const char* state, const nl::json& parent);
    std::optional<xeus::xmessage> received(zmq::multipart_t parts) const;
    zmq::multipart_t serialized(xeus::xmessage message) const;

    RequestHandler& handler_;
    zmq::socket_t shell_, control_, input_, iopub_, heartbeat_;
    std::unique_ptr<xeus::xauthentication> authentication_;
    std::size_t signature_size_ = 0;  ///< 0: messages are not signed
    NullMessenger messenger_;
    std::string user_, session_, status_topic_;  ///< of messages that are ours
    std::deque<xeus::xmessage> waiting_;         ///< requests that came before an aborted cell's, and are no cells
    worker::UniqueFd stop_event_, interrupts_, parent_;
    std::atomic<bool> stopping_ = false;
    std::mutex publishing_;
    std::mutex ending_;
    std::condition_variable ended_;
    bool shell_ended_ = false;
};

}  // namespace cudash::notebook
