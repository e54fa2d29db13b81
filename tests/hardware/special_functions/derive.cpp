// Finds the tables of the special function unit from what a GPU computes for whole octaves: derive FOLDER
//
// FOLDER has what `record --dense FOLDER` writes: FUNCTION_OCTAVE files, the 2^23 results of the operands from the
// octave's first, as 32-bit words. Prints runtime_wrappers/virtual_gpu/isa/special_function_tables.h. README.md has the
// method.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace {

using Word = std::uint32_t;
using Wide = std::int64_t;

constexpr int point = 50;  ///< values are whole numbers of 2^-50 here

/// One result: where in the segment its operand lies, and between which values the unit's sum must be.
struct Sample {
    int rest;
    Wide low, high;
};

struct Place {
    int segment = -1;  ///< below zero: this operand says nothing
    int rest = 0;
};

struct Function {
    const char* name;
    std::vector<Word> octaves;
    int segments;
    int rest_bits;
    int unit;                 ///< sums are whole numbers of 2^-unit
    int step0, step1, step2;  ///< what c0, c1, c2 are multiples of, as powers of two of that unit
    Wide bias;                ///< added to c0
    std::function<Place(Word)> place;
    double scale = 1, offset = 0;  ///< result = sum * scale + offset
};

float number(Word bits) {
    return std::bit_cast<float>(bits);
}
Word bits_of(float value) {
    return std::bit_cast<Word>(value);
}

/// The unit's square of a 17-bit number as a multiple of 2^-15 of the greatest: the partial products below are left
/// out.
Word truncated_square(Word x) {
    std::uint64_t sum = 0;
    for (int i = 0; i < 17; ++i) {
        for (int j = 0; j <= i; ++j) {
            const int weight = i == j ? 2 * i : i + j + 1;
            if (weight >= 19 && (x >> i & 1) != 0 && (x >> j & 1) != 0) sum += std::uint64_t{1} << weight;
        }
    }
    return static_cast<Word>(sum >> 19);
}

const std::vector<Word>& squares() {
    static const std::vector<Word> all = [] {
        std::vector<Word> made(1 << 17);
        for (Word x = 0; x < made.size(); ++x) made[x] = truncated_square(x);
        return made;
    }();
    return all;
}

/// a * b, rounded toward zero.
float product_toward_zero(float a, float b) {
    const double exact = static_cast<double>(a) * static_cast<double>(b);
    const float near = static_cast<float>(exact);
    return std::fabs(static_cast<double>(near)) > std::fabs(exact) ? number(bits_of(near) - 1) : near;
}

Place place_in_octave(Word operand, int segment_bits) {
    const int rest_bits = 23 - segment_bits;
    const Word mantissa = operand & 0x7FFFFF;
    return {static_cast<int>(mantissa >> rest_bits), static_cast<int>(mantissa & ((1u << rest_bits) - 1))};
}
Place place_in_two_octaves(Word operand) {
    Place place = place_in_octave(operand, 6);
    place.segment += (operand >> 23 & 1) != 0 ? 0 : 64;
    return place;
}
/// The reciprocal roots of powers of four are exact, and say nothing of the table.
Place place_in_roots(Word operand) {
    return operand == 0x3F800000 ? Place{} : place_in_two_octaves(operand);
}
/// Sines of the first quarter turn; an operand is multiplied by 1 / (2 pi) first, and cut to multiples of 2^-25 turns.
Place place_in_quarter(Word operand) {
    const float turns = product_toward_zero(number(operand), 0x1.45f306p-3f);
    const Wide parts = static_cast<Wide>(std::ldexp(static_cast<double>(turns), 25));
    if (parts == 0 || parts >= 1 << 23) return {};
    return {static_cast<int>(parts >> 17), static_cast<int>(parts & 0x1FFFF)};
}
constexpr int tanh_segment_bits[] = {0, 0, 0, 1, 1, 2, 2, 2, 3, 4, 3};  // of the octaves from 2^-8
Place place_in_tanh(Word operand) {
    const int octave = static_cast<int>(operand >> 23) - 119;
    int first = 0;
    for (int i = 0; i < octave; ++i) first += 1 << tanh_segment_bits[i];
    const int parts = static_cast<int>((operand & 0x7FFFFF) >> (6 - tanh_segment_bits[octave]));
    return {first + (parts >> 17), parts & 0x1FFFF};
}

