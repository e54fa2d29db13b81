// One top-level declaration of the session, as the device unit needs to know it: where its text stands, whether device
// code must or may see it, and what it refers to. Plain data, read off clang's AST by repl/session/clang.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace cudash::session {

/// Bytes [begin, end) of a SourceText.
struct TextRange {
    std::uint32_t begin = 0, end = 0;
};

struct Declaration {
    using Id = std::uint32_t;

    enum class Role : std::uint8_t {
        device,  ///< has a device execution or memory space: device code always sees it
        shared,  ///< a type, constant, alias, template, constexpr function: seen if something seen refers to it
        host     ///< a statement, or something that device code can't use: never seen
    };

    /// A member function without a device execution space. It stays only if something seen refers to it.
    struct Member {
        Id id = 0;
        std::string name;
        TextRange range;
        TextRange body;           ///< empty if it has none here
        bool is_virtual = false;  ///< the declaration must stay (it shapes the layout); only the body goes
        std::vector<Id> uses;
        std::vector<std::string> words;
    };

    /// What it is to a program made of the session.
    enum class What : std::uint8_t { other, statement, value, variable, function };

    Id id = 0;                 ///< redeclarations of one entity share it
    std::string name;          ///< unqualified; empty for statements
    std::uint32_t file = 0;    ///< the program's translation unit that it stands in, from 1; 0: a cell
    std::uint32_t source = 0;  ///< index of its SourceText in the session
    TextRange range;
    Role role = Role::host;
    What what = What::other;
    bool is_type = false;     ///< a class, enumeration, alias, or template of one
    bool nested = false;      ///< in a namespace: it can't be moved out
    std::vector<Id> uses;     ///< the declarations that it refers to
    std::vector<Id> follows;  ///< seen whenever one of these is: specialisations, out-of-line members
    /// Identifiers that only a name can link: dependent names in templates, and text that the preprocessor skipped
    /// because the host is not the device (#ifdef __CUDA_ARCH__).
    std::vector<std::string> words;
    std::vector<Member> members;
    /// cuda/std headers that stand in for the std entities it uses, and device_runtime_header.
    std::vector<std::string> std_headers;
};

/// What declares <<<>>> and cudaXxx() for device code.
inline constexpr std::string_view device_runtime_header = "cuda_device_runtime_api.h";

/// A text that the session read: a cell, or a file that a cell included.
struct SourceText {
    /// `#include` in it, and what the device unit does with it.
    struct Include {
        enum class Kind : std::uint8_t {
            host,  ///< a header of the host's: left out
            cuda,  ///< the toolkit's: kept
            user   ///< the student's: kept, its text blanked likewise
        };
        TextRange range;  ///< from '#' to the end of the line
        Kind kind = Kind::host;
    };
    std::string name;  ///< as diagnostics name it: "cell 3" or a path
    std::string text;
    std::string include_name;  ///< as the first #include of it wrote it; empty for cells
    bool is_cell = false;
    std::uint32_t file = 0;  ///< of a cell: as a declaration's
    std::vector<Include> includes;
};
/// The number, as diagnostics give it, of the line at `offset`: a cell's own text has directives that number its lines.
unsigned line_at(const SourceText& source, std::size_t offset);

/// A __global__ function that host code can launch: a plain kernel, or an instantiation that host code used.
struct KernelFact {
    Declaration::Id id = 0;
    std::uint32_t file = 0;   ///< as a declaration's
    std::string stub_symbol;  ///< the launch stub's name in the JIT; its address is what host code passes to launches
    std::string mangled;      ///< its own name, as device code has it
    std::string display;      ///< "ns::k<4>", which is also NVRTC's name expression
    Declaration::Id instance = 0;  ///< of a template: a declaration without text that uses what its arguments name
    bool foreign = false;          ///< of a header of Thrust, CUB, ...: no declaration here has its text
    /// Of such a one: the toolkit's files that define what it is an instance of, and for. Empty if that can't be told.
    std::vector<std::string> headers = {};
};

/// A __device__, __constant__ or __managed__ variable.
struct VariableFact {
    enum class Kind : std::uint8_t { device, constant, managed };
    Declaration::Id id = 0;
    std::uint32_t file = 0;     ///< as a declaration's
    std::string shadow_symbol;  ///< the host shadow's name in the JIT
    std::string mangled;
    std::string display;
    std::uint64_t size = 0;
    Kind kind = Kind::device;
};

/// Host code reaches a __managed__ variable through a pointer that the runtime sets: its symbol is the variable's with
/// this suffix.
inline constexpr std::string_view managed_pointer_suffix = ".managed";

/// What one cell added to the session.
struct CellFacts {
    std::vector<SourceText> sources;  ///< new ones; their indices continue those of earlier cells
    std::uint32_t cell_source = 0;    ///< the index of the cell's own text
    std::vector<Declaration> declarations;
    std::vector<Declaration::Id> superseded;  ///< earlier declarations that new ones replaced
    std::vector<KernelFact> kernels;
    std::vector<VariableFact> variables;
    std::map<unsigned, unsigned> lambda_numbers;  ///< nvrtc::LambdaNumbers of its lambdas
};

}  // namespace cudash::session
