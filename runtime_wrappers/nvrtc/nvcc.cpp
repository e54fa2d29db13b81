#include "runtime_wrappers/nvrtc/nvcc.h"

#include <cxxabi.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

#include "runtime_wrappers/nvrtc/architecture.h"
#include "runtime_wrappers/nvrtc/content_hash.h"
#include "runtime_wrappers/nvrtc/disk_cache.h"
#include "runtime_wrappers/nvrtc/log.h"
#include "runtime_wrappers/nvrtc/nvcc_process.h"

namespace cudash::nvrtc {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> nvcc_options(const Request& request) {
    std::vector<std::string> options;
    const std::string arch = architecture_for(request.arch, request.source);
    if (request.real) {
        options = {"-w", "-lineinfo", "-cubin", "-arch=sm_" + arch};
        if (std::ranges::find(request.options, "-rdc=true") != request.options.end()) options.emplace_back("-rdc=true");
        return options;
    }
    options = {"-x",
               "cu",
               "-w",
               "--extended-lambda",
               "--expt-relaxed-constexpr",
               "-lineinfo",
               "-ptx",
               "-arch=compute_" + arch};
    options.insert(options.end(), request.options.begin(), request.options.end());
    return options;
}

struct Source {
    std::string name, text;
};

/// For machine code: the PTX that nvcc makes of the text, which is mostly known. The rest of the way is short.
Result<Source> source_for_nvcc(const Request& request) {
    if (!request.real) return Source{request.name, request.source};
    Request portable = request;
    portable.real = false;
    auto compiled = compile_with_nvcc(portable);
    if (!compiled) return compiled.error();
    return Source{"session.ptx", (*compiled)->code};
}

/// Ctrl-C at a terminal reaches the programs that nvcc runs, too, and it may be nvcc that says so: "died due to signal
/// 2".
bool says_interrupted(std::string_view log) {
    constexpr std::string_view words = "died due to signal 2";
    const std::size_t at = log.find(words);
    if (at == log.npos) return false;
    const std::size_t end = at + words.size();
    return end == log.size() || !std::isdigit(static_cast<unsigned char>(log[end]));
}

Result<Artifact> compile_now(const Request& request, const fs::path& nvcc, const std::vector<std::string>& options,
                             ProgramEnd* end = nullptr) {
    auto written = source_for_nvcc(request);
    if (!written) return written.error();
    const Scratch scratch;
    if (scratch.folder().empty())
        return error("file", "no temporary folder can be made for nvcc", "check that TMPDIR can be written");
    const fs::path source = scratch.folder() / written->name, result = scratch.folder() / "result",
                   log = scratch.folder() / "log";
    std::ofstream(source) << written->text;
    std::vector<std::string> command = {nvcc.string()};
    command.insert(command.end(), options.begin(), options.end());
    command.insert(command.end(), {"-o", result.string(), source.string()});
    const int status = run_process(command, log, end);
    Artifact artifact;
    artifact.log = content_of(log);
    if (status == 0) {
        artifact.is_cubin = request.real;
        artifact.by_nvcc = true;
        artifact.code = content_of(result);
        return artifact;
    }
    if (status < 0 || says_interrupted(artifact.log))
        return error("interrupted", "the compilation of device code was stopped");
    Diagnostic refused = parse_log(artifact.log);
    refused.code = "nvcc-compile";
    return refused;
}

/// "_Z3onePi" of "__nv_static_26__e4bf8b7b_5_s2_cu_ea62ded8__Z3onePi", which is what is static with -rdc=true.
std::string without_static_prefix(const std::string& name) {
    constexpr std::string_view prefix = "__nv_static_";
    if (!name.starts_with(prefix)) return name;
    const std::size_t length = std::strtoul(name.c_str() + prefix.size(), nullptr, 10);
    const std::size_t end = name.find('_', prefix.size());
    if (end == std::string::npos || end + 1 + length + 1 >= name.size()) return name;
    return name.substr(end + 1 + length + 1);
}

std::string readable(const std::string& as_linked) {
    const std::string mangled = without_static_prefix(as_linked);
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> name(
        abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), &std::free);
    std::string text = name ? name.get() : mangled;
    // CCCL's namespaces are named by the architectures that nvcc compiles for.
    for (std::size_t at = 0; (at = text.find("_SM_", at)) != std::string::npos;) {
        const std::size_t end = text.find("::", at);
        if (end == std::string::npos) break;
        std::string_view list = std::string_view(text).substr(at + 4, end - at - 4);
        if (list.ends_with("_NS")) list.remove_suffix(3);
        if (list == "__CUDA_ARCH_LIST__" || list.find_first_not_of("0123456789_") == list.npos)
            text.erase(at, end - at);
        else
            at += 4;
    }
    // nvcc puts what has internal linkage into a namespace of its own.
    for (std::size_t at = 0; (at = text.find("_INTERNAL_", at)) != std::string::npos;) {
        const std::size_t end = text.find("::", at);
        if (end == std::string::npos) break;
        text.erase(at, end + 2 - at);
    }
    return text;
}

