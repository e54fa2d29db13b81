// `:save` and `:load` of memory.
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "repl/shell/commands/command.h"
#include "repl/shell/commands/located_array.h"
#include "repl/shell/text_check.h"
#include "repl/view/array_files.h"

namespace cudash::shell {
namespace {

struct FileArgument {
    ArraySpec spec;
    std::string path;
    const view::ArrayFile* kind = nullptr;
};

Result<FileArgument> parse(std::string_view argument, std::string_view command) {
    const std::string form = fmt::format(":{} EXPR [as TYPE] [ROWSxCOLS] FILE.npy", command);
    const std::size_t space = argument.find_last_of(" \t");
    if (space == std::string_view::npos)
        return error("bad-argument", fmt::format(":{} needs an array and a file", command), form);
    FileArgument result;
    result.path = argument.substr(space + 1);
    for (const view::ArrayFile& kind : view::array_files())
        if (result.path.ends_with(kind.ending)) result.kind = &kind;
    if (!result.kind)
        return error("bad-argument", fmt::format("'{}' names no kind of file: .npy, .csv or .png", result.path), form);
    auto spec = parse_array_spec(argument.substr(0, space), {});
    if (!spec) return spec.error();
    result.spec = std::move(*spec);
    return result;
}

}  // namespace

std::optional<int> save(Notebook& notebook, std::string_view argument) {
    auto parsed = parse(argument, "save");
    if (!parsed) return notebook.fail(parsed.error());
    const auto found = locate_array(notebook, ":save", std::move(parsed->spec));
    if (!found) return notebook.fail(found.error());
    // Under another name first: what was there stays if the disk is full.
    const std::string unfinished = parsed->path + ".unfinished";
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(unfinished.c_str(), "wb"),
                                                               [](std::FILE* f) { return f ? std::fclose(f) : 0; });
    const auto refuse = [&](int why) {
        std::error_code ignored;
        std::filesystem::remove(unfinished, ignored);
        return notebook.fail(error("file", fmt::format("{} can't be written: {}", parsed->path, std::strerror(why))));
    };
    if (!file) return refuse(errno);
    int failure = 0;
    const auto problem = parsed->kind->write(found->array, [&](std::string_view bytes) {
        if (std::fwrite(bytes.data(), 1, bytes.size(), file.get()) == bytes.size()) return true;
        failure = errno;
        return false;
    });
    if (!problem && failure == 0 && std::fflush(file.get()) != 0) failure = errno;
    if (failure) return refuse(failure);
    std::error_code failed;
    if (problem) {
        std::filesystem::remove(unfinished, failed);
        return notebook.fail(*problem);
    }
    const auto size = std::filesystem::file_size(unfinished, failed);
    std::filesystem::rename(unfinished, parsed->path, failed);
    if (failed) return refuse(failed.value());
    notebook.display().results(fmt::format("{}: {} bytes, {}\n", parsed->path, size, found->description()));
    return std::nullopt;
}

std::optional<int> load(Notebook& notebook, std::string_view argument) {
    auto parsed = parse(argument, "load");
    if (!parsed) return notebook.fail(parsed.error());
    const auto text = read_file(parsed->path);
    if (!text) return notebook.fail(text.error());
    const auto loaded = parsed->kind->read(*text);
    if (!loaded) {
        Diagnostic problem = loaded.error();
        problem.message = fmt::format("{}: {}", parsed->path, problem.message);
        return notebook.fail(problem);
    }
    std::uint64_t count = loaded->bytes.size() / loaded->element.bytes;
    ArraySpec spec = std::move(parsed->spec);
    const auto located = locate(notebook, ":load", spec);
    if (!located) return notebook.fail(located.error());
    auto found = shape_located(notebook, ":load", *located, spec);
    if (!found && found.error().code == "size-unknown") {
        spec.shape = {count};
        found = shape_located(notebook, ":load", *located, spec);
    }
    if (!found) return notebook.fail(found.error());
    const std::uint64_t parts = found->array.element.scalars.size();
    if (parts == 0 || count != found->array.count() * parts)
        return notebook.fail(error("wrong-shape",
                                   fmt::format("{} holds {} numbers, and {} takes {}", parsed->path, count,
                                               spec.expression, found->array.count() * parts),
                                   fmt::format("name a part that fits: `:load {} {} {}`", spec.expression,
                                               parts ? count / parts : count, parsed->path)));
    const std::uint64_t columns = found->array.columns(), size = found->array.element.bytes;
    const auto problem =
        write_array(notebook, ":load", *found, [&](std::uint64_t row, std::uint64_t from, std::span<std::byte> bytes) {
            for (std::uint64_t i = 0; i * size < bytes.size(); ++i)
                if (!view::convert(*loaded, row * columns + from + i, found->array.element, bytes.data() + i * size))
                    return false;
            return true;
        });
    if (problem) return notebook.fail(*problem);
    notebook.display().results(fmt::format("{} <- {}\n", found->description(), parsed->path));
    return std::nullopt;
}

}  // namespace cudash::shell
