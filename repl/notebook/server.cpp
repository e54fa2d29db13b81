#include "repl/notebook/server.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "repl/own_program.h"
#include "repl/shell/text_check.h"

namespace cudash::notebook {
namespace {

namespace fs = std::filesystem;

std::string library_path() {
    return (own_program().parent_path() / "lib" / "libcudash_jupyter.so").string();
}

bool is_of_this_machine(const Connection& connection) {
    return connection.transport == "ipc" || connection.ip.starts_with("127.") || connection.ip == "localhost" ||
           connection.ip == "::1" || connection.ip == "[::1]";
}

Diagnostic refused(std::string message) {
    return error(
        "connection-file", std::move(message),
        "a Jupyter client writes this file and starts the kernel with it: `cudash kernel install`, then choose "
        "\"CUDA C++ (cudash)\" there");
}

}  // namespace

Result<Connection> read_connection(const std::string& path) {
    const auto text = shell::read_file(path);
    if (!text) return refused(text.error().message);
    const json content = parse_json(*text);
    if (!content.is_object()) return refused(path + ": the file holds no JSON object");
    Connection connection;
    const std::array<std::pair<const char*, std::string*>, 5> ports = {{{"shell_port", &connection.shell},
                                                                        {"control_port", &connection.control},
                                                                        {"stdin_port", &connection.input},
                                                                        {"iopub_port", &connection.iopub},
                                                                        {"hb_port", &connection.heartbeat}}};
    for (const auto& [name, port] : ports) {
        const auto member = content.find(name);
        if (member == content.end() || !member->is_number_integer() || *member < 1 || *member > 65535)
            return refused(fmt::format("{}: \"{}\" is not a port from 1 to 65535", path, name));
        *port = std::to_string(member->get<int>());
    }
    const std::array<std::pair<const char*, std::string*>, 4> texts = {
        {{"transport", &connection.transport},
         {"ip", &connection.ip},
         {"key", &connection.key},
         {"signature_scheme", &connection.signature_scheme}}};
    for (const auto& [name, text] : texts) {
        const auto member = content.find(name);
        if (member == content.end() || !member->is_string())
            return refused(fmt::format("{}: \"{}\" is missing", path, name));
        *text = member->get<std::string>();
    }
    if (!is_of_this_machine(connection))
        return refused(
            fmt::format("{}: \"ip\" is {}: the kernel serves clients on this machine alone", path, connection.ip));
    return connection;
}

std::optional<Diagnostic> missing_server() {
    std::error_code failed;
    if (fs::exists(library_path(), failed)) return std::nullopt;
    return error(
        "no-xeus", "this cudash was built without xeus, which carries the Jupyter protocol",
        "install the package xeus-dev (apt-get install xeus-dev), then build cudash again: ./cudash in its folder");
}

std::optional<Diagnostic> serve_kernel(const Connection& connection, const MakeHandler& make_handler) {
    if (auto missing = missing_server()) return missing;
    void* const library = dlopen(library_path().c_str(), RTLD_NOW | RTLD_LOCAL);
    const auto serve = library ? reinterpret_cast<ServeKernel>(dlsym(library, serve_kernel_name)) : nullptr;
    if (!serve)
        return error("no-xeus", fmt::format("xeus can't be loaded: {}", dlerror()),
                     "the packages libxeus6 and libzmq5 must be installed");
    return serve(connection, make_handler);
}

}  // namespace cudash::notebook
