#include "repl/shell/commands/located_array.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <iterator>
#include <map>
#include <memory>

namespace cudash::shell {
namespace {

using session::Answer;
using session::most_bytes_at_once;

/// Reads in large pieces and keeps the last one: views go through an array from its beginning to its end.
class PieceReader {
public:
    PieceReader(worker::ReadMemory read, const session::Located& located, std::uint64_t end,
                std::shared_ptr<Diagnostic> failure, std::string what, decltype(view::Display::progress) progress)
        : read_(std::move(read)),
          what_(std::move(what)),
          progress_(std::move(progress)),
          located_(located),
          failure_(std::move(failure)),
          end_(end) {}

    ~PieceReader() {
        if (shown_) progress_({}, 0, 0);
    }
    PieceReader(const PieceReader&) = delete;
    PieceReader& operator=(const PieceReader&) = delete;

    bool read(std::uint64_t offset, std::span<std::byte> to) {
        while (!to.empty()) {
            if (offset < begin_ || offset >= begin_ + piece_.size()) {
                if (!fetch(offset, to.size())) return false;
            }
            const std::uint64_t at = offset - begin_;
            const std::size_t count = static_cast<std::size_t>(std::min<std::uint64_t>(to.size(), piece_.size() - at));
            std::memcpy(to.data(), piece_.data() + at, count);
            to = to.subspan(count);
            offset += count;
        }
        return true;
    }

    /// Nothing has written any of these bytes, which were read.
    bool is_unwritten(std::uint64_t offset, std::uint64_t bytes) const {
        const auto after = unwritten_.upper_bound(offset);
        return after != unwritten_.begin() && std::prev(after)->second >= offset + bytes;
    }

private:
    bool fetch(std::uint64_t offset, std::uint64_t wanted) {
        if (offset >= end_) return false;
        // A few bytes here and there are not worth megabytes: pieces grow while they follow each other.
        const bool follows = offset == begin_ + piece_.size() && !piece_.empty();
        size_ = follows ? std::min(size_ * 4, most_bytes_at_once) : std::uint64_t{64} << 10;
        const std::uint64_t count = std::min({std::max(size_, wanted), most_bytes_at_once, end_ - offset});
        Answer answer = read_({located_.address, located_.is_array, offset, count});
        auto* bytes = std::get_if<session::MemoryBytes>(&answer);
        if (const auto* refused = std::get_if<Diagnostic>(&answer)) *failure_ = *refused;
        if (!bytes || bytes->bytes.size() != count) return false;
        for (const auto& [at, length] : bytes->unwritten) unwritten_[offset + at] = offset + at + length;
        piece_ = std::move(bytes->bytes);
        begin_ = offset;
        // Only what takes long is worth a bar.
        if (progress_ && std::chrono::steady_clock::now() - since_ > std::chrono::seconds(1)) {
            progress_(what_, offset + count, end_);
            shown_ = true;
        }
        return true;
    }