std::vector<Word> octaves(Word first, Word last) {
    std::vector<Word> all;
    for (Word each = first; each <= last; each += 0x800000) all.push_back(each);
    return all;
}

std::vector<Function> functions() {
    const auto in_64 = [](Word operand) { return place_in_octave(operand, 6); };
    return {
        {"rcp", {0x3F800000}, 128, 16, 39, 13, 0, 0, 2023, [](Word operand) { return place_in_octave(operand, 7); }},
        {"rsqrt", octaves(0x3F800000, 0x40000000), 128, 17, 40, 14, 0, 2, -1, place_in_roots},
        {"sqrt", octaves(0x3F800000, 0x40000000), 128, 17, 40, 15, 0, 1, -1, place_in_two_octaves},
        {"lg2", {0x40000000}, 64, 17, 38, 12, 0, 1, 837, in_64, 1, 1},
        {"ex2", {0x3F800000}, 64, 17, 38, 13, 0, 0, 6114, in_64, 2},
        {"sin", octaves(0x3B800000, 0x3F800000), 64, 17, 37, 11, 0, 0, 0, place_in_quarter},
        {"tanh", octaves(0x3B800000, 0x40800000), 51, 17, 39, 15, 0, 1, 0, place_in_tanh},
    };
}

std::vector<std::vector<Sample>> samples_of(const Function& function, const std::string& folder) {
    std::vector<std::vector<Sample>> segments(static_cast<std::size_t>(function.segments));
    for (const Word octave : function.octaves) {
        char name[64];
        std::snprintf(name, sizeof name, "/%s_%08x", function.name, octave);
        std::ifstream file(folder + name, std::ios::binary);
        std::vector<Word> results(1 << 23);
        if (!file.read(reinterpret_cast<char*>(results.data()), 4 << 23)) {
            std::fprintf(stderr, "can't read %s%s\n", folder.c_str(), name);
            std::exit(1);
        }
        for (Word i = 0; i < results.size(); ++i) {
            const Place place = function.place(octave + i);
            if (place.segment < 0) continue;
            const float result = number(results[i]), next = number(results[i] + 1);
            const auto whole = [&](float value) {
                return static_cast<Wide>(
                    std::ldexp((static_cast<double>(value) - function.offset) / function.scale, point));
            };
            segments[static_cast<std::size_t>(place.segment)].push_back({place.rest, whole(result), whole(next) - 1});
        }
    }
    return segments;
}

struct Coefficients {
    Wide c0_low = std::numeric_limits<Wide>::min(), c0_high = std::numeric_limits<Wide>::max();  ///< in 2^-50
    Wide c1 = 0, c2 = 0;                                                                         ///< in 2^-unit
};

/// Between which values c0 must be, that all samples come out right.
Coefficients bounds(const Function& function, const std::vector<Sample>& samples, Wide c1, Wide c2) {
    Coefficients found;
    found.c1 = c1, found.c2 = c2;
    const int shift = point - function.unit, spread = 17 - function.rest_bits;
    for (const Sample& sample : samples) {
        const Wide square = squares()[static_cast<std::size_t>(sample.rest) << spread];
        const Wide part = (c1 * sample.rest + c2 * square) * (Wide{1} << shift);
        found.c0_low = std::max(found.c0_low, sample.low - part);
        found.c0_high = std::min(found.c0_high, sample.high - part);
    }
    return found;
}

