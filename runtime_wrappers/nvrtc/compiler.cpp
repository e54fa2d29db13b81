#include "runtime_wrappers/nvrtc/compiler.h"

#include <filesystem>
#include <mutex>
#include <unordered_map>

#include <fmt/format.h>

#include "runtime_wrappers/nvrtc/architecture.h"
#include "runtime_wrappers/nvrtc/cancel.h"
#include "runtime_wrappers/nvrtc/content_hash.h"
#include "runtime_wrappers/nvrtc/disk_cache.h"
#include "runtime_wrappers/nvrtc/kept_headers.h"
#include "runtime_wrappers/nvrtc/library.h"
#include "runtime_wrappers/nvrtc/log.h"
#include "runtime_wrappers/nvrtc/toolkit.h"

namespace cudash::nvrtc {
namespace {

/// An NVRTC program that ends with its scope.
class Program {
public:
    Program(const Library& library, const Request& request) : library_(library) {
        std::vector<const char*> names, texts;
        for (const auto& [name, text] : request.headers) {
            names.push_back(name.c_str());
            texts.push_back(text.c_str());
        }
        status_ = library.create_program(&program_, request.source.c_str(), request.name.c_str(),
                                         static_cast<int>(names.size()), texts.data(), names.data());
        for (const std::string& expression : request.name_expressions)
            if (status_ == NVRTC_SUCCESS) status_ = library.add_name_expression(program_, expression.c_str());
    }
    ~Program() {
        if (program_) library_.destroy_program(&program_);
    }
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    nvrtcProgram get() const { return program_; }
    nvrtcResult status() const { return status_; }

    /// A text of NVRTC's by its size function and its content function.
    template <class Size, class Content>
    std::string text(Size size_of, Content content_of) const {
        std::size_t size = 0;
        if (size_of(program_, &size) != NVRTC_SUCCESS || size == 0) return {};
        std::string text(size, '\0');
        if (content_of(program_, text.data()) != NVRTC_SUCCESS) return {};
        return text;
    }

private:
    const Library& library_;
    nvrtcProgram program_ = nullptr;
    nvrtcResult status_;
};

void drop_final_zero(std::string& text) {
    if (!text.empty() && text.back() == '\0') text.pop_back();
}

std::vector<std::string> all_options(const Request& request) {
    std::vector<std::string> options = request.options;
    options.push_back(
        fmt::format("-arch={}_{}", request.real ? "sm" : "compute", architecture_for(request.arch, request.source)));
    for (const std::string& folder : toolkit_folders()) options.push_back("-I" + folder);
    return options;
}

ContentHash hash_of(const Request& request, const std::vector<std::string>& options, const Library& library) {
    ContentHash hash;
    hash.add(request.name).add(request.source);
    // NVRTC writes relative file names of #line into its line table as paths from the working directory.
    std::error_code failed;
    hash.add(std::filesystem::current_path(failed).string());
    for (const auto& [name, text] : request.headers) hash.add(name).add(text);
    for (const std::string& option : options) hash.add(option);
    for (const std::string& expression : request.name_expressions) hash.add(expression);
    hash.add(request.headers.size()).add(options.size()).add(request.name_expressions.size());
    return hash.add(static_cast<std::uint64_t>(library.major)).add(static_cast<std::uint64_t>(library.minor));
}

Result<Artifact> compile_now(const Request& request, const std::vector<std::string>& options, const Library& library) {
    const auto internal = [&](nvrtcResult status) {
        return error("nvrtc-internal", fmt::format("NVRTC failed: {}", library.error_string(status)));
    };
    Program program(library, request);
    if (program.status() != NVRTC_SUCCESS) return internal(program.status());
    std::vector<const char*> raw;
    for (const std::string& option : options) raw.push_back(option.c_str());
    const KeptHeaders kept(request.keeps_headers, library);
    for (const std::string& option : kept.options()) raw.push_back(option.c_str());
    const nvrtcResult status = [&] {
        const Cancelable cancelable(library, program.get());
        return library.compile_program(program.get(), static_cast<int>(raw.size()), raw.data());
    }();
    if (status == NVRTC_ERROR_CANCELLED) return error("interrupted", "the compilation of device code was stopped");
    kept.make_room(program.get());

    Artifact artifact;
    artifact.log = program.text(library.log_size, library.log);
    drop_final_zero(artifact.log);
    if (status != NVRTC_SUCCESS && KeptHeaders::lacks_room(artifact.log)) {
        Request plain = request;
        plain.keeps_headers = false;
        return compile_now(plain, options, library);
    }
    if (status == NVRTC_ERROR_COMPILATION || status == NVRTC_ERROR_INVALID_OPTION) return parse_log(artifact.log);
    if (status != NVRTC_SUCCESS) return internal(status);

    artifact.is_cubin = request.real;
    artifact.code =
        request.real ? program.text(library.cubin_size, library.cubin) : program.text(library.ptx_size, library.ptx);
    if (!request.real) drop_final_zero(artifact.code);
    for (const std::string& expression : request.name_expressions) {
        const char* lowered = nullptr;
        if (library.lowered_name(program.get(), expression.c_str(), &lowered) == NVRTC_SUCCESS && lowered)
            artifact.lowered_names[expression] = lowered;
    }
    return artifact;
}

/// Results of this process. The newest are kept; a session asks for its newest unit again and again.
class MemoryCache {
public:
    std::shared_ptr<const Artifact> find(const std::string& key) {
        std::lock_guard lock(mutex_);
        auto found = entries_.find(key);
        return found == entries_.end() ? nullptr : found->second;
    }
    void store(const std::string& key, std::shared_ptr<const Artifact> artifact) {
        std::lock_guard lock(mutex_);
        if (entries_.size() >= most_entries) entries_.clear();
        entries_[key] = std::move(artifact);
    }

private:
    static constexpr std::size_t most_entries = 256;
    std::mutex mutex_;
    std::unordered_map<std::string, std::shared_ptr<const Artifact>> entries_;
};

MemoryCache& memory_cache() {
    static MemoryCache cache;
    return cache;
}

}  // namespace

Result<std::pair<int, int>> version() {
    const auto& opened = library();
    if (!opened) return opened.error();
    return std::pair(opened->major, opened->minor);
}

std::string toolkit_include() {
    for (const auto& root : toolkit_roots()) {
        std::error_code failed;
        if (std::filesystem::exists(root / "include" / "cuda_runtime.h", failed)) return (root / "include").string();
    }
    return {};
}

std::vector<std::string> toolkit_folders() {
    const std::string include = toolkit_include();
    if (include.empty()) return {};
    return {include, include + "/cccl"};
}

Result<std::shared_ptr<const Artifact>> compile(const Request& request) {
    const auto& opened = library();
    if (!opened) return opened.error();
    const std::vector<std::string> options = all_options(request);
    const ContentHash hash = hash_of(request, options, *opened);
    const std::string key = hash.text();
    if (auto known = memory_cache().find(key)) return known;

    std::optional<Artifact> artifact = load_cached(key);
    if (!artifact) {
        auto compiled = compile_now(request, options, *opened);
        if (!compiled) return compiled.error();
        artifact = std::move(*compiled);
        store_cached(key, *artifact);
    }
    artifact->id = hash.low();
    auto shared = std::make_shared<const Artifact>(std::move(*artifact));
    memory_cache().store(key, shared);
    return shared;
}

}  // namespace cudash::nvrtc
