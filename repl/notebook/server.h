// The server that carries the Jupyter protocol over ZeroMQ (xeus). It is in a library of its own, which is there if
// xeus was when cudash was built: nothing else of cudash needs it, or waits for it to be loaded.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "repl/notebook/publisher.h"
#include "repl/notebook/request_handler.h"
#include "runtime_wrappers/diagnostic.h"
#include "runtime_wrappers/result.h"

namespace cudash::notebook {

/// What a client writes into the connection file.
struct Connection {
    std::string transport, ip, key, signature_scheme;
    std::string shell, control, input, iopub, heartbeat;  ///< ports
};
/// The error says what is wrong with the file. Only addresses of this machine are taken.
Result<Connection> read_connection(const std::string& path);

using MakeHandler = std::function<std::unique_ptr<RequestHandler>(Publisher&)>;

/// Serves until a client shuts the kernel down, or the process that started it ends. SIGINT interrupts a cell; it must
/// be blocked in the calling thread. The error says why it could not be served.
std::optional<Diagnostic> serve_kernel(const Connection& connection, const MakeHandler& make_handler);

/// The library's part of it, under this name.
using ServeKernel = std::optional<Diagnostic> (*)(const Connection&, const MakeHandler&);
inline constexpr const char* serve_kernel_name = "cudash_serve_kernel";

/// Whether the library is there; if not, how to get it.
std::optional<Diagnostic> missing_server();

}  // namespace cudash::notebook
