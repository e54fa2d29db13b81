#include <fmt/format.h>

#include <random>

#include "tests/fuzz/differential/kernel.h"
#include "tests/fuzz/differential/patterns.h"

namespace cudash::fuzz {
namespace {

/// Random numbers that are the same everywhere: the distributions of <random> are not.
class Dice {
public:
    explicit Dice(std::uint64_t seed) : engine_(seed * 0x9e3779b97f4a7c15u + 1) {}
    std::size_t below(std::size_t bound) { return static_cast<std::size_t>((engine_() >> 17) % bound); }
    bool one_in(std::size_t chances) { return below(chances) == 0; }
    std::uint64_t bits() { return engine_(); }
    template <class List>
    std::string_view pick(const List& list) {
        return list[below(std::size(list))];
    }

private:
    std::mt19937_64 engine_;
};

constexpr unsigned variables_of_a_kind = 3;  // u0, u1, u2, l0, ...
constexpr unsigned deepest_expression = 3, deepest_nesting = 3;
constexpr std::string_view literals[] = {"0u",          "1u",          "2u",          "5u",
                                         "31u",         "0xffffffffu", "255u",        "0x80000000u",
                                         "0x7fffffffu", "0x7f800001u", "0x12345678u", "1000003u"};

const PatternTable& table_of(char kind) {
    switch (kind) {
        case 'l':
            return long_patterns;
        case 'f':
            return float_patterns;
        case 'd':
            return double_patterns;
        case 'h':
            return half_patterns;
        case 'c':
            return condition_patterns;
        case 'v':
            return uniform_patterns;
        default:
            return word_patterns;
    }
}

class Generator {
public:
    explicit Generator(std::uint64_t seed) : dice_(seed) { kernel_.seed = seed; }

    Kernel run() {
        choose_shape();
        whole_warps_ = kernel_.block.x * kernel_.block.y * kernel_.block.z % 32 == 0;
        for (char name : {'a', 'c'})
            kernel_.functions += fmt::format(
                "__device__ __noinline__ unsigned helper_{}_{}(unsigned u0, float f0) {{\n"
                "    unsigned u1 = u0 ^ {}, u2 = 3u;\n    float f1 = f0, f2 = 0.25f;\n    {}\n    {}\n    {}\n"
                "    return u0 + u1 + bits_of(f0) + bits_of(f1 + f2);\n}}\n",
                name, kernel_.seed, literal(), in_function("$U = $p;"), in_function("$F = $q;"),
                in_function("for (unsigned i = 0; i < u0 % 5u; ++i) { $U += $p + i; }"));
        kernel_.functions += fmt::format(
            "__device__ __noinline__ unsigned long long helper_b_{}(unsigned long long l0, unsigned u0, unsigned* "
            "local) {{\n    unsigned u1 = local[u0 % 8u], u2 = (unsigned)l0;\n    {}\n    local[u1 % 8u] ^= u2;\n"
            "    return l0 * 3u + u0 + (unsigned long long)u2 * u1;\n}}\n",
            kernel_.seed, in_function("if (u0 & 1u) { $U = $p; } else { $U = $p; }"));
        Context context;
        kernel_.body = block(context, 6 + dice_.below(10));
        return std::move(kernel_);
    }

private:
    struct Context {
        bool uniform = true;     ///< all threads of the block are here
        bool may_leave = false;  ///< the innermost loop may be left by some threads only
        unsigned nesting = 0, loops = 0;
    };

    void choose_shape() {
        constexpr Dim3 blocks[] = {{32, 1, 1}, {64, 1, 1}, {128, 1, 1}, {256, 1, 1}, {16, 16, 1}, {8, 4, 4},
                                   {32, 4, 1}, {33, 1, 1}, {50, 1, 1},  {7, 9, 1},   {5, 5, 5},   {100, 1, 1}};
        constexpr Dim3 grids[] = {{1, 1, 1}, {2, 1, 1}, {5, 1, 1}, {3, 2, 1}, {2, 2, 2}, {1, 4, 1}, {1, 1, 3}};
        kernel_.block = blocks[dice_.below(std::size(blocks))];
        kernel_.grid = grids[dice_.below(std::size(grids))];
    }

    std::string literal() { return std::string(dice_.pick(literals)); }

    std::string expression(char kind, unsigned depth) {
        if (kind == 'k') return literal();
        const PatternTable& table = table_of(kind);
        const bool leaf = depth == 0 || dice_.one_in(5);
        return expand(table.entries[dice_.below(leaf ? table.leaves : table.size())], leaf ? 0 : depth - 1);
    }

    /// Operands are drawn from left to right: the same on every compiler.
    std::string expand(std::string_view pattern, unsigned depth) {
        std::string text;
        for (std::size_t i = 0; i < pattern.size(); ++i) {
            if (pattern[i] != '$') {
                text += pattern[i];
                continue;
            }
            const char kind = pattern[++i];
            if (kind >= 'a') {
                text += expression(kind, depth);
            } else {
                text += static_cast<char>(kind - 'A' + 'a');
                text += std::to_string(dice_.below(variables_of_a_kind));
            }
        }
        return text;
    }

