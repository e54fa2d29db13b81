#include "repl/notebook/jupyter/zmq_server.h"

#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>
#include <xeus/xmiddleware.hpp>
#include <xeus/xzmq_serializer.hpp>

#include "repl/notebook/text_pieces.h"

namespace cudash::notebook {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

constexpr std::string_view delimiter = "<IDS|MSG>";
constexpr std::size_t parts_after_delimiter = 5;  ///< signature, header, parent's header, metadata, content
constexpr auto stop_grace = 1000ms;               ///< of a cell that runs while the kernel is shut down
constexpr auto abort_grace = 10ms;                ///< in which cells that were sent with an aborted one arrive
constexpr auto on_bad_text = json::error_handler_t::replace;

sigset_t interrupt_set() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    return set;
}

/// Jupyter's servers say who they are, so that a kernel ends when they are gone.
worker::UniqueFd watch_parent() {
    const char* const number = std::getenv("JPY_PARENT_PID");
    if (!number) return worker::UniqueFd();
    return worker::UniqueFd(static_cast<int>(syscall(SYS_pidfd_open, std::atoi(number), 0)));
}

void bind(zmq::socket_t& socket, const xeus::xconfiguration& config, const std::string& port) {
    xeus::init_socket(socket, config.m_transport, config.m_ip, port);
}

bool has_input(const zmq::pollitem_t& item) {
    return (item.revents & ZMQ_POLLIN) != 0;
}

std::string type_of(const xeus::xmessage& message) {
    return message.header().value("msg_type", "");
}

xeus::xmessage with_content(const xeus::xmessage& message, json content) {
    return {message.identities(), message.header(),   message.parent_header(),
            message.metadata(),   std::move(content), xeus::buffer_sequence()};
}

/// Content that is not UTF-8, as Python's clients send it of damaged notebooks, with replacement characters: so its
/// sender gets an answer, and waits no longer. Of signed messages alone; `signature` is the place of the first of five
/// parts.
void make_text(zmq::multipart_t& parts, std::size_t signature, const xeus::xauthentication& authentication) {
    const auto buffer = [&](std::size_t part) {
        const zmq::message_t* const message = parts.peek(signature + part);
        return xeus::xraw_buffer(message->data<unsigned char>(), message->size());
    };
    TextPieces pieces;
    std::string text = pieces.take(parts.peek(signature + 4)->to_string_view());
    text += pieces.rest();
    if (text == parts.peek(signature + 4)->to_string_view() ||
        !authentication.verify(buffer(0), buffer(1), buffer(2), buffer(3), buffer(4)))
        return;
    const xeus::xraw_buffer content(reinterpret_cast<const unsigned char*>(text.data()), text.size());
    const std::string renewed = authentication.sign(buffer(1), buffer(2), buffer(3), content);
    parts.at(signature) = zmq::message_t(renewed);
    parts.at(signature + 4) = zmq::message_t(text);
}

/// The protocol has a status in each reply.
xeus::xmessage with_status(xeus::xmessage message) {
    if (message.content().contains("status")) return message;
    json content = message.content();
    content["status"] = "ok";
    return with_content(message, std::move(content));
}

}  // namespace

ZmqServer::ZmqServer(ServerContext& context, const xeus::xconfiguration& config)
    : handler_(*context.handler),
      shell_(context.zmq, zmq::socket_type::router),
      control_(context.zmq, zmq::socket_type::router),
      input_(context.zmq, zmq::socket_type::router),
      iopub_(context.zmq, zmq::socket_type::pub),
      heartbeat_(context.zmq, zmq::socket_type::router),
      authentication_(xeus::make_xauthentication(config.m_signature_scheme, config.m_key)),
      stop_event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      parent_(watch_parent()) {
    const sigset_t interrupt = interrupt_set();
    interrupts_ = worker::UniqueFd(signalfd(-1, &interrupt, SFD_CLOEXEC | SFD_NONBLOCK));
    const xeus::xraw_buffer nothing(nullptr, 0);
    signature_size_ = authentication_->sign(nothing, nothing, nothing, nothing).size();
    // A client that comes back has the same identity; output that it has not taken yet waits for it.
    for (zmq::socket_t* each : {&shell_, &control_, &input_}) each->set(zmq::sockopt::router_handover, true);
    iopub_.set(zmq::sockopt::sndhwm, 0);
    bind(shell_, config, config.m_shell_port);
    bind(control_, config, config.m_control_port);
    bind(input_, config, config.m_stdin_port);
    bind(iopub_, config, config.m_iopub_port);
    bind(heartbeat_, config, config.m_hb_port);
}

