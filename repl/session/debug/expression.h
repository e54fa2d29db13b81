// Expressions of the debugger: C++ without anything that could change a value.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "repl/session/debug/scalar.h"
#include "runtime_wrappers/result.h"

namespace cudash::session::debug {

struct Expression {
    enum class Kind : std::uint8_t {
        number,
        name,
        member,       ///< operands[0].text
        arrow,        ///< operands[0]->text
        index,        ///< operands[0][operands[1]]
        unary,        ///< text operands[0]; * and & too
        binary,       ///< operands[0] text operands[1]
        conditional,  ///< operands[0] ? operands[1] : operands[2]
        cast          ///< (text) operands[0]; `pointers` stars behind the type
    };
    Kind kind = Kind::number;
    std::string text;
    Scalar number{};
    unsigned pointers = 0;
    std::vector<Expression> operands{};

    /// The names that stand in it.
    void names(std::vector<std::string>& to) const;
};

Result<Expression> parse_expression(std::string_view text);

}  // namespace cudash::session::debug
