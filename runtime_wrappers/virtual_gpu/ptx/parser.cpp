#include "runtime_wrappers/virtual_gpu/ptx/parser.h"

#include <array>
#include <charconv>
#include <limits>
#include <utility>

#include "runtime_wrappers/virtual_gpu/ptx/body.h"
#include "runtime_wrappers/virtual_gpu/ptx/debug_info.h"
#include "runtime_wrappers/virtual_gpu/ptx/token_reader.h"
#include "runtime_wrappers/virtual_gpu/ptx/variables.h"

namespace cudash::ptx {
namespace {

// Performance-tuning and cluster directives of a function (PTX ISA 11.4, 11.7), by the shape of what follows.
struct ListDirective {
    std::string_view name;
    std::vector<std::uint32_t> Function::*values;
};
constexpr std::array<ListDirective, 3> list_directives{{{"maxntid", &Function::maxntid},
                                                        {"reqntid", &Function::reqntid},
                                                        {"reqnctapercluster", &Function::reqnctapercluster}}};
struct NumberDirective {
    std::string_view name;
    std::optional<std::uint32_t> Function::*value;  // null: says nothing to the virtual GPU
};
constexpr std::array<NumberDirective, 6> number_directives{{{"minnctapersm", &Function::minnctapersm},
                                                            {"maxnctapersm", nullptr},
                                                            {"maxnreg", &Function::maxnreg},
                                                            {"maxclusterrank", &Function::maxclusterrank},
                                                            {"abi_preserve", nullptr},
                                                            {"abi_preserve_control", nullptr}}};
struct FlagDirective {
    std::string_view name;
    bool Function::*flag;  // null: as above
};
constexpr std::array<FlagDirective, 3> flag_directives{{{"noreturn", &Function::is_noreturn},
                                                        {"explicitcluster", &Function::is_explicit_cluster},
                                                        {"blocksareclusters", nullptr}}};

class ModuleParser {
public:
    explicit ModuleParser(std::string_view text) : reader_(text) {}

    Result<Module> parse() {
        if (!parse_header()) return reader_.error();
        while (reader_.peek().kind != Token::Kind::end) {
            if (!parse_item()) return reader_.error();
        }
        debug_.resolve_names(module_);
        return std::move(module_);
    }

private:
    /// .version, .target and .address_size (PTX ISA 11.1).
    bool parse_header() {
        if (!reader_.accept_dotted("version")) return reader_.fail_expected(".version at the beginning of the module");
        const std::string_view version = reader_.peek().text;
        const char* last = version.data() + version.size();
        const auto [dot, major_status] = std::from_chars(version.data(), last, module_.version_major);
        if (major_status != std::errc() || dot == last || *dot != '.')
            return reader_.fail_expected("a version like 9.0");
        const auto [end, minor_status] = std::from_chars(dot + 1, last, module_.version_minor);
        if (minor_status != std::errc() || end != last) return reader_.fail_expected("a version like 9.0");
        reader_.take();

        if (!reader_.accept_dotted("target")) return reader_.fail_expected(".target after .version");
        if (!reader_.expect_word(module_.target, "a target like sm_90")) return false;
        while (reader_.accept(',')) {
            std::string option;  // debug, texmode_independent: nothing that changes what code does here
            if (!reader_.expect_word(option, "a target option")) return false;
        }
        if (!reader_.accept_dotted("address_size")) return true;
        return reader_.expect_integer(module_.address_size, "an address size");
    }

    bool parse_item() {
        if (reader_.accept(';')) return true;
        if (reader_.accept_dotted("file")) return debug_.parse_file(reader_, module_);
        if (reader_.accept_dotted("section")) return debug_.parse_section(reader_);
        if (reader_.accept_dotted("pragma")) return skip_pragma(reader_);
        if (reader_.accept_dotted("alias")) return parse_alias();

        const unsigned line = reader_.line();
        Variable linkage;
        while (parse_linkage(linkage)) {
        }
        if (reader_.accept_dotted("entry")) return parse_function(linkage, true, line);
        if (reader_.accept_dotted("func")) return parse_function(linkage, false, line);
        if (begins_variable(reader_.peek())) return parse_variables(reader_, linkage, module_.variables);
        return reader_.fail_expected("a function or a variable");
    }

