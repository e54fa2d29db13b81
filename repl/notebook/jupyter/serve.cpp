// The library's one function.
#include <fmt/format.h>

#include <exception>
#include <stdexcept>
#include <utility>
#include <xeus/xkernel.hpp>

#include "repl/notebook/jupyter/history.h"
#include "repl/notebook/jupyter/interpreter.h"
#include "repl/notebook/jupyter/zmq_server.h"

namespace cudash::notebook {
namespace {

xeus::xconfiguration configuration(const Connection& connection) {
    xeus::xconfiguration config;
    config.m_transport = connection.transport;
    config.m_ip = connection.ip;
    config.m_shell_port = connection.shell;
    config.m_control_port = connection.control;
    config.m_stdin_port = connection.input;
    config.m_iopub_port = connection.iopub;
    config.m_hb_port = connection.heartbeat;
    config.m_key = connection.key;
    // "Messages may be unsigned if the key is empty"; xeus would make a key of its own then, but for this scheme.
    config.m_signature_scheme = connection.key.empty() ? "none" : connection.signature_scheme;
    return config;
}

std::optional<Diagnostic> serve(const Connection& connection, const MakeHandler& make_handler) {
    try {
        ServerContext context;
        auto interpreter = std::make_unique<Interpreter>(make_handler);
        context.handler = &interpreter->handler();
        xeus::xkernel kernel(configuration(connection), xeus::get_user_name(),
                             xeus::make_context<ServerContext*>(&context), std::move(interpreter), ZmqServer::create,
                             std::make_unique<History>());
        kernel.start();
        return std::nullopt;
    } catch (const zmq::error_t& problem) {
        return error("port-in-use", fmt::format("a port of the connection file can't be had: {}", problem.what()),
                     "another kernel may have it; Jupyter picks free ports when it starts a kernel");
    } catch (const std::out_of_range&) {
        return error("connection-file",
                     fmt::format("the signature scheme '{}' is not known", connection.signature_scheme),
                     "Jupyter's is hmac-sha256");
    } catch (const std::exception& problem) {
        return error("kernel-ended", fmt::format("the kernel can't serve: {}", problem.what()));
    }
}

}  // namespace
}  // namespace cudash::notebook

extern "C" __attribute__((visibility("default"))) std::optional<cudash::Diagnostic> cudash_serve_kernel(
    const cudash::notebook::Connection& connection, const cudash::notebook::MakeHandler& make_handler) {
    return cudash::notebook::serve(connection, make_handler);
}
