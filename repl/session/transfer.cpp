#include "repl/session/transfer.h"

#include <fmt/format.h>

#include <charconv>
#include <cstring>

#include "repl/session/base64.h"
#include "repl/session/guard.h"

namespace cudash::session {
namespace {

constexpr std::size_t most_bytes = 32u << 20;

Outcome refuse(Outcome::Status status, Diagnostic problem) {
    Outcome outcome;
    outcome.status = status;
    outcome.diagnostics.push_back(std::move(problem));
    return outcome;
}

/// The address that an expression has, as the value of a cell shows it.
std::optional<std::uint64_t> address_in(std::string_view value) {
    const auto at = value.find("0x");
    if (at == std::string_view::npos) return std::nullopt;
    std::uint64_t address = 0;
    const auto [end, problem] = std::from_chars(value.data() + at + 2, value.data() + value.size(), address, 16);
    return problem == std::errc() ? std::optional(address) : std::nullopt;
}

}  // namespace

Outcome transfer(HostEngine& engine, const Cell& cell) {
    auto compiled = engine.compile(cell.name, fmt::format("(const void*)({})", cell.text));
    if (!compiled.ok) {
        Outcome outcome;
        outcome.status = Outcome::Status::compile_error;
        outcome.diagnostics = std::move(compiled.diagnostics);
        return outcome;
    }
    const auto evaluated = Guard::run([&] {
        for (auto* initializer : compiled.initializers) initializer();
    });
    const auto value = evaluated.kind == GuardedEnd::Kind::returned ? engine.take_value() : std::nullopt;
    const auto address = value ? address_in(value->text) : std::nullopt;
    if (!address || cell.arguments.size() != 1)
        return refuse(
            Outcome::Status::compile_error,
            error("no-address", fmt::format("{} is not an address", cell.text), "name an array or a pointer"));

    const auto fault = [&](const GuardedEnd& end) {
        return refuse(
            Outcome::Status::faulted,
            error("bad-transfer", fmt::format("the memory at {} can't be used (signal {})", cell.text, end.signal),
                  "the array is smaller than the bytes that go through it, or is device memory"));
    };
    auto* memory = reinterpret_cast<std::byte*>(*address);
    if (cell.kind == Cell::Kind::store) {
        const auto bytes = from_base64(cell.arguments.front());
        if (!bytes) return refuse(Outcome::Status::compile_error, error("bad-transfer", "the bytes are no base64"));
        const auto end = Guard::run([&] { std::memcpy(memory, bytes->data(), bytes->size()); });
        return end.kind == GuardedEnd::Kind::returned ? Outcome{} : fault(end);
    }
    std::size_t count = 0;
    const std::string& wanted = cell.arguments.front();
    std::from_chars(wanted.data(), wanted.data() + wanted.size(), count);
    if (count == 0 || count > most_bytes)
        return refuse(Outcome::Status::compile_error,
                      error("bad-transfer", fmt::format("{} bytes can't be read at once", wanted)));
    std::vector<std::byte> bytes(count);
    const auto end = Guard::run([&] { std::memcpy(bytes.data(), memory, count); });
    if (end.kind != GuardedEnd::Kind::returned) return fault(end);
    Outcome outcome;
    outcome.text = to_base64(bytes);
    return outcome;
}

}  // namespace cudash::session
