#include "repl/session/clang/line_table.h"

#include <algorithm>
#include <filesystem>

#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/ExecutionEngine/JITLink/JITLink.h"
#include "llvm/ExecutionEngine/Orc/Debugging/DebugInfoSupport.h"
#include "llvm/ExecutionEngine/Orc/Shared/MemoryFlags.h"

namespace cudash::session {
namespace {

/// A cell is to clang a file in the current folder.
std::string as_written(const std::string& path) {
    std::error_code ignored;
    const std::string folder = std::filesystem::current_path(ignored).string() + "/";
    return path.starts_with(folder) ? path.substr(folder.size()) : path;
}

LLVM_ENABLE_BITMASK_ENUMS_IN_NAMESPACE();

using Kind = llvm::DILineInfoSpecifier::FileLineInfoKind;

/// Of a header's code that was inlined, the call in the student's own code that led there.
llvm::DILineInfo own_line(llvm::DWARFContext& debug, std::uint64_t address, const llvm::DILineInfo& inner,
                          const LineTable& table) {
    const auto is_own = [&](const llvm::DILineInfo& each) {
        return each.Line != 0 && !table.is_foreign(each.FileName);
    };
    if (is_own(inner)) return inner;
    const llvm::DIInliningInfo frames = debug.getInliningInfoForAddress(
        {address, llvm::object::SectionedAddress::UndefSection}, {Kind::AbsoluteFilePath});
    for (std::uint32_t i = 1; i < frames.getNumberOfFrames(); ++i)
        if (is_own(frames.getFrame(i))) return frames.getFrame(i);
    return inner;
}

void read_lines(llvm::jitlink::LinkGraph& graph, LineTable& table) {
    using llvm::orc::MemProt;
    auto context = llvm::orc::createDWARFContext(graph);
    if (!context) return llvm::consumeError(context.takeError());
    llvm::DWARFContext& debug = *context->first;
    // By block, as not every function of a cell's own has a symbol here.
    for (const llvm::jitlink::Section& section : graph.sections()) {
        if ((section.getMemProt() & MemProt::Exec) == MemProt::None) continue;
        for (const llvm::jitlink::Block* block : section.blocks()) {
            const std::uint64_t begin = block->getAddress().getValue();
            std::vector<LineTable::Row> rows;
            for (const auto& [address, inner] :
                 debug.getLineInfoForAddressRange({begin, llvm::object::SectionedAddress::UndefSection},
                                                  block->getSize(), {Kind::AbsoluteFilePath})) {
                if (inner.FileName.empty() || inner.FileName == llvm::DILineInfo::BadString) continue;
                const llvm::DILineInfo info = own_line(debug, address, inner, table);
                rows.push_back({address, table.number_of(info.FileName), info.Line, info.Column});
            }
            if (!rows.empty()) table.add(begin, begin + block->getSize(), std::move(rows));
        }
    }
    for (const llvm::jitlink::Symbol* symbol : graph.defined_symbols())
        if (symbol->hasName() && symbol->getName().contains("__device_stub__"))
            table.add_stub(symbol->getAddress().getValue(), symbol->getAddress().getValue() + symbol->getSize());
}

class Watcher : public llvm::orc::ObjectLinkingLayer::Plugin {
public:
    explicit Watcher(std::shared_ptr<LineTable> table) : table_(std::move(table)) {}
    void modifyPassConfig(llvm::orc::MaterializationResponsibility&, llvm::jitlink::LinkGraph&,
                          llvm::jitlink::PassConfiguration& passes) override {
        passes.PrePrunePasses.push_back(llvm::orc::preserveDebugSections);
        passes.PostFixupPasses.push_back([table = table_](llvm::jitlink::LinkGraph& graph) {
            read_lines(graph, *table);
            return llvm::Error::success();
        });
    }
    llvm::Error notifyFailed(llvm::orc::MaterializationResponsibility&) override { return llvm::Error::success(); }
    llvm::Error notifyRemovingResources(llvm::orc::JITDylib&, llvm::orc::ResourceKey) override {
        return llvm::Error::success();
    }
    void notifyTransferringResources(llvm::orc::JITDylib&, llvm::orc::ResourceKey, llvm::orc::ResourceKey) override {}

private:
    std::shared_ptr<LineTable> table_;
};

}  // namespace

void LineTable::watch(CellLinker& linker, const std::shared_ptr<LineTable>& table) {
    linker.add_plugin(std::make_shared<Watcher>(table));
}

std::uint32_t LineTable::number_of(const std::string& file) {
    const std::lock_guard lock(mutex_);
    const auto [found, is_new] = numbers_.emplace(file, files_.size());
    if (is_new) files_.push_back(as_written(file));
    return found->second;
}

void LineTable::add(std::uint64_t begin, std::uint64_t end, std::vector<Row> rows) {
    std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.address < b.address; });
    const std::lock_guard lock(mutex_);
    blocks_[begin] = {end, std::move(rows)};
}

void LineTable::add_stub(std::uint64_t begin, std::uint64_t end) {
    const std::lock_guard lock(mutex_);
    stubs_[begin] = end;
}

bool LineTable::is_foreign(const std::string& file) const {
    return file.starts_with("/usr/") || file.starts_with('<') || file.find("/share/") != std::string::npos ||
           (!system_folder_.empty() && file.starts_with(system_folder_));
}

std::optional<CodePlace> LineTable::find(std::uint64_t address) const {
    const std::lock_guard lock(mutex_);
    auto block = blocks_.upper_bound(address);
    if (block == blocks_.begin()) return std::nullopt;
    --block;
    if (address >= block->second.end) return std::nullopt;
    const std::vector<Row>& rows = block->second.rows;
    auto row = std::upper_bound(rows.begin(), rows.end(), address,
                                [](std::uint64_t at, const Row& each) { return at < each.address; });
    if (row == rows.begin()) return std::nullopt;
    --row;
    auto stub = stubs_.upper_bound(address);
    const bool in_stub = stub != stubs_.begin() && address < (--stub)->second;
    const std::string& file = files_[row->file];
    // Line 0 is code that belongs to no line.
    return CodePlace{file, row->line, row->column, row->line != 0 && !in_stub && !is_foreign(file), in_stub};
}

}  // namespace cudash::session