    /// Functions have few variables and no memory: $p is an expression of 32 bits of these only, $q a float one.
    std::string in_function(std::string_view pattern) {
        constexpr std::string_view words[] = {"($U * $U + $k)",      "($U ^ ($U >> ($U & 31u)))",
                                              "__brev($U - $U)",     "(unsigned)__popc($U | $k)",
                                              "($U > $U ? $U : $k)", "__umulhi($U, $k)"};
        constexpr std::string_view floats[] = {"($F * $F)",      "($F + $F)",     "fmaf($F, $F, $F)",
                                               "(float)(int)$U", "fminf($F, $F)", "($F / $F)"};
        std::string text;
        for (std::size_t i = 0; i < pattern.size(); ++i) {
            const char kind = pattern[i] == '$' ? pattern[i + 1] : '\0';
            if (kind == 'p' || kind == 'q') {
                text += kind == 'p' ? dice_.pick(words) : dice_.pick(floats);
                ++i;
            } else {
                text += pattern[i];
            }
        }
        return expand(text, 0);
    }

    std::string line(std::string_view pattern) {
        std::string text = expand(pattern, 1 + dice_.below(deepest_expression));
        for (const char* name : {"helper_a", "helper_b", "helper_c"})
            for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += 9)
                text.insert(at + 8, fmt::format("_{}", kernel_.seed));
        return text;
    }

    std::vector<Statement> block(const Context& context, std::size_t count) {
        std::vector<Statement> statements;
        for (std::size_t i = 0; i < count; ++i) statements.push_back(statement(context));
        return statements;
    }

    Statement statement(const Context& context) {
        const std::size_t chance = dice_.below(100);
        if (context.nesting < deepest_nesting) {
            if (chance < 12) return branch(context);
            if (chance < 22 && context.loops < 2) return loop(context);
            if (chance < 27) return choice(context);
        }
        if (chance < 50 && context.uniform) {
            if (whole_warps_ && dice_.one_in(4)) return {line(dice_.pick(whole_warp_patterns)), {}};
            return {line(dice_.pick(collective_patterns)), {}};
        }
        if (chance < 58) return {line(dice_.pick(atomic_patterns)), {}};
        if (chance < 64 && context.may_leave)
            return {line(dice_.one_in(2) ? "if ($c) break;" : "if ($c) continue;"), {}};
        if (chance < 69) return {line(dice_.pick(row_patterns)), {}};
        return {line(dice_.pick(simple_patterns)), {}};
    }

    std::size_t body_size() { return 1 + dice_.below(4); }

    Statement branch(Context inner) {
        const bool agreed = inner.uniform && dice_.one_in(3);
        inner.uniform = inner.uniform && agreed;
        ++inner.nesting;
        Statement made;
        made.arms.push_back({line(agreed ? "if ($v & 1u)" : "if ($c)"), {}});
        made.arms.back().body = block(inner, body_size());
        if (dice_.one_in(2)) {
            made.arms.push_back({"else", {}});
            made.arms.back().body = block(inner, body_size());
        }
        return made;
    }

    Statement loop(Context inner) {
        const bool agreed = inner.uniform && !dice_.one_in(3);
        inner.uniform = inner.uniform && agreed;
        inner.may_leave = !agreed;
        ++inner.nesting;
        ++inner.loops;
        const std::string counter = fmt::format("i{}", inner.loops);
        const std::string bound = agreed ? line("$v % 4u + 1u") : line("$u % 7u");
        Statement made;
        made.arms.push_back({fmt::format("for (unsigned {0} = 0; {0} < {1}; ++{0})", counter, bound), {}});
        made.arms.back().body = block(inner, body_size());
        made.arms.back().body.push_back({line("$U += $U * " + counter + " + $u;"), {}});
        return made;
    }

    /// A switch; some cases fall through.
    Statement choice(Context inner) {
        inner.uniform = false;
        ++inner.nesting;
        const std::size_t cases = 2 + dice_.below(6);
        Statement made;
        for (std::size_t i = 0; i < cases; ++i) {
            std::string head = i == 0 ? line(fmt::format("switch ($u % {}u) {{ ", cases)) : std::string();
            if (i > 0 && !dice_.one_in(4)) head += "break; ";
            head += i + 1 == cases ? std::string("default:") : fmt::format("case {}:", i);
            made.arms.push_back({std::move(head), {}});
            made.arms.back().body = block(inner, 1 + dice_.below(2));
        }
        made.text = "}";
        return made;
    }

