// Arrays as files.
#include <doctest/doctest.h>

#include <cstring>

#include "repl/view/array_files.h"

using namespace cudash;
using namespace cudash::view;
using session::Scalar;

namespace {

template <class T>
Array array_of(std::vector<T> values, std::vector<std::uint64_t> extent, std::vector<Scalar> scalars) {
    Array array;
    array.element = {"T", sizeof(T), std::move(scalars)};
    array.extent = std::move(extent);
    array.stride.assign(array.extent.size(), sizeof(T));
    for (std::size_t i = array.extent.size() - 1; i-- > 0;) array.stride[i] = array.stride[i + 1] * array.extent[i + 1];
    array.first.assign(array.extent.size(), 0);
    array.read = [values](std::uint64_t offset, std::span<std::byte> to) {
        std::memcpy(to.data(), reinterpret_cast<const std::byte*>(values.data()) + offset, to.size());
        return true;
    };
    return array;
}

std::string written(std::optional<Diagnostic> (*write)(const Array&, const Sink&), const Array& array) {
    std::string file;
    const auto problem = write(array, [&](std::string_view bytes) {
        file += bytes;
        return true;
    });
    CHECK_FALSE(problem);
    return file;
}

const std::vector<Scalar> float_scalar = {{Scalar::Kind::floating, 4, 0, {}}};
const std::vector<Scalar> byte_scalar = {{Scalar::Kind::unsigned_integer, 1, 0, {}}};

}  // namespace

TEST_CASE("npy: written and read again") {
    const auto array = array_of<float>({1, 2, 3, 4, 5, 6.5f}, {2, 3}, float_scalar);
    const std::string file = written(write_npy, array);
    CHECK(file.substr(0, 6) == "\x93NUMPY");
    CHECK(file.find("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }") == 10);
    CHECK((file.size() - 24) % 64 == 0);
    const auto loaded = read_npy(file);
    REQUIRE(loaded);
    CHECK(loaded->extent == std::vector<std::uint64_t>{2, 3});
    double values[2];
    const session::Element doubles{"double", 8, {{Scalar::Kind::floating, 8, 0, {}}}};
    CHECK(convert(*loaded, 5, doubles, reinterpret_cast<std::byte*>(&values[0])));
    CHECK(values[0] == 6.5);
    const std::string one = written(write_npy, array_of<float>({1, 2}, {2}, float_scalar));
    CHECK(one.find("'shape': (2,), }") != std::string::npos);
}

TEST_CASE("npy: structs") {
    struct Pair {
        float x;
        int n;
    };
    const std::string file = written(
        write_npy, array_of<Pair>({{1, 2}}, {1},
                                  {{Scalar::Kind::floating, 4, 0, "x"}, {Scalar::Kind::signed_integer, 4, 4, "n"}}));
    CHECK(file.find("'descr': [('x', '<f4'), ('n', '<i4')]") != std::string::npos);
    struct Point {
        float x, y;
    };
    const std::string uniform =
        written(write_npy, array_of<Point>({{1, 2}, {3, 4}}, {2},
                                           {{Scalar::Kind::floating, 4, 0, "x"}, {Scalar::Kind::floating, 4, 4, "y"}}));
    CHECK(uniform.find("'shape': (2, 2), }") != std::string::npos);
    const auto opaque = array_of<int>({1}, {1}, {{Scalar::Kind::opaque, 4, 0, {}}});
    CHECK(write_npy(opaque, [](std::string_view) { return true; }));
}

TEST_CASE("npy: what is no such file is refused") {
    const std::string good = written(write_npy, array_of<float>({1, 2}, {2}, float_scalar));
    CHECK_FALSE(read_npy(""));
    CHECK_FALSE(read_npy("\x93NUMPY"));
    CHECK_FALSE(read_npy(good.substr(0, good.size() - 1)));
    CHECK_FALSE(read_npy(good.substr(0, 40)));
    std::string other = good;
    other.replace(other.find("<f4"), 3, ">f4");
    CHECK_FALSE(read_npy(other));
    other = good;
    other.replace(other.find("(2,)"), 4, "(9e9");
    CHECK_FALSE(read_npy(other));
    other = good;
    other.replace(other.find("False"), 5, "True ");
    CHECK_FALSE(read_npy(other));
}

TEST_CASE("csv: written and read again") {
    const auto array = array_of<float>({1, 0.1f, 3, -4}, {2, 2}, float_scalar);
    const std::string file = written(write_csv, array);
    CHECK(file == "1,0.1\n3,-4\n");
    const auto loaded = read_csv(file);
    REQUIRE(loaded);
    CHECK(loaded->extent == std::vector<std::uint64_t>{2, 2});
    float value = 0;
    CHECK(convert(*loaded, 1, {"float", 4, float_scalar}, reinterpret_cast<std::byte*>(&value)));
    CHECK(value == 0.1f);
    CHECK(read_csv("1; 2\n\n3; nan\r\n"));
    CHECK(read_csv("true,false\n"));
    CHECK_FALSE(read_csv("1,2\n3\n"));
    CHECK_FALSE(read_csv("1,x\n"));
    CHECK_FALSE(read_csv("\n"));
}

TEST_CASE("png: written and read again") {
    const auto grey = array_of<unsigned char>({0, 64, 128, 255}, {2, 2}, byte_scalar);
    const auto loaded = read_png(written(write_png, grey));
    REQUIRE(loaded);
    CHECK(loaded->extent == std::vector<std::uint64_t>{2, 2});
    CHECK(loaded->bytes == std::string("\x00\x40\x80\xff", 4));
    // Other numbers go from their least, black, to their most.
    const auto scaled = read_png(written(write_png, array_of<float>({-1, 0, 1, 1}, {2, 2}, float_scalar)));
    REQUIRE(scaled);
    CHECK(scaled->bytes == std::string("\x00\x80\xff\xff", 4));
    struct Colour {
        unsigned char r, g, b;
    };
    const auto colour = read_png(written(write_png, array_of<Colour>({{1, 2, 3}, {4, 5, 6}}, {1, 2},
                                                                     {{Scalar::Kind::unsigned_integer, 1, 0, "x"},
                                                                      {Scalar::Kind::unsigned_integer, 1, 1, "y"},
                                                                      {Scalar::Kind::unsigned_integer, 1, 2, "z"}})));
    REQUIRE(colour);
    CHECK(colour->extent == std::vector<std::uint64_t>{1, 2, 3});
    CHECK(colour->bytes == "\x01\x02\x03\x04\x05\x06");
    CHECK(write_png(array_of<float>({1, 2}, {2}, float_scalar), [](std::string_view) { return true; }));
    CHECK_FALSE(read_png("nonsense"));
    CHECK_FALSE(read_png(std::string_view("\x89PNG\r\n\x1a\n", 8)));
}

TEST_CASE("png: a sink that is full ends the writing") {
    const auto grey = array_of<unsigned char>(std::vector<unsigned char>(4096, 7), {64, 64}, byte_scalar);
    int calls = 0;
    CHECK_FALSE(write_png(grey, [&](std::string_view) { return ++calls < 3; }));
    CHECK(calls == 3);
}
