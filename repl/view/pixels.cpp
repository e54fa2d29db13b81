// PNG, by libpng.
#include "repl/view/pixels.h"

#include <png.h>

#include <algorithm>
#include <csetjmp>

namespace cudash::view {
namespace {

void write_to_sink(png_structp png, png_bytep bytes, png_size_t size) {
    const auto& sink = *static_cast<const Sink*>(png_get_io_ptr(png));
    if (!sink({reinterpret_cast<const char*>(bytes), size})) png_error(png, "the file takes no more");
}

void no_flush(png_structp) {}

[[noreturn]] void fail(png_structp png, png_const_charp) {
    longjmp(*png_set_longjmp_fn(png, longjmp, sizeof(jmp_buf)), 1);
}
void ignore(png_structp, png_const_charp) {}

/// Nothing with a destructor lives in here: libpng leaves by longjmp.
bool write_rows(const Sink& sink, const Pixels& pixels, const png_color* palette, int colors) {
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, fail, ignore);
    png_infop info = png ? png_create_info_struct(png) : nullptr;
    if (!info) {
        png_destroy_write_struct(&png, nullptr);
        return false;
    }
    if (setjmp(png_jmpbuf(png))) {
        png_destroy_write_struct(&png, &info);
        return false;
    }
    constexpr int kinds[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGBA};
    png_set_write_fn(png, const_cast<Sink*>(&sink), write_to_sink, no_flush);
    png_set_IHDR(png, info, pixels.width, pixels.height, 8,
                 colors > 0 ? PNG_COLOR_TYPE_PALETTE : kinds[pixels.channels - 1], PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    if (colors > 0) png_set_PLTE(png, info, palette, colors);
    png_write_info(png, info);
    const std::size_t row = std::size_t{pixels.width} * static_cast<unsigned>(pixels.channels);
    for (unsigned y = 0; y < pixels.height; ++y) png_write_row(png, pixels.bytes.data() + y * row);
    png_write_end(png, nullptr);
    png_destroy_write_struct(&png, &info);
    return true;
}

}  // namespace

bool write_pixels(const Sink& sink, const Pixels& pixels) {
    std::vector<png_color> palette;
    for (const auto& color : pixels.palette) palette.push_back({color[0], color[1], color[2]});
    return write_rows(sink, pixels, palette.data(), static_cast<int>(palette.size()));
}

std::string png_of(const Pixels& pixels) {
    std::string file;
    const bool written = write_pixels(
        [&](std::string_view bytes) {
            file += bytes;
            return true;
        },
        pixels);
    return written ? file : std::string();
}

}  // namespace cudash::view
