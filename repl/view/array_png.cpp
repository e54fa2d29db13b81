// PNG, by libpng.
#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <cmath>
#include <csetjmp>
#include <memory>

#include "repl/view/array_files.h"

namespace cudash::view {
namespace {

constexpr std::uint64_t most_pixels_across = 1'000'000;

void write_to_sink(png_structp png, png_bytep bytes, png_size_t size) {
    const auto& sink = *static_cast<const Sink*>(png_get_io_ptr(png));
    if (!sink({reinterpret_cast<const char*>(bytes), size})) png_error(png, "the file takes no more");
}

void no_flush(png_structp) {}

[[noreturn]] void fail(png_structp png, png_const_charp) {
    longjmp(*png_set_longjmp_fn(png, longjmp, sizeof(jmp_buf)), 1);
}
void ignore(png_structp, png_const_charp) {}

/// Rows of bytes, `channels` a pixel. Nothing with a destructor lives in here: libpng leaves by longjmp.
bool write_rows(const Sink& sink, unsigned width, unsigned height, int channels, const unsigned char* pixels) {
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
    png_set_IHDR(png, info, width, height, 8, kinds[channels - 1], PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    for (unsigned y = 0; y < height; ++y)
        png_write_row(png, pixels + static_cast<std::size_t>(y) * width * static_cast<unsigned>(channels));
    png_write_end(png, nullptr);
    png_destroy_write_struct(&png, &info);
    return true;
}

}  // namespace

std::optional<Diagnostic> write_png(const Array& array, const Sink& sink) {
    using session::Scalar;
    const std::uint64_t height = array.rows(), width = array.columns();
    if (array.extent.size() < 2)
        return error("wrong-shape", "an image has two dimensions", "say them: `:save p 64x64 file.png`");
    if (height > most_pixels_across || width > most_pixels_across)
        return error("wrong-shape", fmt::format("an image of {} x {} is too large for a PNG", width, height));
    const std::size_t scalars = array.element.scalars.size();
    const int channels = scalars >= 4 ? 4 : scalars == 3 ? 3 : 1;
    for (int i = 0; i < channels; ++i)
        if (scalars == 0 || array.element.scalars[static_cast<std::size_t>(i)].kind == Scalar::Kind::opaque ||
            array.element.scalars[static_cast<std::size_t>(i)].kind == Scalar::Kind::pointer)
            return error("wrong-type", fmt::format("{} is no number to make a shade of gray of", array.element.type));
    const bool bytes = array.element.scalars[0].bytes == 1;
    double least = 0, most = 255;
    if (!bytes) {
        Summary summary;
        if (!summarise(array, summary))
            return error("bad-address", "the memory can't be read: it ends before, or was freed");
        least = summary.least;
        most = summary.most;
        // Colours in floating point go from 0 to 1.
        if (channels > 1 && least >= 0 && most <= 1) least = 0, most = 1;
        if (!(most > least)) most = least + 1;
    }
    std::vector<unsigned char> pixels(height * width * static_cast<std::size_t>(channels));
    std::vector<std::byte> row;
    auto pixel = pixels.begin();
    for (std::uint64_t y = 0; y < height; ++y) {
        if (!array.read_row(y, 0, width, row))
            return error("bad-address", "the memory can't be read: it ends before, or was freed");
        for (std::uint64_t x = 0; x < width; ++x)
            for (int c = 0; c < channels; ++c) {
                const double value =
                    number(array.element.scalars[static_cast<std::size_t>(c)], row.data() + x * array.element.bytes);
                const double part = std::isfinite(value) ? std::clamp((value - least) / (most - least), 0.0, 1.0) : 0;
                *pixel++ = static_cast<unsigned char>(std::lround(part * 255));
            }
    }
    write_rows(sink, static_cast<unsigned>(width), static_cast<unsigned>(height), channels, pixels.data());
    return std::nullopt;
}

Result<Loaded> read_png(std::string_view file) {
    using session::Scalar;
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    if (!png_image_begin_read_from_memory(&image, file.data(), file.size())) {
        const std::string why = image.message;
        return error("bad-file", fmt::format("it is no PNG image: {}", why));
    }
    const bool colour = image.format & PNG_FORMAT_FLAG_COLOR, alpha = image.format & PNG_FORMAT_FLAG_ALPHA;
    image.format = colour ? alpha ? PNG_FORMAT_RGBA : PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
    Loaded loaded;
    loaded.element = {"unsigned char", 1, {{Scalar::Kind::unsigned_integer, 1, 0, {}}}};
    loaded.extent = {image.height, image.width};
    if (colour) loaded.extent.push_back(alpha ? 4 : 3);
    loaded.bytes.resize(PNG_IMAGE_SIZE(image));
    if (!png_image_finish_read(&image, nullptr, loaded.bytes.data(), 0, nullptr)) {
        const std::string why = image.message;
        return error("bad-file", fmt::format("the PNG image can't be read: {}", why));
    }
    return loaded;
}

}  // namespace cudash::view