    worker::ReadMemory read_;
    std::string what_;
    decltype(view::Display::progress) progress_;
    session::Located located_;
    std::shared_ptr<Diagnostic> failure_;
    std::uint64_t end_ = 0, begin_ = 0, size_ = 0;
    std::string piece_;
    std::map<std::uint64_t, std::uint64_t> unwritten_;  ///< where runs begin and end
    std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
    bool shown_ = false;
};

std::uint64_t end_of(const view::Array& array) {
    std::uint64_t end = array.begin + array.element.bytes;
    for (std::size_t i = 0; i < array.extent.size(); ++i) end += (array.extent[i] - 1) * array.stride[i];
    return end;
}

}  // namespace

std::string LocatedArray::description() const {
    std::string text = located.element.type;
    for (const std::uint64_t extent : array.extent)
        if (array.extent.size() > 1 || extent > 1) text += fmt::format("[{}]", extent);
    text += " in " + located.memory;
    if (array.extent.size() >= 2 &&
        array.stride[array.stride.size() - 2] != array.extent.back() * array.element.bytes && spec.slices.empty())
        text += fmt::format(", pitch {}", array.stride[array.stride.size() - 2]);
    if (!located.origin.empty()) text += fmt::format(" ({})", located.origin);
    return text;
}

Result<session::Located> locate(Notebook& notebook, std::string_view command, const ArraySpec& spec) {
    Answer answer = notebook.client().query(session::Locate{spec.expression, spec.as}, command);
    if (auto* refused = std::get_if<Diagnostic>(&answer)) return std::move(*refused);
    if (auto* located = std::get_if<session::Located>(&answer)) return std::move(*located);
    return error("worker-lost", "the session gave no answer");
}

Result<LocatedArray> shape_located(Notebook& notebook, std::string_view command, session::Located located,
                                   ArraySpec spec) {
    LocatedArray result;
    result.located = std::move(located);
    result.spec = std::move(spec);
    auto array = shape_array(result.located, result.spec);
    if (!array) return array.error();
    result.array = std::move(*array);
    result.failure = std::make_shared<Diagnostic>(
        error("bad-address", "the memory can't be read: it ends before, or was freed", ":mem lists what is allocated"));
    attach_reader(
        result.array, result.located,
        [&notebook, name = std::string(command)](const session::ReadBytes& request) {
            return notebook.client().query(request, name);
        },
        result.failure, std::string(command), notebook.display().progress);
    return result;
}

void attach_reader(view::Array& array, const session::Located& located, worker::ReadMemory read,
                   std::shared_ptr<Diagnostic> failure, std::string what, decltype(view::Display::progress) progress) {
    const auto reader = std::make_shared<PieceReader>(std::move(read), located, end_of(array), std::move(failure),
                                                      std::move(what), std::move(progress));
    array.read = [reader](std::uint64_t offset, std::span<std::byte> to) { return reader->read(offset, to); };
    array.is_unwritten = [reader](std::uint64_t offset, std::uint64_t bytes) {
        return reader->is_unwritten(offset, bytes);
    };
}

Result<LocatedArray> locate_array(Notebook& notebook, std::string_view command, ArraySpec spec) {
    auto located = locate(notebook, command, spec);
    if (!located) return located.error();
    return shape_located(notebook, command, std::move(*located), std::move(spec));
}

std::optional<Diagnostic> write_array(
    Notebook& notebook, std::string_view command, const LocatedArray& target,
    const std::function<bool(std::uint64_t row, std::uint64_t from, std::span<std::byte> bytes)>& fill) {
    const view::Array& array = target.array;
    const std::uint64_t at_once = std::max<std::uint64_t>(1, most_bytes_at_once / array.element.bytes);
    // Rows without gaps go together.
    std::string pending;
    std::uint64_t pending_at = 0;
    const auto flush = [&]() -> std::optional<Diagnostic> {
        if (pending.empty()) return std::nullopt;
        Answer answer = notebook.client().query(
            session::WriteBytes{target.located.address, target.located.is_array, pending_at, std::move(pending)},
            command);
        pending.clear();
        if (auto* refused = std::get_if<Diagnostic>(&answer)) return std::move(*refused);
        return std::nullopt;
    };
    for (std::uint64_t row = 0; row < array.rows(); ++row) {
        for (std::uint64_t from = 0; from < array.columns();) {
            const bool dense = array.stride.back() == array.element.bytes;
            const std::uint64_t count = dense ? std::min(at_once, array.columns() - from) : 1;
            const std::uint64_t at = array.offset(row, from);
            const std::size_t size = static_cast<std::size_t>(count * array.element.bytes);
            if (!pending.empty() && (at != pending_at + pending.size() || pending.size() + size > most_bytes_at_once))
                if (auto refused = flush()) return refused;
            if (pending.empty()) pending_at = at;
            pending.resize(pending.size() + size);
            if (!fill(row, from, std::as_writable_bytes(std::span(pending).last(size))))
                return error("wrong-type", fmt::format("numbers can't be stored as {}", array.element.type));
            from += count;
        }
    }
    return flush();
}

}  // namespace cudash::shell
