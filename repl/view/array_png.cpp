// PNG, by libpng.
#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "repl/view/array_files.h"
#include "repl/view/pixels.h"

namespace cudash::view {
namespace {

constexpr std::uint64_t most_pixels_across = 1'000'000;

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
            return error("wrong-type",
                         fmt::format("{} is not a number to make a shade of gray of", array.element.type));
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
    write_pixels(sink, {static_cast<unsigned>(width), static_cast<unsigned>(height), channels, pixels, {}});
    return std::nullopt;
}

Result<Loaded> read_png(std::string_view file) {
    using session::Scalar;
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    if (!png_image_begin_read_from_memory(&image, file.data(), file.size())) {
        const std::string why = image.message;
        return error("bad-file", fmt::format("it is not a PNG image: {}", why));
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
