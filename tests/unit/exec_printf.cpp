// printf of device code against C's printf, and where hardware prints something else.
#include <doctest/doctest.h>

#include <bit>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "runtime_wrappers/virtual_gpu/exec/device_printf.h"

namespace {

using cudash::virtual_gpu::count_printf_arguments;
using cudash::virtual_gpu::unlike_c;

/// Packs values as NVRTC does.
class Buffer {
public:
    template <class T>
    Buffer& operator<<(T value) {
        bytes_.resize((bytes_.size() + sizeof(T) - 1) / sizeof(T) * sizeof(T) + sizeof(T));
        std::memcpy(bytes_.data() + bytes_.size() - sizeof(T), &value, sizeof(T));
        return *this;
    }
    std::string format(std::string_view text) const {
        const auto read = [](std::uint64_t address) -> std::optional<std::string> {
            if (address == 0x1000) return "device text";
            return std::nullopt;
        };
        return cudash::virtual_gpu::format_device_printf(text, bytes_, read);
    }

private:
    std::vector<std::byte> bytes_;
};

template <class... Values>
std::string by_libc(const char* format, Values... values) {
    char text[512];
    return std::string(text, static_cast<std::size_t>(std::snprintf(text, sizeof text, format, values...)));
}

}  // namespace

TEST_CASE("integers take 4 or 8 bytes by their size letters") {
    for (const int value : {0, 1, -1, 42, 300, -70000, std::numeric_limits<int>::min()}) {
        for (const char* format : {"%d", "%i", "%5d|", "%-8d|", "%+d", "% d", "%08d", "%.4d", "%x", "%#X", "%o", "%#o",
                                   "%u", "%hd", "%hu", "%hx", "%12.6d", "%c"}) {
            CHECK((Buffer() << value).format(format) == by_libc(format, value));
        }
    }
    const long long wide = -1234567890123456789;
    for (const char* format : {"%ld", "%lld", "%lu", "%llx", "%30lld|"}) {
        CHECK((Buffer() << wide).format(format) == by_libc(format, wide));
    }
}

TEST_CASE("reals") {
    for (const double value : {0.0, -0.0, 1.5, -3.14159e10, 1e-300, 1e300, std::numeric_limits<double>::infinity()}) {
        for (const char* format :
             {"%f", "%e", "%E", "%g", "%G", "%a", "%A", "%F", "%10.3f|", "%-12.1e|", "%+g", "%#g", "%.0f"}) {
            CHECK((Buffer() << value).format(format) == by_libc(format, value));
        }
    }
}

TEST_CASE("arguments are aligned to their size") {
    const Buffer buffer = Buffer() << 7 << 2.5 << 8 << 9 << std::uint64_t{1} << 'x';
    CHECK(buffer.format("%d %g %d %d %llu") == "7 2.5 8 9 1");
}

TEST_CASE("strings, pointers and percent signs") {
    CHECK((Buffer() << std::uint64_t{0x1000}).format("[%s]") == "[device text]");
    CHECK((Buffer() << std::uint64_t{0x1000}).format("[%15s]") == "[    device text]");
    CHECK((Buffer() << std::uint64_t{0x1000}).format("[%-8.3s]") == "[dev     ]");
    CHECK((Buffer() << std::uint64_t{0}).format("%s") == "(null)");
    CHECK((Buffer() << std::uint64_t{0x2000}).format("%s") == "(no string at 0x2000)");
    CHECK((Buffer() << std::uint64_t{0x7f0012345600}).format("%p") == "0x7f0012345600");
    CHECK((Buffer() << std::uint64_t{0}).format("%p") == "(nil)");
    CHECK(Buffer().format("100%% of %%d") == "100% of %d");
    CHECK((Buffer() << 0).format("a%cb") == std::string("a\0b", 3));
}

TEST_CASE("width from an argument") {
    CHECK((Buffer() << 6 << 42).format("%*d|") == "    42|");
    CHECK((Buffer() << -6 << 42).format("%*d|") == "42    |");
    CHECK((Buffer() << std::numeric_limits<int>::min() << 1).format("%*d").size() == 65535);
    CHECK((Buffer() << 1).format("%999999999999d").size() == 65535);
}

TEST_CASE("conversions that C knows and hardware doesn't") {
    // Recorded on an H200.
    CHECK((Buffer() << std::uint64_t{123}).format("[%zu]") == "[%zu]");
    CHECK((Buffer() << 7l << 8l << 9l).format("[%zd] [%td] [%jd]") == "[%zd] [%td] [%jd]");
    CHECK((Buffer() << 1.5).format("[%Lf]") == "[%Lf]");
    CHECK((Buffer() << 2 << 3.14159).format("[%.*f]") == "[%.*f]");
    CHECK((Buffer() << 8 << 3 << 2.71828).format("[%*.*f]") == "[%*.*f]");
    CHECK((Buffer() << 5).format("%q %d") == "% 5");
    CHECK((Buffer() << 300).format("[%hhd]") == "[91]");
    CHECK((Buffer() << 511 << 70000 << 511).format("[%hhu] [%hu] [%hhx]") == "[255] [9563] [25]");
    // They take no argument.
    CHECK((Buffer() << 5).format("%zu %d") == "%zu 5");
    CHECK((Buffer() << 5).format("%.*f %d") == "%.*f 5");
    for (const char* format : {"%zu", "%5td", "%jx", "%Lf", "%.*f", "%*.*f", "%hhd"})
        CHECK(unlike_c(std::string("100%, %d, ") + format) == format);
    for (const char* format : {"%d %ld %lld %hd %*d %s %p %c", "100%", "%z", "%y", "%.*"})
        CHECK(unlike_c(format).empty());
}

TEST_CASE("what printf does not know is printed as it stands") {
    CHECK((Buffer() << 1).format("%y %d") == "%y 1");
    CHECK((Buffer() << 1).format("%n%d") == "%n1");
    CHECK((Buffer() << 1).format("%d %d %s") == "1 %d %s");
    CHECK(Buffer().format("%") == "%");
    CHECK(Buffer().format("50%") == "50%");
    CHECK(Buffer().format("%-08.3l") == "%-08.3l");
    CHECK(Buffer().format(std::string_view("%\0d", 3)) == std::string("%\0d", 3));
}

TEST_CASE("printf returns the number of its arguments") {
    CHECK(count_printf_arguments("no arguments, 100%%") == 0);
    CHECK(count_printf_arguments("%d %s %5.2f") == 3);
    CHECK(count_printf_arguments("%*d %y %zu %.*f %") == 2);
}
