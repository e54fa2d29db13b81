#include "runtime_wrappers/nvrtc/disk_cache.h"

#include <filesystem>
#include <fstream>

#include "runtime_wrappers/nvrtc/cache_folder.h"
#include "runtime_wrappers/nvrtc/content_hash.h"

namespace cudash::nvrtc {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view magic = "cudash nvrtc 1\n";

fs::path folder() {
    return cache_folder("nvrtc");
}

void put(std::string& out, std::string_view field) {
    const std::uint64_t size = field.size();
    out.append(reinterpret_cast<const char*>(&size), sizeof size);
    out.append(field);
}

std::optional<std::string> take(std::string_view& in) {
    std::uint64_t size;
    if (in.size() < sizeof size) return std::nullopt;
    std::memcpy(&size, in.data(), sizeof size);
    in.remove_prefix(sizeof size);
    if (in.size() < size) return std::nullopt;
    std::string field(in.substr(0, size));
    in.remove_prefix(size);
    return field;
}

std::string encode(const Artifact& artifact) {
    std::string body;
    put(body, std::string(artifact.by_nvcc ? "nvcc " : "") + (artifact.is_cubin ? "cubin" : "ptx"));
    put(body, artifact.code);
    put(body, artifact.log);
    for (const auto& [expression, name] : artifact.lowered_names) {
        put(body, expression);
        put(body, name);
    }
    return std::string(magic) + ContentHash().add(body).text() + body;
}

std::optional<Artifact> decode(std::string_view file) {
    if (!file.starts_with(magic)) return std::nullopt;
    file.remove_prefix(magic.size());
    if (file.size() < 32) return std::nullopt;
    const std::string_view check = file.substr(0, 32);
    file.remove_prefix(32);
    if (ContentHash().add(file).text() != check) return std::nullopt;
    Artifact artifact;
    const auto kind = take(file), code = take(file), log = take(file);
    if (!kind || !code || !log) return std::nullopt;
    artifact.by_nvcc = kind->starts_with("nvcc ");
    artifact.is_cubin = kind->ends_with("cubin");
    artifact.code = *code;
    artifact.log = *log;
    while (!file.empty()) {
        const auto expression = take(file), name = take(file);
        if (!expression || !name) return std::nullopt;
        artifact.lowered_names.emplace(*expression, *name);
    }
    return artifact;
}

}  // namespace

std::optional<Artifact> load_cached(const std::string& key) {
    const fs::path where = folder();
    if (where.empty()) return std::nullopt;
    std::ifstream in(where / key, std::ios::binary);
    if (!in) return std::nullopt;
    const std::string content{std::istreambuf_iterator<char>(in), {}};
    auto artifact = decode(content);
    if (artifact) touch_entry(where / key);
    return artifact;
}

void store_cached(const std::string& key, const Artifact& artifact) {
    const fs::path where = folder();
    if (where.empty()) return;
    store_entry(where / key, [&](const fs::path& path) {
        std::ofstream out(path, std::ios::binary | std::ios::trunc);
        const std::string content = encode(artifact);
        out.write(content.data(), static_cast<std::streamsize>(content.size()));
        return static_cast<bool>(out.flush());
    });
}

}  // namespace cudash::nvrtc
