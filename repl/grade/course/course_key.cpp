#include "repl/grade/course/course_key.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "repl/grade/names.h"
#include "repl/grade/read_file.h"
#include "repl/worker/unique_fd.h"

namespace cudash::grade {
namespace {

constexpr std::size_t digits = 64;

Diagnostic problem_with(const std::string& path, const std::string& why, std::string hint) {
    return error("bad-key", fmt::format("the course key {} can't be used: {}", shown_name(path), why), std::move(hint));
}

}  // namespace

Result<CourseKey> CourseKey::read(const std::string& path) {
    std::string why;
    const auto text = read_file(path, why);
    struct stat status {};
    if (!text || stat(path.c_str(), &status) != 0)
        return problem_with(
            path, why,
            "without it nobody can say what a student's inputs were; look for a copy. For a new course, "
            "`cudash grade key FILE` makes a key");
    if ((status.st_mode & 077) != 0)
        return problem_with(path, "other users may read it", fmt::format("chmod 600 {}", shell_word(path)));
    // The first line that is not a comment.
    std::string_view rest = *text;
    while (rest.starts_with('#')) rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1);
    rest = rest.substr(0, rest.find_first_of(" \r\n"));
    const auto first = key_of(rest.substr(0, std::min(rest.size(), digits / 2)));
    const auto second = key_of(rest.size() == digits ? rest.substr(digits / 2) : std::string_view());
    if (!first || !second)
        return problem_with(path, "it has no line of 64 hexadecimal digits", "`cudash grade key FILE` makes a key");
    return CourseKey(*first, *second);
}

Result<CourseKey> CourseKey::make(const std::string& path) {
    const CourseKey key(random_key(), random_key());
    const std::string text =
        "# The key of a course's own inputs for every student. Keep it secret, and keep a copy.\n" +
        text_of(key.first_) + text_of(key.second_) + "\n";
    const worker::UniqueFd file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!file)
        return error("bad-key", fmt::format("{} can't be made: {}", shown_name(path), std::strerror(errno)),
                     errno == EEXIST ? "a key is never overwritten: every student's inputs would change" : "");
    if (write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()) || fsync(file.get()) != 0)
        return error("bad-key", fmt::format("{} can't be written: {}", shown_name(path), std::strerror(errno)));
    return key;
}

Key CourseKey::of(std::string_view text) const {
    const Key one = derived(first_, text), other = derived(second_, text);
    return {one.low ^ other.low, one.high ^ other.high};
}

std::string CourseKey::id() const {
    return text_of(of("which key this is")).substr(0, 12);
}

Key CourseKey::seed_of(const Key& assignment, std::string_view student) const {
    return of(fmt::format("student {} {}", text_of(assignment), student));
}

}  // namespace cudash::grade