std::unique_ptr<xeus::xserver> ZmqServer::create(xeus::xcontext& context, const xeus::xconfiguration& config,
                                                 nl::json::error_handler_t) {
    return std::make_unique<ZmqServer>(*context.get_wrapped_context<ServerContext*>(), config);
}

/// nullopt: it is not a message, or not one of a client that knows the key.
std::optional<xeus::xmessage> ZmqServer::received(zmq::multipart_t parts) const {
    const char* refusal = "a message without the protocol's parts was refused";
    std::size_t at = 0;
    while (at < parts.size() && parts.peek(at)->to_string_view() != delimiter) ++at;
    if (at + parts_after_delimiter < parts.size()) {
        try {
            if (parts.peek(at + 1)->size() == signature_size_) {
                make_text(parts, at + 1, *authentication_);
                return xeus::xzmq_serializer::deserialize(parts, *authentication_);
            }
            refusal = "a message with a wrong signature was refused";
        } catch (const std::exception& problem) {
            refusal = "a message with a wrong signature, or that is not JSON, was refused";
        }
    }
    std::fprintf(stderr, "cudash kernel: %s\n", refusal);
    return std::nullopt;
}

zmq::multipart_t ZmqServer::serialized(xeus::xmessage message) const {
    return xeus::xzmq_serializer::serialize(std::move(message), *authentication_, on_bad_text);
}

void ZmqServer::send_shell_impl(xeus::xmessage message) {
    serialized(with_status(std::move(message))).send(shell_);
}

void ZmqServer::send_control_impl(xeus::xmessage message) {
    serialized(with_status(std::move(message))).send(control_);
}

void ZmqServer::publish_impl(xeus::xpub_message message, xeus::channel) {
    zmq::multipart_t parts = xeus::xzmq_serializer::serialize_iopub(std::move(message), *authentication_, on_bad_text);
    const std::lock_guard lock(publishing_);
    parts.send(iopub_);
}

/// Asks for input, and waits for the answer, an interrupt or the end. An interrupt stays pending: whoever runs the cell
/// takes it.
void ZmqServer::send_stdin_impl(xeus::xmessage message) {
    // An answer to an earlier question, which was interrupted.
    for (zmq::multipart_t stale; stale.recv(input_, ZMQ_DONTWAIT);) {
    }
    const json content{{"prompt", message.content().value("prompt", "")}, {"password", false}};
    serialized(with_content(message, content)).send(input_);
    std::array<zmq::pollitem_t, 3> items{{{input_, 0, ZMQ_POLLIN, 0},
                                          {nullptr, interrupts_.get(), ZMQ_POLLIN, 0},
                                          {nullptr, stop_event_.get(), ZMQ_POLLIN, 0}}};
    while (!stopping_) {
        zmq::poll(items.data(), items.size(), std::chrono::milliseconds(-1));
        if (has_input(items[1]) || has_input(items[2])) return;
        zmq::multipart_t parts;
        if (!has_input(items[0]) || !parts.recv(input_)) continue;
        if (auto reply = received(std::move(parts))) return notify_stdin_listener(std::move(*reply));
    }
}

void ZmqServer::start_impl(xeus::xpub_message message) {
    user_ = message.header().value("username", "");
    session_ = message.header().value("session", "");
    status_topic_ = message.topic();
    publish(std::move(message), xeus::channel::SHELL);
    std::thread control([this] { serve_control(); });
    serve_shell();
    {
        const std::lock_guard lock(ending_);
        shell_ended_ = true;
    }
    ended_.notify_all();
    control.join();
}