constexpr std::string_view begin_of_lambda = "{lambda(";

/// Where the number stands of the lambda that begins at `at`: "{lambda(int)#2}". npos if it has none.
std::size_t number_of_lambda(std::string_view name, std::size_t at) {
    int open = 0;
    for (++at; at < name.size() && (open > 0 || name[at] != '#'); ++at) {
        if (name[at] == '(' || name[at] == '{') ++open;
        if (name[at] == ')' || name[at] == '}') --open;
    }
    return at < name.size() ? at + 1 : std::string_view::npos;
}

/// A readable name of the host compiler's with the numbers that nvcc's has: "main::{lambda(int)#1}" for the first
/// lambda of main. Empty if the number of one is not known.
std::string with_numbers_of_nvcc(const std::string& name, const LambdaNumbers& numbers) {
    std::string text;
    std::size_t done = 0;
    // A lambda among the parameters of another comes before that one's number.
    std::map<std::size_t, std::size_t> places;
    for (std::size_t at = 0; (at = name.find(begin_of_lambda, at)) != std::string::npos; ++at) {
        const std::size_t begin = number_of_lambda(name, at);
        if (begin == std::string_view::npos) return {};
        places.emplace(begin, std::min(name.find_first_not_of("0123456789", begin), name.size()));
    }
    for (const auto& [begin, end] : places) {
        const auto known = numbers.find(static_cast<unsigned>(std::strtoul(name.c_str() + begin, nullptr, 10)));
        if (known == numbers.end()) return {};
        text += name.substr(done, begin - done) + std::to_string(known->second);
        done = end;
    }
    return text + name.substr(done);
}

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$';
}

/// The kernels and variables of a PTX text, or of a CUBIN's names.
std::vector<std::string> symbols_of(const Artifact& artifact) {
    std::vector<std::string> names;
    const std::string_view code = artifact.code;
    if (artifact.is_cubin) {
        for (std::size_t at = 0; at < code.size();) {
            const std::size_t end = std::min(code.find('\0', at), code.size());
            std::string_view word = code.substr(at, end - at);
            if (word.starts_with(".text.")) word.remove_prefix(6);
            if (!word.empty() && word.size() < 4096 && std::all_of(word.begin(), word.end(), is_word))
                names.emplace_back(word);
            at = end + 1;
        }
        return names;
    }
    for (std::size_t at = 0; at < code.size();) {
        const std::size_t end = std::min(code.find('\n', at), code.size());
        const std::string_view line = code.substr(at, end - at);
        at = end + 1;
        if (const std::size_t entry = line.find(".entry "); entry != std::string_view::npos) {
            const std::string_view name = line.substr(entry + 7);
            names.emplace_back(name.substr(0, name.find_first_of(" (")));
        } else if (line.starts_with(".global") || line.starts_with(".const") || line.starts_with(".visible")) {
            const std::string_view name = line.substr(0, line.find_first_of("[=;"));
            const std::size_t last = name.find_last_not_of(' ');
            if (last == std::string_view::npos) continue;
            std::size_t begin = last + 1;
            while (begin > 0 && is_word(name[begin - 1])) --begin;
            names.emplace_back(name.substr(begin, last + 1 - begin));
        }
    }
    return names;
}

/// Answers of this process, refusals too: an error is not asked for again at each launch.
class Answers {
public:
    using Answer = Result<std::shared_ptr<const Artifact>>;
    std::optional<Answer> find(const std::string& key) {
        const std::lock_guard lock(mutex_);
        const auto found = entries_.find(key);
        return found == entries_.end() ? std::nullopt : std::optional(found->second);
    }
    void store(const std::string& key, Answer answer) {
        const std::lock_guard lock(mutex_);
        if (entries_.size() >= most_entries) entries_.clear();
        entries_.insert_or_assign(key, std::move(answer));
    }

private:
    static constexpr std::size_t most_entries = 64;
    std::mutex mutex_;
    std::unordered_map<std::string, Answer> entries_;
};

Answers& answers() {
    static Answers all;
    return all;
}

/// What is asked of nvcc, and what its answer is known by.
struct Question {
    const Request& request;
    const fs::path& nvcc;
    std::vector<std::string> options;
    std::string key;
    std::uint64_t id = 0;
};

