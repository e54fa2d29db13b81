#include "repl/session/display_api.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "repl/session/clang/include/cudash/display_array.h"
#include "repl/session/guard.h"

namespace cudash::session {
namespace {

ShowArray show_array;

constexpr std::size_t longest_text = 200;  ///< of a title; what follows is cut off

std::string text_at(const char* text) {
    return text ? std::string(text, strnlen(text, longest_text)) : std::string();
}

/// By cudash_element::kind.
constexpr std::array kinds = {Scalar::Kind::signed_integer, Scalar::Kind::unsigned_integer, Scalar::Kind::floating,
                              Scalar::Kind::brain, Scalar::Kind::boolean};

void show_described(const cudash_array* array, const void* frame) {
    if (!show_array || !array || array->element.kind >= kinds.size()) return;
    Displayed displayed;
    displayed.form = text_at(array->form);
    displayed.title = text_at(array->title);
    Located& located = displayed.located;
    located.address = reinterpret_cast<std::uint64_t>(array->data);
    located.element.type = text_at(array->element.type);
    located.element.bytes = array->element.bytes;
    constexpr std::array names = {"x", "y", "z", "w"};
    for (unsigned channel = 0; channel < std::min<std::size_t>(array->element.channels, names.size()); ++channel)
        located.element.scalars.push_back({kinds[array->element.kind], array->element.scalar_bytes,
                                           channel * array->element.scalar_bytes,
                                           array->element.channels > 1 ? names[channel] : ""});
    located.extent = {array->columns};
    located.stride = {located.element.bytes};
    if (array->rows > 1 || array->is_plane) {
        located.extent = {array->rows, array->columns};
        located.stride = {located.element.bytes * array->columns, located.element.bytes};
    }
    show_array(std::move(displayed), frame);
}

void display_array(const cudash_array* array) {
    show_described(array, __builtin_frame_address(0));
    Guard::leave_if_interrupted();
}

}  // namespace

void serve_display(ShowArray show) {
    show_array = std::move(show);
}

const void* display_function(std::string_view name) {
    return name == "cudash_display_array" ? reinterpret_cast<const void*>(&display_array) : nullptr;
}

}  // namespace cudash::session
