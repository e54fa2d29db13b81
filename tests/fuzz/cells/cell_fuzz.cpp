// Types cells with slips into sessions, as the host engine compiles them (nothing of them runs), and sees that no
// session ends, hangs or forgets: after each cell what stood before it can still be used, and a cell that was rejected
// has left no variable behind.
#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <thread>

#include "repl/session/clang/host_engine.h"
#include "runtime_wrappers/api/runtime.h"
#include "runtime_wrappers/nvrtc/compiler.h"
#include "tests/fuzz/cells/cell_corpus.h"
#include "tests/fuzz/cells/cell_mutator.h"

using namespace cudash;
using namespace cudash::fuzz;

namespace {

constexpr std::string_view usage =
    R"(cell_fuzz [--count N] [--seconds T] [--from I] [--seed S] [--session C] [--without I,J,...] [--show I] FOLDER...
    compiles N cells (1000), from the I-th on (0), each with a slip, in sessions of C cells (250); --seconds begins no
    session after that time, --without leaves some cells out, --show prints one
)";
constexpr double too_long = 10;  ///< seconds of processor time; what takes longest in earnest is a header of CCCL

struct Options {
    std::uint64_t count = 1000, seconds = 0, from = 0, seed = 1, session = 250;
    std::set<std::uint64_t> without;
    bool show = false;
    std::vector<std::filesystem::path> folders;
};

/// What a session tells the process that watches it.
struct Progress {
    std::atomic<std::uint64_t> cell;  ///< the one it is at
    std::atomic<bool> done;
    std::atomic<unsigned> forgot;
    std::atomic<unsigned> refused;  ///< cells that clang fell over in a copy of the session
};

struct Slipped {
    std::vector<std::string> before;  ///< cells that stand before it in its file
    std::string text;
};

Slipped slipped_cell(const std::vector<CellFile>& corpus, std::uint64_t seed, std::uint64_t index) {
    Random random(seed * 0x1'0000'0001 + index);
    random.next();
    const CellFile& file = corpus[random.below(corpus.size())];
    const CellFile& other = corpus[random.below(corpus.size())];
    const std::size_t at = random.below(file.size());
    Slipped cell;
    for (std::size_t i = at - std::min<std::size_t>(at, 3); i < at; ++i) cell.before.push_back(file[i]);
    cell.text = with_slips(file[at], other[random.below(other.size())], random);
    return cell;
}

class FuzzedSession {
public:
    FuzzedSession(session::HostEngine& engine, Progress& progress) : engine_(engine), progress_(progress) {}

    bool begin() {
        for (const char* text :
             {"struct FuzzPoint { int fuzz_x; };", "FuzzPoint fuzz_point{4711};",
              "template <class FuzzT> FuzzT fuzz_twice(FuzzT fuzz_t) { return fuzz_t + fuzz_t; }",
              "__global__ void fuzz_kernel(int fuzz_n) {}", "namespace fuzz_space { int fuzz_inner = 1; }"})
            if (!engine_.compile("begin", text).ok) return false;
        return is_whole();
    }

    void type(const Slipped& cell) {
        for (const std::string& text : cell.before) (void)engine_.compile(name(), text);
        const std::set<std::string> before = variables();
        const auto compiled = engine_.compile(name(), cell.text);
        const bool taken = compiled.ok;
        for (const Diagnostic& each : compiled.diagnostics)
            if (each.code == "compiler-fault") refused(each.message, cell.text);
        if (!is_whole()) forgot("what stood before it can't be used", cell.text);
        if (taken) return;
        for (const std::string& variable : variables())
            if (!before.contains(variable)) forgot("rejected, it left " + variable, cell.text);
    }

    bool poisoned() const { return poisoned_; }

private:
    std::string name() { return "cell " + std::to_string(++cells_); }

    bool is_whole() {
        const auto compiled =
            engine_.compile(name(), "fuzz_kernel<<<1, 1>>>(fuzz_twice(fuzz_point.fuzz_x) + fuzz_space::fuzz_inner);");
        if (!compiled.ok)
            for (const Diagnostic& each : compiled.diagnostics) std::printf("    %s\n", each.message.c_str());
        return compiled.ok;
    }

    std::set<std::string> variables() {
        std::set<std::string> names;
        for (const auto& each : engine_.variables([](void*) { return std::uint64_t{0}; })) names.insert(each.name);
        return names;
    }

    void refused(const std::string& what, const std::string& text) {
        ++progress_.refused;
        std::printf("+++ cell %llu, refused: %s\n%s\n", static_cast<unsigned long long>(progress_.cell.load()),
                    what.c_str(), text.c_str());
    }

    void forgot(const std::string& what, const std::string& text) {
        ++progress_.forgot;
        poisoned_ = true;
        std::printf("--- cell %llu: %s\n%s\n", static_cast<unsigned long long>(progress_.cell.load()), what.c_str(),
                    text.c_str());
        std::fflush(stdout);
    }

    session::HostEngine& engine_;
    Progress& progress_;
    std::size_t cells_ = 0;
    bool poisoned_ = false;
};