/// Slope and curvature of the samples by least squares, in the centre of the segment.
void fit_parabola(const Function& function, const std::vector<Sample>& samples, double& slope, double& curvature) {
    double sums[3][4] = {};
    const double size = std::ldexp(1.0, function.rest_bits);
    const Wide origin = samples.front().low;
    for (const Sample& sample : samples) {
        const double t = (2.0 * sample.rest + 1) / size - 1, powers[3] = {1, t, t * t};
        const double y = 0.5 * (static_cast<double>(sample.low - origin) + static_cast<double>(sample.high - origin));
        for (int a = 0; a < 3; ++a) {
            for (int b = 0; b < 3; ++b) sums[a][b] += powers[a] * powers[b];
            sums[a][3] += powers[a] * y;
        }
    }
    for (int a = 0; a < 3; ++a) {
        for (int b = 0; b < 3; ++b) {
            if (a == b) continue;
            const double share = sums[b][a] / sums[a][a];
            for (int c = 0; c < 4; ++c) sums[b][c] -= share * sums[a][c];
        }
    }
    const double to_unit = std::ldexp(1.0, function.unit - point);
    slope = sums[1][3] / sums[1][1] * 2 / size * to_unit;
    curvature = sums[2][3] / sums[2][2] * 4 * to_unit;
}

bool fits(const Function& function, const Coefficients& found, Wide& c0) {
    const Wide step = Wide{1} << (function.step0 + point - function.unit);
    const Wide bias = function.bias * (Wide{1} << (point - function.unit));
    const Wide first = found.c0_low - bias + step - 1;
    c0 = (first >= 0 ? first / step : -((-first + step - 1) / step));
    return c0 * step + bias <= found.c0_high;
}

Coefficients solve(const Function& function, const std::vector<Sample>& samples, int segment, Wide& c0) {
    double slope = 0, curvature = 0;
    fit_parabola(function, samples, slope, curvature);
    const double step1 = std::ldexp(1.0, function.step1), step2 = std::ldexp(1.0, function.step2);
    const double near2 = curvature / 32768;
    for (const int a : {0, 1, -1, 2, -2}) {
        const double c2 = (std::round(near2 / step2) + a) * step2;
        const double near1 = slope - c2 * 32768 / std::ldexp(1.0, function.rest_bits);
        for (const int b : {0, 1, -1, 2, -2}) {
            const double c1 = (std::round(near1 / step1) + b) * step1;
            const Coefficients found = bounds(function, samples, static_cast<Wide>(c1), static_cast<Wide>(c2));
            if (fits(function, found, c0)) return found;
        }
    }
    std::fprintf(stderr, "%s, segment %d: nothing fits (c1 near %g, c2 near %g)\n", function.name, segment, slope,
                 near2);
    std::exit(1);
}

void print_numbers(const std::vector<Wide>& numbers) {
    std::string line = "    {";
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const std::string number = std::to_string(numbers[i]) + (i + 1 < numbers.size() ? "," : "},");
        if (line.size() + 1 + number.size() > 120) {
            std::puts(line.c_str());
            line = "     " + number;
        } else {
            line += (line.back() == '{' ? "" : " ") + number;
        }
    }
    std::puts(line.c_str());
}

}  // namespace

int main(int count, char** arguments) {
    if (count < 2) {
        std::fprintf(stderr, "derive FOLDER [ABOUT]: what record --dense wrote there, and which GPU it was\n");
        return 2;
    }
    std::printf(
        "// The tables of the special function unit, as tests/hardware/special_functions/derive finds them: c0, c1 and "
        "c2 by\n"
        "// segment. special_function_unit.h says what they mean.\n// Measured on %s.\n"
        "// clang-format off\n#pragma once\n\n#include <cstdint>\n\nnamespace cudash::virtual_gpu::semantics {\n\n"
        "template <int Segments>\nstruct SpecialFunctionTable {\n    std::int32_t c0[Segments], c1[Segments], "
        "c2[Segments];\n};\n",
        count > 2 ? arguments[2] : "an H200");
    for (const Function& function : functions()) {
        const auto segments = samples_of(function, arguments[1]);
        std::vector<Wide> all0, all1, all2;
        for (int i = 0; i < function.segments; ++i) {
            Wide c0 = 0;
            const Coefficients found = solve(function, segments[static_cast<std::size_t>(i)], i, c0);
            all0.push_back(c0), all1.push_back(found.c1), all2.push_back(found.c2);
        }
        std::printf("\ninline constexpr SpecialFunctionTable<%d> %s_table{\n", function.segments, function.name);
        print_numbers(all0), print_numbers(all1), print_numbers(all2);
        std::puts("};");
    }
    std::puts("\n}  // namespace cudash::virtual_gpu::semantics\n// clang-format on");
}
