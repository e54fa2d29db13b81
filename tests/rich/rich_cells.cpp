// Runs the cells on stdin in a session that can show more than text, as a notebook's kernel does:
//
//     rich_cells CUDASH FOLDER
//
// Says in order what the program printed and which results came with which forms, and writes N.html, N.svg and N.png.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "repl/session/base64.h"
#include "repl/shell/batch.h"
#include "repl/shell/notebook.h"

using namespace cudash;

namespace {

void write(const std::string& path, std::string_view bytes) {
    if (!bytes.empty()) std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fputs("usage: rich_cells CUDASH FOLDER < CELLS\n", stderr);
        return 2;
    }
    const std::string folder = argv[2];
    std::filesystem::create_directories(folder);
    worker::Settings settings;
    settings.program = std::filesystem::absolute(argv[1]).string();
    settings.options.device = "virtual:h200";
    unsigned count = 0;
    auto last = std::chrono::steady_clock::now();
    view::Display display;
    display.results =
        display.messages = [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); };
    display.rich = [&](const view::Rich& rich) {
        const std::string name = fmt::format("{}/{}", folder, ++count);
        write(name + ".html", rich.html);
        write(name + ".svg", rich.svg);
        write(name + ".png", rich.png);
        fmt::print("[{}{}{}{}] {}\n", count, rich.html.empty() ? "" : " html", rich.svg.empty() ? "" : " svg",
                   rich.png.empty() ? "" : " png", rich.plain.substr(0, rich.plain.find('\n')));
        const auto now = std::chrono::steady_clock::now();
        const std::size_t bytes = rich.plain.size() + rich.html.size() + rich.svg.size() +
                                  session::to_base64(std::as_bytes(std::span(rich.png))).size();
        fmt::print(stderr, "{}: {:.0f} ms since the one before, {} bytes\n", count,
                   std::chrono::duration<double, std::milli>(now - last).count(), bytes);
        last = now;
    };
    const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
    shell::Notebook notebook(settings, display, true);
    return shell::run_cells(notebook, {text}, true);
}