    Dice dice_;
    Kernel kernel_;
    bool whole_warps_ = true;
};

void write(std::string& text, const std::vector<Statement>& statements, unsigned depth) {
    const std::string indent(4 * depth, ' ');
    for (const Statement& statement : statements) {
        for (const Statement::Arm& arm : statement.arms) {
            text += fmt::format("{}{} {{\n", indent, arm.head);
            write(text, arm.body, depth + 1);
            text += indent + "}\n";
        }
        if (!statement.text.empty()) text += indent + statement.text + "\n";
    }
}

}  // namespace

Kernel generate(std::uint64_t seed) {
    return Generator(seed).run();
}

std::string render(const Kernel& kernel) {
    std::string text = kernel.functions;
    text += fmt::format(
        "extern \"C\" __global__ void {}(const unsigned* {}in, unsigned long long* out, void* totals, "
        "Parameters parameters) {{\n",
        kernel.name(), kernel.seed % 2 ? "__restrict__ " : "");
    text += R"(    __shared__ unsigned shared[1024], bins[16];
    unsigned* const totals32 = (unsigned*)totals;
    unsigned long long* const totals64 = (unsigned long long*)totals;
    const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
    const unsigned tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    const unsigned block_number = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    const unsigned number = block_number * threads + tid, lane = tid & 31u;
    const unsigned warp_lanes = min(32u, threads - (tid & ~31u));
    const unsigned warp_mask = 0xffffffffu >> (32u - warp_lanes);
    unsigned u0 = in[number % 4096u], u1 = number * 2654435761u, u2 = parameters.words[tid % 5u];
    unsigned long long l0 = ((unsigned long long)u1 << 32) | u0, l1 = number, l2 = ~0ull / (tid + 1u);
    float f0 = __uint_as_float(in[(number * 3u + 1u) % 4096u]), f1 = (float)(int)u1, f2 = 1.0f / (float)(lane + 1u);
    double d0 = parameters.number, d1 = (double)(int)u0 * 0x1p-20, d2 = (double)f2;
    half_bits h0 = canonical_half(u0), h1 = parameters.halves[lane % 3u], h2 = (half_bits)(0x3c00u + lane);
    unsigned local[8] = {u0, u1, u2, tid, lane, number, threads, block_number};
    shared[tid] = u1;
    if (tid < 16u) bins[tid] = tid * 3u;
    __syncthreads();
)";
    write(text, kernel.body, 1);
    text += R"(    for (unsigned i = 0; i < 8u; ++i) u2 = u2 * 31u + local[i];
    ulonglong2* const results = (ulonglong2*)out + number * 2u;
    results[0] = make_ulonglong2((unsigned long long)u0 << 32 | u1, l0 ^ (l1 * 3u) ^ (l2 << 7) ^ u2);
    results[1] = make_ulonglong2(((unsigned long long)bits_of(f0) << 32 | bits_of(f1)) + bits_of(f2) * 3ull,
                                 long_bits_of(d0) + long_bits_of(d1) * 5u + long_bits_of(d2) * 7u +
                                     h0 + h1 * 65537ull + h2 * 4294967311ull);
}
)";
    return text;
}

std::vector<std::uint32_t> inputs(const Kernel& kernel) {
    constexpr std::uint32_t edges[] = {0,          1,          0xffffffff, 0x80000000, 0x7fffffff, 0x3f800000,
                                       0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x00000001, 0x007fffff,
                                       0x00800000, 0x4b000000, 0x4f000000, 0x7ff00000};
    Dice dice(~kernel.seed);
    std::vector<std::uint32_t> words(input_words);
    for (std::uint32_t& word : words) {
        const std::size_t kind = dice.below(8);
        const std::uint64_t bits = dice.bits();
        if (kind == 0) {
            word = edges[bits % std::size(edges)];
        } else if (kind < 3) {
            word = static_cast<std::uint32_t>(bits % 1000);
        } else if (kind < 6) {  // a float of moderate size
            word = static_cast<std::uint32_t>((bits & 0x807fffff) | (117 + bits % 21) << 23);
        } else {
            word = static_cast<std::uint32_t>(bits >> 32);
        }
    }
    return words;
}

std::vector<std::uint64_t> first_totals() {
    std::vector<std::uint64_t> totals(total_words);
    totals[0] = 0xffffffff'00000000;  // a minimum in the upper half
    totals[1] = 0xffffffff'80000000;  // a signed maximum, and
    totals[7] = 0x7fffffff'ffffffff;  // a signed minimum
    return totals;
}

Parameters parameters(const Kernel& kernel) {
    Dice dice(kernel.seed ^ 0x5555555555555555u);
    Parameters made;
    made.byte = static_cast<std::uint8_t>(dice.bits());
    made.number = static_cast<double>(static_cast<std::int32_t>(dice.bits())) / 1024.0;
    for (std::uint16_t& half : made.halves) half = static_cast<std::uint16_t>(0x3000 + dice.below(0x2000));
    for (std::uint32_t& word : made.words) word = static_cast<std::uint32_t>(dice.bits());
    return made;
}

}  // namespace cudash::fuzz
