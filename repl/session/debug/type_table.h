// The types of a unit, those of computed numbers, and pointers to any of them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "repl/session/debug/debug_info.h"
#include "repl/session/debug/scalar.h"

namespace cudash::session::debug {

class TypeTable {
public:
    explicit TypeTable(std::vector<DebugType> types);

    const DebugType& operator[](TypeId id) const { return types_[id]; }
    /// "float *", "int [4]"
    std::string name(TypeId id) const;
    TypeId pointer_to(TypeId target);
    TypeId of(const Scalar& value) const;
    /// dim3-like: threadIdx and its kin.
    TypeId three() const { return three_; }
    /// A record, an enumeration or a number by its name.
    std::optional<TypeId> find(std::string_view name) const;
    /// As what kind of number it is read; nullopt: it is none.
    std::optional<NumberType> number_type(TypeId id) const;
    /// The number that `bytes` are; nullopt for what is not a number.
    std::optional<Scalar> scalar(TypeId id, const std::vector<std::byte>& bytes) const;

private:
    TypeId add(DebugType type);

    std::vector<DebugType> types_;
    std::map<std::pair<Scalar::Kind, unsigned>, TypeId> numbers_;
    std::map<TypeId, TypeId> pointers_;
    TypeId three_ = no_type;
};

}  // namespace cudash::session::debug
