// Where compiled host code stands: the lines that the JIT's code came from, by address. Read off the line tables that
// clang puts into each cell's object, as it is linked.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "repl/session/clang/cell_linker.h"
#include "repl/session/code_place.h"

namespace cudash::session {

class LineTable {
public:
    /// `system_folder`: headers below it, and below the system's own folders, are nobody's own source.
    explicit LineTable(std::string system_folder) : system_folder_(std::move(system_folder)) {}
    /// Has the linker tell `table` of everything that it links from now on.
    static void watch(CellLinker& linker, const std::shared_ptr<LineTable>& table);

    /// The line that the instruction which holds `address` was made of.
    std::optional<CodePlace> find(std::uint64_t address) const;

    struct Row {
        std::uint64_t address;
        std::uint32_t file, line, column;
    };
    /// Adds the lines of a block of code. `file` of a row is what number_of() gave.
    void add(std::uint64_t begin, std::uint64_t end, std::vector<Row> rows);
    /// Code between these addresses only launches a kernel.
    void add_stub(std::uint64_t begin, std::uint64_t end);
    std::uint32_t number_of(const std::string& file);
    /// It is a header's of the system or of CUDA, not the student's.
    bool is_foreign(const std::string& file) const;

private:
    struct Block {
        std::uint64_t end;
        std::vector<Row> rows;
    };

    const std::string system_folder_;
    mutable std::mutex mutex_;  ///< threads of the student's may have code linked
    std::map<std::uint64_t, Block> blocks_;
    std::map<std::uint64_t, std::uint64_t> stubs_;
    std::vector<std::string> files_;
    std::map<std::string, std::uint32_t> numbers_;
};

}  // namespace cudash::session
