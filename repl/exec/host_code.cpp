#include "repl/exec/host_code.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <unistd.h>
#include <unwind.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <string_view>

#include "repl/exec/call_text.h"
#include "repl/exec/own_code.h"
#include "runtime_wrappers/cudart/elf_file.h"
#include "runtime_wrappers/cudart/registration.h"

namespace cudash::exec {
namespace {

constexpr std::size_t most_frames = 64;

/// The calls that led here, without cudash's own.
struct Callers {
    std::array<std::uint64_t, most_frames> addresses{};
    std::size_t count = 0;
};
_Unwind_Reason_Code add_caller(_Unwind_Context* frame, void* data) {
    auto& callers = *static_cast<Callers*>(data);
    const std::uintptr_t address = _Unwind_GetIP(frame) - 1;  // it returns to behind the call
    if (callers.count > 0 || !is_own(address)) callers.addresses[callers.count++] = address;
    return callers.count == callers.addresses.size() ? _URC_END_OF_STACK : _URC_NO_REASON;
}

/// Headers of the toolkit and of the system, and what nvcc writes between: what called them is of interest.
bool is_foreign(std::string_view file) {
    return file.starts_with("/usr/") || file.find("/targets/") != std::string_view::npos ||
           file.find("/include/crt/") != std::string_view::npos || file.starts_with("/tmp/tmpxft_") ||
           file.ends_with(".stub.c");
}

/// What kernel<<<...>>>(...) calls: it has the line of the kernel, and the launch is meant.
bool is_launch_stub(std::string_view mangled) {
    return mangled.find("__device_stub__") != std::string_view::npos || cudart::registered_code().has_kernel(mangled);
}

/// Of an inlined function; empty where it has none.
std::string_view linkage_name(Dwarf_Die& scope) {
    Dwarf_Attribute attribute;
    for (const unsigned name : {DW_AT_linkage_name, DW_AT_name})
        if (dwarf_attr_integrate(&scope, name, &attribute))
            if (const char* text = dwarf_formstring(&attribute)) return text;
    return {};
}

session::CodePlace place_in(const char* file, int line) {
    session::CodePlace place;
    place.file = file ? file : "";
    place.line = static_cast<unsigned>(std::max(line, 0));
    place.own = line > 0 && !is_foreign(place.file);
    return place;
}

}  // namespace

HostCode::HostCode() {
    const auto program = cudart::ElfFile::open("/proc/self/exe");
    has_lines_ = program && program->has_section(".debug_line");
}

HostCode::~HostCode() {
    if (modules_) dwfl_end(modules_);
}

void HostCode::open() {
    static char* no_folder = nullptr;
    static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_linux_proc_find_elf,
                                             .find_debuginfo = dwfl_standard_find_debuginfo,
                                             .section_address = nullptr,
                                             .debuginfo_path = &no_folder};
    opened_ = true;
    modules_ = dwfl_begin(&callbacks);
    if (!modules_) return;
    dwfl_report_begin(modules_);
    if (dwfl_linux_proc_report(modules_, getpid()) == 0 && dwfl_report_end(modules_, nullptr, nullptr) == 0) return;
    dwfl_end(modules_);
    modules_ = nullptr;
}

const std::vector<session::CodePlace>& HostCode::places_of(std::uint64_t address) {
    const auto [entry, is_new] = known_.try_emplace(address);
    std::vector<session::CodePlace>& places = entry->second;
    if (!is_new) return places;
    if (!opened_) open();
    Dwfl_Module* const module = modules_ ? dwfl_addrmodule(modules_, address) : nullptr;
    Dwfl_Line* const line = module ? dwfl_module_getsrc(module, address) : nullptr;
    if (!line) return places;
    // The system's libraries have lines where their debug symbols are installed.
    const char* library = nullptr;
    dwfl_module_info(module, nullptr, nullptr, nullptr, nullptr, nullptr, &library, nullptr);
    const std::string_view path = library ? library : "";
    if (is_foreign(path) && path.find(".so") != std::string_view::npos) return places;
    int number = 0;
    const char* const file = dwfl_lineinfo(line, nullptr, &number, nullptr, nullptr, nullptr);
    places.push_back(place_in(file, number));

    // What was inlined: DWARF says where each was called.
    Dwarf_Addr bias = 0;
    Dwarf_Die* const unit = dwfl_module_addrdie(module, address, &bias);
    Dwarf_Die* scopes = nullptr;
    Dwarf_Files* files = nullptr;
    const int count = unit ? dwarf_getscopes(unit, address - bias, &scopes) : 0;
    if (unit && dwarf_getsrcfiles(unit, &files, nullptr) != 0) files = nullptr;
    for (int i = 0; files && i < count; ++i) {
        if (dwarf_tag(&scopes[i]) != DW_TAG_inlined_subroutine) continue;
        places.back().own &= !is_launch_stub(linkage_name(scopes[i]));
        Dwarf_Attribute attribute;
        Dwarf_Word at_file = 0, at_line = 0;
        if (dwarf_formudata(dwarf_attr(&scopes[i], DW_AT_call_file, &attribute), &at_file) != 0 ||
            dwarf_formudata(dwarf_attr(&scopes[i], DW_AT_call_line, &attribute), &at_line) != 0)
            continue;
        places.push_back(place_in(dwarf_filesrc(files, at_file, nullptr, nullptr), static_cast<int>(at_line)));
    }
    std::free(scopes);
    const char* const function = dwfl_module_addrname(module, address);
    places.back().own &= !function || !is_launch_stub(function);
    return places;
}

std::optional<session::CodePlace> HostCode::own_place(std::span<const std::uint64_t> addresses) {
    if (!has_lines_) return std::nullopt;
    const std::lock_guard lock(mutex_);
    for (const std::uint64_t address : addresses)
        for (const session::CodePlace& place : places_of(address))
            if (place.own) return place;
    return std::nullopt;
}

api::CallPlace HostCode::place_of_call() {
    api::CallPlace result;
    // No other thread is the program's own caller.
    if (!api::frame_of_call()) return result;
    result.launch = result.discarded = cudart::is_launching();
    if (!has_lines_) return result;
    Callers callers;
    _Unwind_Backtrace(&add_caller, &callers);
    const auto place = own_place(std::span(callers.addresses).first(callers.count));
    if (!place) return result;
    if (!result.launch) static_cast<api::CallText&>(result) = call_text_at(place->file, place->line);
    result.where = {place->file, place->line, 0};
    return result;
}

}  // namespace cudash::exec