Question question(const Request& request, const fs::path& nvcc) {
    Question asked{request, nvcc, nvcc_options(request), {}};
    ContentHash hash;
    std::error_code failed;
    hash.add("nvcc").add(nvcc.string()).add(request.name).add(request.source);
    hash.add(fs::current_path(failed).string());
    // Another nvcc at the same place has another size or date.
    hash.add(static_cast<std::uint64_t>(fs::last_write_time(nvcc, failed).time_since_epoch().count()));
    for (const auto& [name, text] : request.headers) hash.add(name).add(text);
    for (const auto* all : {&std::as_const(asked.options), &request.options})
        for (const std::string& option : *all) hash.add(option);
    hash.add(request.headers.size()).add(asked.options.size()).add(request.options.size());
    asked.key = hash.text();
    asked.id = hash.low();
    return asked;
}

/// Also puts the answer where the next one finds it.
Answers::Answer answer_of_nvcc(const Question& asked, ProgramEnd* end = nullptr) {
    std::optional<Artifact> artifact = load_cached(asked.key);
    if (!artifact) {
        auto compiled = compile_now(asked.request, asked.nvcc, asked.options, end);
        if (!compiled) {
            if (compiled.error().code != "interrupted") answers().store(asked.key, compiled.error());
            return compiled.error();
        }
        artifact = std::move(*compiled);
        store_cached(asked.key, *artifact);
    }
    artifact->id = asked.id;
    for (std::string& name : symbols_of(*artifact)) {
        std::string plain = readable(name);
        artifact->lowered_names.emplace(std::move(plain), std::move(name));
    }
    std::shared_ptr<const Artifact> shared = std::make_shared<const Artifact>(std::move(*artifact));
    answers().store(asked.key, shared);
    return shared;
}

/// The compilation that was begun last, and that nobody has asked for yet.
class Begun {
public:
    Begun() { (void)answers(); }  // which its thread writes to until the end
    ~Begun() {
        give_up();
        if (is_copy()) (void)answer_.release();  // it would wait for a thread that this process has not got
    }
    Begun(const Begun&) = delete;
    Begun& operator=(const Begun&) = delete;

    void begin(const Request& request, const fs::path& nvcc, const std::string& key) {
        if (is_copy()) return;
        if (key_ == key) return;
        give_up();
        key_ = key;
        end_ = std::make_shared<ProgramEnd>();
        answer_ = std::make_unique<Answer>(std::async(std::launch::async, [request, nvcc, end = end_] {
            return answer_of_nvcc(question(request, nvcc), end.get());
        }));
    }
    /// nullopt: it is another one.
    std::optional<Answers::Answer> take(const std::string& key) {
        if (is_copy() || key_ != key) return std::nullopt;
        key_.clear();
        return answer_->get();
    }

private:
    using Answer = std::future<Answers::Answer>;
    /// A process that a program forked has no thread that would answer.
    bool is_copy() const { return getpid() != process_; }
    void give_up() {
        if (is_copy() || key_.empty()) return;
        end_->ask();
        key_.clear();
        answer_.reset();
    }

    const pid_t process_ = getpid();
    std::string key_;  ///< empty: there is none
    std::shared_ptr<ProgramEnd> end_;
    std::unique_ptr<Answer> answer_;
};

Begun& begun() {
    static Begun last;
    return last;
}

}  // namespace

Result<std::shared_ptr<const Artifact>> compile_with_nvcc(const Request& request) {
    const fs::path nvcc = find_nvcc();
    if (nvcc.empty())
        return error("nvcc-missing", "the CUDA Toolkit here has no nvcc",
                     "install the package cuda-nvcc-13-0, or the whole toolkit");
    const Question asked = question(request, nvcc);
    if (auto known = answers().find(asked.key)) return *known;
    if (auto answer = begun().take(asked.key)) return *answer;
    return answer_of_nvcc(asked);
}

void begin_with_nvcc(const Request& request) {
    const fs::path nvcc = find_nvcc();
    if (nvcc.empty()) return;
    const std::string key = question(request, nvcc).key;
    if (!answers().find(key)) begun().begin(request, nvcc, key);
}

bool has_kernel(const Artifact& artifact, std::string_view mangled) {
    if (artifact.is_cubin) return artifact.code.find(fmt::format(".text.{}", mangled) + '\0') != std::string::npos;
    for (const char end : {'(', '\n', ' '})
        if (artifact.code.find(fmt::format(".entry {}{}", mangled, end)) != std::string::npos) return true;
    return false;
}

bool names_lambda(const std::string& mangled) {
    // "Ul" begins a lambda in a mangled name, and names of other things have it, too.
    return mangled.find("Ul") != std::string::npos && readable(mangled).find(begin_of_lambda) != std::string::npos;
}

std::string name_by_nvcc(const Artifact& artifact, const std::string& mangled, const LambdaNumbers& numbers) {
    const auto found = artifact.lowered_names.find(with_numbers_of_nvcc(readable(mangled), numbers));
    return found == artifact.lowered_names.end() ? std::string() : found->second;
}

}  // namespace cudash::nvrtc
