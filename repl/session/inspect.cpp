#include "repl/session/inspect.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "repl/session/guard.h"
#include "repl/session/inspections.h"
#include "repl/session/libraries.h"
#include "repl/session/profile_answer.h"
#include "repl/session/profile_tables.h"
#include "repl/size_text.h"
#include "runtime_wrappers/api/call_counts.h"
#include "runtime_wrappers/api/entry_points.h"

namespace cudash::session {
namespace {

namespace entry = api::entry;

Outcome show(Table table) {
    Outcome outcome;
    outcome.table = std::move(table);
    return outcome;
}

/// In place of a table without rows, `if_empty`.
Outcome show(Table table, std::string_view if_empty) {
    if (!table.rows.empty()) return show(std::move(table));
    Outcome outcome;
    outcome.text = fmt::format("{}\n", if_empty);
    return outcome;
}

std::string bytes(std::uint64_t count) {
    return bytes_text(count);
}

Outcome variables(const Inspected& session, std::string_view) {
    Table table{{"name", "type", "value", "defined in"}, {}};
    for (auto& variable : session.engine.variables(&device_address))
        table.rows.push_back({std::move(variable.name), std::move(variable.value.type), std::move(variable.value.text),
                              std::move(variable.where)});
    return show(std::move(table), "no variables yet");
}

Outcome kernels(const Inspected& session, std::string_view) {
    Table table{{"kernel", "registers", "static shared", "constant", "local", "most threads"}, {}};
    for (const KernelFact& kernel : session.unit.kernels()) {
        cudaFuncAttributes attributes{};
        const void* stub = session.engine.address(kernel.stub_symbol);
        if (!stub || entry::cudaFuncGetAttributes(&attributes, stub) != cudaSuccess) {
            table.rows.push_back({kernel.display, "does not compile", "", "", "", ""});
            continue;
        }
        table.rows.push_back({kernel.display, fmt::format("{}", attributes.numRegs), bytes(attributes.sharedSizeBytes),
                              bytes(attributes.constSizeBytes), bytes(attributes.localSizeBytes),
                              fmt::format("{}", attributes.maxThreadsPerBlock)});
    }
    return show(std::move(table), "no kernels yet: a kernel is a function with __global__ before it");
}

Outcome memory(const Inspected& session, std::string_view) {
    Table table{{"address", "bytes", "kind", "details", "from"}, {}};
    std::vector<MemoryRange> ranges;
    for (const auto& allocation : session.runtime.allocations()) {
        table.rows.push_back({fmt::format("{:#x}", allocation.address), bytes(allocation.size), allocation.kind,
                              allocation.details, allocation.origin});
        ranges.push_back({allocation.address, allocation.size, allocation.kind});
    }
    Outcome outcome = show(std::move(table), "nothing is allocated");
    outcome.memory = std::move(ranges);
    return outcome;
}

Outcome leaks(const Inspected& session, std::string_view) {
    Outcome outcome;
    outcome.diagnostics = session.runtime.leaks();
    for (Diagnostic& found : outcome.diagnostics) found.severity = Diagnostic::Severity::note;  // it is not over yet
    if (outcome.diagnostics.empty()) outcome.text = "nothing is allocated\n";
    return outcome;
}

Outcome properties(const Inspected&, std::string_view) {
    int device = 0;
    cudaDeviceProp p{};
    if (entry::cudaGetDevice(&device) != cudaSuccess || entry::cudaGetDeviceProperties(&p, device) != cudaSuccess)
        return refuse(error("no-properties", "the device does not give its properties"));
    Table table{{"property", "value"}, {}};
    const auto row = [&](std::string_view name, std::string value) {
        table.rows.push_back({std::string(name), std::move(value)});
    };
    const auto number = [&](std::string_view name, auto value) { row(name, fmt::format("{}", value)); };
    const auto size = [&](std::string_view name, std::size_t value) { row(name, bytes(value)); };
    const auto three = [&](std::string_view name, const int(&value)[3]) {
        row(name, fmt::format("{} x {} x {}", value[0], value[1], value[2]));
    };
    const auto yes = [&](std::string_view name, int value) { row(name, value ? "yes" : "no"); };
    row("name", p.name);
    row("compute capability", fmt::format("{}.{}", p.major, p.minor));
    number("multiProcessorCount", p.multiProcessorCount);
    number("warpSize", p.warpSize);
    number("maxThreadsPerBlock", p.maxThreadsPerBlock);
    number("maxThreadsPerMultiProcessor", p.maxThreadsPerMultiProcessor);
    number("maxBlocksPerMultiProcessor", p.maxBlocksPerMultiProcessor);
    three("maxThreadsDim", p.maxThreadsDim);
    three("maxGridSize", p.maxGridSize);
    number("regsPerBlock", p.regsPerBlock);
    number("regsPerMultiprocessor", p.regsPerMultiprocessor);
    size("sharedMemPerBlock", p.sharedMemPerBlock);
    size("sharedMemPerBlockOptin", p.sharedMemPerBlockOptin);
    size("sharedMemPerMultiprocessor", p.sharedMemPerMultiprocessor);
    size("reservedSharedMemPerBlock", p.reservedSharedMemPerBlock);
    size("totalConstMem", p.totalConstMem);
    size("totalGlobalMem", p.totalGlobalMem);
    size("l2CacheSize", static_cast<std::size_t>(p.l2CacheSize));
    size("persistingL2CacheMaxSize", static_cast<std::size_t>(p.persistingL2CacheMaxSize));
    size("accessPolicyMaxWindowSize", static_cast<std::size_t>(p.accessPolicyMaxWindowSize));
    size("memPitch", p.memPitch);
    size("textureAlignment", p.textureAlignment);
    size("texturePitchAlignment", p.texturePitchAlignment);
    number("memoryBusWidth", p.memoryBusWidth);
    number("asyncEngineCount", p.asyncEngineCount);
    yes("concurrentKernels", p.concurrentKernels);
    yes("canMapHostMemory", p.canMapHostMemory);
    yes("unifiedAddressing", p.unifiedAddressing);
    yes("managedMemory", p.managedMemory);
    yes("concurrentManagedAccess", p.concurrentManagedAccess);
    yes("pageableMemoryAccess", p.pageableMemoryAccess);
    yes("cooperativeLaunch", p.cooperativeLaunch);
    yes("ECCEnabled", p.ECCEnabled);
    return show(std::move(table));
}

Outcome limits(const Inspected&, std::string_view) {
    constexpr std::array rows = {
        std::pair{cudaLimitStackSize, "cudaLimitStackSize"},
        std::pair{cudaLimitPrintfFifoSize, "cudaLimitPrintfFifoSize"},
        std::pair{cudaLimitMallocHeapSize, "cudaLimitMallocHeapSize"},
        std::pair{cudaLimitMaxL2FetchGranularity, "cudaLimitMaxL2FetchGranularity"},
        std::pair{cudaLimitPersistingL2CacheSize, "cudaLimitPersistingL2CacheSize"},
    };
    Table table{{"limit", "bytes"}, {}};
    for (const auto& [limit, name] : rows) {
        std::size_t value = 0;
        if (entry::cudaDeviceGetLimit(&value, limit) == cudaSuccess) table.rows.push_back({name, bytes(value)});
    }
    return show(std::move(table));
}

/// Without a name, all of the unit; else the entry or function whose kernel's name is `kernel`.
Outcome ptx(const Inspected& session, std::string_view kernel) {
    constexpr std::string_view by_nvcc = "// compiled by nvcc: NVRTC does not take the session's device code\n";
    const auto unit = session.unit.unit({.arch = session.runtime.target().arch, .real = false});
    if (!unit) return refuse(unit.error());
    Outcome outcome;
    outcome.text = (*unit)->code;
    if (!outcome.text.ends_with('\n')) outcome.text += '\n';
    if (kernel.empty()) {
        if ((*unit)->by_nvcc) outcome.text.insert(0, by_nvcc);
        return outcome;
    }

    std::string names;
    for (const KernelFact& fact : session.unit.kernels()) {
        names += (names.empty() ? "" : ", ") + fact.display;
        if (fact.display != kernel) continue;
        const auto* symbol = session.unit.kernel(session.engine.address(fact.stub_symbol));
        if (symbol && symbol->failure) return refuse(*symbol->failure);
        const std::size_t name = outcome.text.find(".entry " + (symbol ? symbol->name : fact.mangled) + "(");
        const std::size_t end = outcome.text.find("\n}", name);
        if (name == std::string::npos || end == std::string::npos) break;
        const std::size_t begin = outcome.text.rfind('\n', name) + 1;
        outcome.text = outcome.text.substr(begin, end + 3 - begin);
        if ((*unit)->by_nvcc) outcome.text.insert(0, by_nvcc);
        return outcome;
    }
    return refuse(error("no-such-kernel", fmt::format("the session has no kernel {}", kernel),
                        names.empty() ? "define one first" : "it has " + names));
}

/// The type that a pointer points to, both as text: "float (*)[8]" leads to "float[8]".
std::string pointee(std::string text) {
    if (text.ends_with('*')) {
        text.pop_back();
        while (text.ends_with(' ')) text.pop_back();
    } else if (const std::size_t star = text.find("(*"); star != std::string::npos) {
        text.erase(star + 1, 1);
        if (text.substr(star, 2) == "()") text.erase(star, 2);
        if (text.substr(star, 1) == "[" && star > 0 && text[star - 1] == ' ') text.erase(star - 1, 1);
    }
    return text;
}

/// The type of an expression, which is not evaluated.
Outcome type(const Inspected& session, std::string_view expression) {
    const std::string head = "((__typeof__(", tail = ")*)nullptr)";
    auto compiled = session.engine.compile(":type", head + std::string(expression) + tail);
    session.unit.add(std::move(compiled.facts));
    if (!compiled.ok) {
        for (Diagnostic& diagnostic : compiled.diagnostics) {
            if (diagnostic.where.column > head.size()) diagnostic.where.column -= static_cast<unsigned>(head.size());
        }
        Outcome outcome = refuse({});
        outcome.diagnostics = std::move(compiled.diagnostics);
        return outcome;
    }
    (void)Guard::run([&] {
        for (auto* initializer : compiled.initializers) initializer();
    });
    const auto value = session.engine.take_value();
    Outcome outcome;
    outcome.text = (value ? pointee(value->type) : "") + "\n";
    return outcome;
}

Outcome check(const Inspected& session, std::string_view argument) {
    if (!argument.empty())
        if (const auto problem = session.runtime.set_check(argument)) return refuse(*problem);
    const auto checkers = session.runtime.checkers();
    Outcome outcome;
    if (!session.runtime.is_virtual())
        outcome.text =
            "a real GPU has no checkers of kernels; :check session runs the cells so far on the virtual GPU with all\n";
    outcome.table = Table{{"checker", "looks at", "finds"}, {}};
    for (const auto& row : checkers)
        outcome.table->rows.push_back({std::string(row.name),
                                       !row.on     ? "nothing"
                                       : row.whole ? "all of a launch"
                                                   : "its first accesses",
                                       std::string(row.finds)});
    return outcome;
}

Outcome profile(const Inspected& session, std::string_view request) {
    return profile_answer(session.runtime.profiler(), request, session.source);
}

/// The counters of a kernel's last launch, as exact as they are counted.
Outcome metrics(const Inspected& session, std::string_view kernel) {
    virtual_gpu::Profiler* profiler = session.runtime.profiler();
    if (!profiler) return refuse(error("needs-virtual", "kernels on a real GPU are not profiled"));
    auto table = metrics_of(*profiler, kernel);
    if (!table) return refuse(table.error());
    return show(std::move(*table));
}

/// What the launches of each kernel did, all together.
Outcome executed(const Inspected& session, std::string_view) {
    const virtual_gpu::Profiler* profiler = session.runtime.profiler();
    if (!profiler) return refuse(error("needs-virtual", "kernels on a real GPU are not profiled"));
    return show(executed_by(*profiler));
}

Outcome calls(const Inspected&, std::string_view) {
    Table table{{"function", "calls"}, {}};
    for (std::size_t i = 0; i < api::function_count; ++i) {
        const auto function = static_cast<api::Function>(i);
        if (const std::uint64_t count = api::calls_of(function); count != 0)
            table.rows.push_back({std::string(api::info(function).name), fmt::format("{}", count)});
    }
    return show(std::move(table));
}

/// The names of the cells of which all declarations were replaced by later ones, a line each.
Outcome replaced(const Inspected& session, std::string_view) {
    std::map<std::uint32_t, bool> all_replaced;
    for (const Declaration& declaration : session.unit.declarations()) {
        if (declaration.name.empty()) continue;
        const auto [at, _] = all_replaced.emplace(declaration.source, true);
        at->second = at->second && session.unit.superseded_by(declaration.id).has_value();
    }
    Outcome outcome;
    for (const auto& [source, all] : all_replaced)
        if (all) outcome.text += session.unit.sources()[source].name + "\n";
    return outcome;
}

/// Functions that code calls and none defines, with the library that each belongs to.
Outcome undefined(const Inspected& session, std::string_view) {
    Table table{{"function", "library"}, {}};
    for (const std::string& symbol : session.engine.undefined_functions()) {
        const LibraryRow* library = library_of_function(symbol);
        table.rows.push_back({symbol, library ? std::string(library->name) : std::string()});
    }
    return show(std::move(table));
}

struct Inspection {
    std::string_view name;
    Outcome (*answer)(const Inspected&, std::string_view argument);
};
constexpr std::array inspections = {
    Inspection{"vars", variables},      Inspection{"kernels", kernels},     Inspection{"mem", memory},
    Inspection{"props", properties},    Inspection{"limits", limits},       Inspection{"ptx", ptx},
    Inspection{"type", type},           Inspection{"check", check},         Inspection{"leaks", leaks},
    Inspection{"profile", profile},     Inspection{"occupancy", occupancy}, Inspection{"streams", streams},
    Inspection{"window", window},       Inspection{"sass", sass},           Inspection{"source", source},
    Inspection{"trace", trace},         Inspection{"launches", launches},   Inspection{"program", program},
    Inspection{"metrics", metrics},     Inspection{"calls", calls},         Inspection{"replaced", replaced},
    Inspection{"undefined", undefined}, Inspection{"executed", executed},
};

}  // namespace

std::string bytes_text(std::uint64_t count) {
    return count < 1024 ? fmt::format("{}", count) : fmt::format("{} ({})", count, size_text(count));
}

std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> words;
    while (true) {
        const std::size_t begin = text.find_first_not_of(" \t");
        if (begin == std::string_view::npos) return words;
        text.remove_prefix(begin);
        const std::size_t end = std::min(text.size(), text.find_first_of(" \t"));
        words.emplace_back(text.substr(0, end));
        text.remove_prefix(end);
    }
}

const void* find_kernel(const Inspected& session, std::string_view name, Outcome& outcome) {
    std::string names;
    for (const KernelFact& fact : session.unit.kernels()) {
        if (fact.display == name) return session.engine.address(fact.stub_symbol);
        names += (names.empty() ? "" : ", ") + fact.display;
    }
    outcome = refuse(error("no-such-kernel", fmt::format("the session has no kernel {}", name),
                           names.empty() ? "define one first" : "it has " + names));
    return nullptr;
}

std::uint64_t device_address(void* shadow) {
    void* address = nullptr;
    if (entry::cudaGetSymbolAddress(&address, shadow) != cudaSuccess) return 0;
    return reinterpret_cast<std::uint64_t>(address);
}

Outcome inspect(const Inspected& session, std::string_view request) {
    const std::string_view name = request.substr(0, request.find(' '));
    std::string_view argument = request.substr(name.size());
    while (argument.starts_with(' ')) argument.remove_prefix(1);
    for (const Inspection& row : inspections)
        if (row.name == name) return row.answer(session, argument);
    return refuse(error("unknown-inspection", fmt::format("a session can't be asked for {}", name)));
}

}  // namespace cudash::session