    bool parse_linkage(Variable& linkage) {
        if (reader_.accept_dotted("extern")) return linkage.is_extern = true;
        if (reader_.accept_dotted("visible")) return linkage.is_visible = true;
        if (reader_.accept_dotted("weak")) return linkage.is_weak = true;
        if (reader_.accept_dotted("common")) return linkage.is_common = true;
        return false;
    }

    bool parse_alias() {
        Alias& alias = module_.aliases.emplace_back();
        return reader_.expect_word(alias.name, "a function's name") && reader_.expect(',', "after the alias") &&
               reader_.expect_word(alias.target, "a function's name") && reader_.expect(';', "after .alias");
    }

    bool parse_function(const Variable& linkage, bool is_entry, unsigned line) {
        Function& function = module_.functions.emplace_back();
        debug_.begin_function();
        function.is_entry = is_entry;
        function.is_extern = linkage.is_extern;
        function.is_visible = linkage.is_visible;
        function.is_weak = linkage.is_weak;
        function.location.ptx_line = line;
        if (!parse_directives(function)) return false;
        if (reader_.peek().is('(') && !parse_parameters(reader_, function.results)) return false;
        if (!reader_.expect_word(function.name, "a function's name")) return false;
        if (reader_.peek().is('(') && !parse_parameters(reader_, function.parameters)) return false;
        if (!parse_directives(function)) return false;
        if (reader_.accept(';')) return true;
        if (!reader_.expect('{', "or ';' after the function's head")) return false;
        function.has_body = true;
        return parse_body(reader_, function, debug_);
    }

    bool parse_directives(Function& function) {
        while (reader_.peek().kind == Token::Kind::dotted) {
            if (!parse_directive(function)) return false;
        }
        return true;
    }

    bool parse_directive(Function& function) {
        for (const ListDirective& directive : list_directives) {
            if (!reader_.accept_dotted(directive.name)) continue;
            std::vector<std::uint32_t>& values = function.*directive.values;
            values.clear();
            do {
                if (values.size() == 3) return reader_.fail("at most three dimensions may be given");
                if (!reader_.expect_integer(values.emplace_back(), "a number")) return false;
            } while (reader_.accept(','));
            return true;
        }
        for (const NumberDirective& directive : number_directives) {
            if (!reader_.accept_dotted(directive.name)) continue;
            std::uint32_t value = 0;
            if (!reader_.expect_integer(value, "a number")) return false;
            if (directive.value != nullptr) function.*directive.value = value;
            return true;
        }
        for (const FlagDirective& directive : flag_directives) {
            if (!reader_.accept_dotted(directive.name)) continue;
            if (directive.flag != nullptr) function.*directive.flag = true;
            return true;
        }
        if (reader_.accept_dotted("pragma")) return skip_pragma(reader_);
        if (reader_.accept_dotted("attribute")) return skip_attribute();
        return reader_.fail_expected("a directive of a function");
    }

    /// `(.unified(1, 2))` of a function: which of several GPUs' copies has which address; there is one here.
    bool skip_attribute() {
        if (!reader_.expect('(', "after .attribute")) return false;
        for (int depth = 1; depth > 0;) {
            if (reader_.peek().kind == Token::Kind::end) return reader_.fail_expected("')' after .attribute");
            const Token token = reader_.take();
            depth += token.is('(') - token.is(')');
        }
        return true;
    }

    TokenReader reader_;
    DebugInfo debug_;
    Module module_;
};

}  // namespace

Result<Module> parse(std::string_view text) {
    return ModuleParser(text).parse();
}

}  // namespace cudash::ptx