void ZmqServer::serve_shell() {
    while (!stopping_) {
        while (!waiting_.empty() && !stopping_) {
            xeus::xmessage request = std::move(waiting_.front());
            waiting_.pop_front();
            notify_shell_listener(std::move(request));
        }
        const auto outputs = handler_.output_descriptors();
        std::array<zmq::pollitem_t, 4> items{{{shell_, 0, ZMQ_POLLIN, 0}, {nullptr, stop_event_.get(), ZMQ_POLLIN, 0}}};
        std::size_t count = 2;
        for (const int descriptor : outputs)
            if (descriptor >= 0) items[count++] = {nullptr, descriptor, ZMQ_POLLIN, 0};
        zmq::poll(items.data(), count, std::chrono::milliseconds(-1));
        if (has_input(items[2]) || has_input(items[3])) handler_.take_output();
        if (has_input(items[0]) && !stopping_) take_shell_message();
    }
}

void ZmqServer::take_shell_message() {
    zmq::multipart_t parts;
    if (!parts.recv(shell_)) return;
    auto request = received(std::move(parts));
    if (!request) return;
    // An interrupt that came when there was nothing to interrupt.
    const sigset_t interrupt = interrupt_set();
    const timespec at_once{};
    while (sigtimedwait(&interrupt, nullptr, &at_once) > 0) {
    }
    notify_shell_listener(std::move(*request));
}

/// Cells that were sent behind one that failed are answered without being run; other requests wait.
void ZmqServer::abort_queue_impl(const listener&, long) {
    std::array<zmq::pollitem_t, 1> items{{{shell_, 0, ZMQ_POLLIN, 0}}};
    while (!stopping_ && zmq::poll(items.data(), items.size(), abort_grace) > 0) {
        zmq::multipart_t parts;
        if (!parts.recv(shell_)) continue;
        auto request = received(std::move(parts));
        if (!request) continue;
        if (type_of(*request) == "execute_request")
            abort(std::move(*request));
        else
            waiting_.push_back(std::move(*request));
    }
}

void ZmqServer::abort(xeus::xmessage request) {
    publish_status("busy", request.header());
    send_shell({request.identities(), xeus::make_header("execute_reply", user_, session_), request.header(),
                json::object(), json{{"status", "aborted"}}, xeus::buffer_sequence()});
    publish_status("idle", request.header());
}

void ZmqServer::publish_status(const char* state, const nl::json& parent) {
    publish(xeus::xpub_message(status_topic_, xeus::make_header("status", user_, session_), parent, json::object(),
                               json{{"execution_state", state}}, xeus::buffer_sequence()),
            xeus::channel::SHELL);
}

void ZmqServer::stop_impl() {
    stopping_ = true;
    eventfd_write(stop_event_.get(), 1);
}

void ZmqServer::serve_control() {
    std::array<zmq::pollitem_t, 4> items{{{control_, 0, ZMQ_POLLIN, 0},
                                          {heartbeat_, 0, ZMQ_POLLIN, 0},
                                          {nullptr, stop_event_.get(), ZMQ_POLLIN, 0},
                                          {nullptr, parent_.get(), ZMQ_POLLIN, 0}}};
    const std::size_t count = parent_ ? 4 : 3;
    while (!stopping_) {
        zmq::poll(items.data(), count, std::chrono::milliseconds(-1));
        if (has_input(items[3])) stop_impl();
        zmq::multipart_t parts;
        if (has_input(items[1]) && parts.recv(heartbeat_)) parts.send(heartbeat_);
        if (!has_input(items[0]) || !parts.recv(control_)) continue;
        if (auto request = received(std::move(parts))) {
            if (type_of(*request) == "interrupt_request") kill(getpid(), SIGINT);
            notify_control_listener(std::move(*request));
        }
    }
    end_control();
}

/// A cell that runs on is interrupted, and what does not stop for that ends with the process, as its worker does.
void ZmqServer::end_control() {
    std::unique_lock lock(ending_);
    const auto has_ended = [this] { return shell_ended_; };
    if (ended_.wait_for(lock, 20ms, has_ended)) return;
    kill(getpid(), SIGINT);
    if (!ended_.wait_for(lock, stop_grace, has_ended)) _exit(0);
}

}  // namespace cudash::notebook
