// What lies behind a C++ object as arrays go: the elements that a pointer, an array or a container stands for.
#pragma once

#include <optional>

#include "clang/AST/ASTContext.h"
#include "repl/session/clang/value_reader.h"
#include "repl/session/host_object.h"

namespace cudash::session {

class ObjectReader {
public:
    ObjectReader(clang::ASTContext& context, ReadMemory read) : context_(context), read_(std::move(read)) {}

    /// `type` without reference. Nullopt if memory that it needs can't be read.
    std::optional<HostObject> object(clang::QualType type, std::uint64_t address) const;
    Element element(clang::QualType type) const;

private:
    std::optional<HostObject> behind_pointer(HostObject object, clang::QualType pointee, std::uint64_t at) const;
    std::optional<HostObject> record(HostObject object, const clang::RecordType& type) const;
    void add_dimensions(HostObject& object, clang::QualType type) const;
    void flatten(clang::QualType type, std::uint32_t offset, const std::string& name,
                 std::vector<Scalar>& scalars) const;

    clang::ASTContext& context_;
    ReadMemory read_;
};

}  // namespace cudash::session
