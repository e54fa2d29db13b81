// Prints a C++ value by its type, reading its bytes: what the shell shows for an expression without ';'.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "clang/AST/ASTContext.h"

namespace cudash::session {

/// Copies `bytes` bytes at `address` to a buffer, wherever they are (host, device, managed); false if they are not
/// mapped.
using ReadMemory = std::function<bool(std::uint64_t address, void* buffer, std::size_t bytes)>;
/// A few words on what a pointer points at ("device memory, 1024 bytes"), "" if nothing is known.
using DescribeAddress = std::function<std::string(std::uint64_t address)>;

class ValueReader {
public:
    ValueReader(clang::ASTContext& context, ReadMemory read, DescribeAddress describe)
        : context_(context), read_(std::move(read)), describe_(std::move(describe)) {}

    /// The value of type `type` at `address`.
    std::string text(clang::QualType type, std::uint64_t address) { return value(type, address, 0); }
    std::string type_name(clang::QualType type) const;

private:
    clang::QualType without_detours(clang::QualType type) const;
    std::string value(clang::QualType type, std::uint64_t address, int depth);
    std::string builtin(const clang::BuiltinType& type, std::uint64_t address);
    std::string pointer(clang::QualType pointee, std::uint64_t address, int depth);
    std::string enumeration(const clang::EnumType& type, std::uint64_t address);
    std::string elements(clang::QualType type, std::uint64_t address, std::uint64_t count, int depth);
    std::string record(const clang::RecordDecl& record, std::uint64_t address, int depth);
    std::string alternatives(const clang::RecordDecl& record);
    /// std::string, std::vector, std::array, std::pair...: as their users think of them; "" for other records.
    std::string short_float(const clang::RecordDecl& record, std::uint64_t address) const;
    void parts(const clang::CXXRecordDecl& record, std::uint64_t address, int depth, std::string& text);
    std::string element(clang::QualType key, clang::QualType mapped, std::uint64_t address, int depth);
    std::string tree(clang::QualType key, clang::QualType mapped, std::uint64_t address, int depth);
    std::string hash_table(clang::QualType key, clang::QualType mapped, std::uint64_t address, int depth);
    std::string library_record(const clang::CXXRecordDecl& record, std::uint64_t address, int depth);
    /// Vectors, references and pointers of Thrust: thrust_values.cpp. "": another record.
    std::string thrust_record(const clang::CXXRecordDecl& record, std::uint64_t address, int depth);
    std::string characters(std::uint64_t address, std::uint64_t length, bool to_zero);

    clang::ASTContext& context_;
    ReadMemory read_;
    DescribeAddress describe_;
};

}  // namespace cudash::session