double processor_seconds(pid_t process) {
    clockid_t clock{};
    timespec time{};
    if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0) return 0;
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// Watches one session to its end. Returns what ended it, "" if it ended by itself.
std::string watch(pid_t session, const Progress& progress) {
    std::uint64_t cell = progress.cell;
    double since = processor_seconds(session);
    while (true) {
        int status = 0;
        if (waitpid(session, &status, WNOHANG) == session) {
            if (progress.done) return {};
            return WIFSIGNALED(status) ? fmt::format("signal {}", WTERMSIG(status))
                                       : fmt::format("exit {}", WEXITSTATUS(status));
        }
        const double now = processor_seconds(session);
        if (progress.cell != cell) {
            cell = progress.cell;
            since = now;
        } else if (now - since > too_long) {
            kill(session, SIGKILL);
            waitpid(session, nullptr, 0);
            return fmt::format("no end in {} s", too_long);
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
}

std::optional<Options> read_options(int argc, char** argv) {
    Options options;
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        if (!word.starts_with("--")) {
            options.folders.emplace_back(word);
            continue;
        }
        if (word == "--without") {
            if (++i == argc) return std::nullopt;
            std::istringstream list(argv[i]);
            for (std::string each; std::getline(list, each, ',');)
                options.without.insert(std::strtoull(each.c_str(), nullptr, 10));
            continue;
        }
        std::uint64_t* number = word == "--count"                      ? &options.count
                                : word == "--seed"                     ? &options.seed
                                : word == "--session"                  ? &options.session
                                : word == "--seconds"                  ? &options.seconds
                                : word == "--from" || word == "--show" ? &options.from
                                                                       : nullptr;
        if (!number || ++i == argc) return std::nullopt;
        const std::string_view value = argv[i];
        if (std::from_chars(value.data(), value.data() + value.size(), *number).ptr != value.data() + value.size())
            return std::nullopt;
        options.show |= word == "--show";
    }
    return options.folders.empty() || options.session == 0 ? std::nullopt : std::optional(options);
}

struct Typed {
    std::uint64_t cells = 0;
    unsigned fell = 0;  ///< ended a session
};

/// All cells from `first` to the one before `last`, in one session after another.
Typed type_all(session::HostEngine& engine, const std::vector<CellFile>& corpus, const Options& options,
               Progress& progress) {
    Typed typed;
    const std::uint64_t last = options.from + options.count;
    const auto begin = std::chrono::steady_clock::now();
    const auto in_time = [&] {
        return options.seconds == 0 || std::chrono::steady_clock::now() - begin < std::chrono::seconds(options.seconds);
    };
    std::uint64_t first = options.from;
    while (first < last && in_time()) {
        const std::uint64_t end = std::min(last, first - first % options.session + options.session);
        progress.cell = first;
        progress.done = false;
        std::fflush(stdout);
        const pid_t process = fork();
        if (process == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            FuzzedSession session(engine, progress);
            if (!session.begin()) _exit(3);
            for (std::uint64_t i = first; i < end; ++i) {
                progress.cell = i;
                if (options.without.contains(i)) continue;
                session.type(slipped_cell(corpus, options.seed, i));
                // The next cell begins a session of its own.
                if (session.poisoned()) {
                    progress.cell = i + 1;
                    _exit(4);
                }
            }
            progress.cell = end;
            progress.done = true;
            std::fflush(stdout);
            _exit(0);
        }
        const unsigned forgot = progress.forgot;
        const std::string end_of_session = watch(process, progress);
        if (!end_of_session.empty() && progress.forgot == forgot) {
            ++typed.fell;
            const std::uint64_t at = progress.cell++;
            std::printf("--- cell %llu: %s\n%s\n", static_cast<unsigned long long>(at), end_of_session.c_str(),
                        slipped_cell(corpus, options.seed, at).text.c_str());
        }
        first = std::max<std::uint64_t>(progress.cell, first + 1);
    }
    typed.cells = first - options.from;
    return typed;
}

}  // namespace

int main(int argc, char** argv) {
    const auto options = read_options(argc, argv);
    if (!options) {
        std::fputs(usage.data(), stderr);
        return 2;
    }
    const std::vector<CellFile> corpus = read_cells(options->folders);
    if (corpus.empty()) {
        std::fputs("cell_fuzz: no cells found\n", stderr);
        return 2;
    }
    if (options->show) {
        const Slipped cell = slipped_cell(corpus, options->seed, options->from);
        for (const std::string& before : cell.before) std::printf("%s\n\n", before.c_str());
        std::printf("// The slip:\n%s\n", cell.text.c_str());
        return 0;
    }

    session::HostEngine::Setup setup;
    setup.cuda_include = nvrtc::toolkit_include();
    auto engine = session::HostEngine::create(setup);
    if (!engine) {
        std::fprintf(stderr, "cell_fuzz: %s\n", engine.error().message.c_str());
        return 2;
    }
    for (const api::Symbol& symbol : api::entry_points()) (*engine)->define(symbol.name, symbol.address);
    (*engine)->set_resolver([](std::string_view name) { return api::find_symbol(name); });

    void* shared = mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) return 2;
    auto& progress = *new (shared) Progress{};
    const Typed typed = type_all(**engine, corpus, *options, progress);
    const unsigned bad = typed.fell + progress.forgot;
    std::printf("%u refused, because clang fell over them in a copy of the session\n", progress.refused.load());
    std::printf("%llu passed, %u failed\n", static_cast<unsigned long long>(typed.cells - bad), bad);
    return bad == 0 ? 0 : 1;
}
