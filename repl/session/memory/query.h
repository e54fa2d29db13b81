// What the front end asks of the session's memory, and the answers: the values that cross the protocol. An array is
// located once, by an expression; its bytes are then read or written in pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "runtime_wrappers/diagnostic.h"

namespace cudash::session {

/// What some bytes of an element mean.
struct Scalar {
    enum class Kind : std::uint8_t {
        signed_integer,
        unsigned_integer,
        floating,  ///< IEEE 754 of 2, 4 or 8 bytes
        brain,     ///< bfloat16
        boolean,
        character,
        pointer,
        opaque
    };
    Kind kind = Kind::opaque;
    std::uint32_t bytes = 0, offset = 0;  ///< offset: in the element
    std::string name;                     ///< "x"; empty if the element is this scalar

    friend bool operator==(const Scalar&, const Scalar&) = default;
};

struct Element {
    std::string type;
    std::uint64_t bytes = 0;
    std::vector<Scalar> scalars;

    friend bool operator==(const Element&, const Element&) = default;
};

/// Evaluates an expression and says where its elements lie. `as`: their type, if not the expression's own.
struct Locate {
    std::string expression, as;
};

struct Located {
    std::string type;  ///< of the expression
    Element element;
    std::uint64_t address = 0;  ///< or the handle of a CUDA array
    bool is_array = false;      ///< a CUDA array: offsets count its texels without gaps
    /// Elements in each dimension, outermost first; 0 first: how many there are is not known.
    std::vector<std::uint64_t> extent;
    std::vector<std::uint64_t> stride;  ///< bytes from one to the next, for each dimension
    std::uint64_t available = 0;        ///< bytes from `address` to the end of its memory; 0: not known
    std::uint64_t pitch = 0;            ///< of that memory; 0: none
    std::string memory;                 ///< "device memory"
    std::string origin;                 ///< "d, cell 2 line 4"
};

struct ReadBytes {
    std::uint64_t address = 0;
    bool is_array = false;
    std::uint64_t offset = 0, bytes = 0;
};

struct WriteBytes {
    std::uint64_t address = 0;
    bool is_array = false;
    std::uint64_t offset = 0;
    std::string bytes;
};

using Query = std::variant<Locate, ReadBytes, WriteBytes>;

struct MemoryBytes {
    std::string bytes;
    std::uint64_t in_window = 0;  ///< so many bytes lie in the memory that worker and front end share, and not here
    /// Runs of bytes that nothing has written (virtual GPU), as offsets in the bytes and lengths; the first ones.
    std::vector<std::pair<std::uint64_t, std::uint64_t>> unwritten{};
};
struct Written {};

/// An array that a program shows with cudash::display(). While it is shown, the worker answers ReadBytes.
struct Displayed {
    Located located;    ///< its extent is that of the array that is shown, without gaps
    std::string form;   ///< "numbers", "heat", "image", "histogram", "plot"
    std::string title;  ///< the program's; may be empty
};

/// A diagnostic says why there is no other answer.
using Answer = std::variant<Diagnostic, Located, MemoryBytes, Written>;

/// The most that one query reads or writes.
inline constexpr std::uint64_t most_bytes_at_once = 16u << 20;

}  // namespace cudash::session
