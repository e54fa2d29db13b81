#include "repl/view/pager.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>

namespace cudash::view {
namespace {

/// Leaving a pager early, or Ctrl-C in it, must not end the shell.
class Ignored {
public:
    explicit Ignored(int signal) : signal_(signal), before_(std::signal(signal, SIG_IGN)) {}
    ~Ignored() { std::signal(signal_, before_); }
    Ignored(const Ignored&) = delete;
    Ignored& operator=(const Ignored&) = delete;

private:
    int signal_;
    void (*before_)(int);
};

/// What is typed on, as if at our prompt, writes no files and runs no programs; and the last line says how to get back.
const std::string for_less = R"(LESSSECURE=1 LESS="${LESS--Ps?e(end) :.q\: back to cudash ?e:Space\: next page.}" )";

}  // namespace

bool page(std::string_view text, unsigned height, const std::string& command) {
    const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    if (height == 0 || lines < height || command.empty() || command == "cat") return false;
    const std::string program = command.substr(0, command.find(' '));
    if (std::system(("command -v " + program + " >/dev/null 2>&1").c_str()) != 0) return false;
    const Ignored pipe(SIGPIPE), interrupt(SIGINT);
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> to(popen((for_less + command).c_str(), "w"), pclose);
    if (!to) return false;
    std::fwrite(text.data(), 1, text.size(), to.get());
    return true;
}

}  // namespace cudash::view
