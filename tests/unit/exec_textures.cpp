// Texture and surface instructions as PTX: every form that ptxas takes for sm_90 and that the table allows, and faults.
#include <fmt/format.h>

#include <bit>
#include <numeric>

#include "tests/unit/exec_harness.h"

using namespace cudash;
using namespace cudash::virtual_gpu;

namespace {

/// A kernel that runs `code` in one thread; %rd1 is the first handle, %rd2 the second, and %r0 to %r7 are stored.
std::string kernel(const std::string& code) {
    std::string text = R"(.version 9.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 out) {
 .reg .b64 %rd<8>; .reg .b32 %r<16>; .reg .f32 %f<16>; .reg .b16 %h<8>; .reg .pred %p<4>;
 ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u64 %rd3, [out];
 mov.b32 %r8, 0; mov.b32 %r9, 1; mov.b32 %r10, 2; mov.b32 %r11, 4;
 mov.f32 %f8, 0f3f000000; mov.f32 %f9, 0f3fc00000; mov.f32 %f10, 0f40200000; mov.f32 %f11, 0f00000000;
)" + code;
    for (int i = 0; i < 8; ++i) text += fmt::format(" st.global.u32 [%rd3+{}], %r{};\n", 4 * i, i);
    return text + " ret;\n}\n";
}

struct Fixture {
    ImageTable images;

    /// An array of 32-bit integers 0, 1, 2, ... of the shape; x is 4 wide.
    static Image image(ImageShape shape, std::uint64_t height, std::uint64_t depth, ChannelKind kind) {
        Image made;
        made.shape = shape;
        made.format = {.kind = kind, .channels = 1, .channel_bytes = 4};
        made.levels = {{.width = 4, .height = height, .depth = depth, .pitch = 16, .slice = 16 * height}};
        made.array = ArrayStorage::create(16 * height * depth, "a test");
        auto* words = reinterpret_cast<std::uint32_t*>(made.array->bytes());
        for (std::uint32_t i = 0; i < 4 * height * depth; ++i)
            words[i] = kind == ChannelKind::floating ? std::bit_cast<std::uint32_t>(static_cast<float>(i)) : i;
        return made;
    }
    std::uint64_t texture(ImageShape shape, std::uint64_t height = 1, std::uint64_t depth = 1,
                          ChannelKind kind = ChannelKind::unsigned_integer) {
        ImageObject object;
        object.image = image(shape, height, depth, kind);
        object.sampler.normalized_coordinates = false;
        for (AddressMode& axis : object.sampler.address) axis = AddressMode::clamp;
        return images.add(std::move(object));
    }
    std::uint64_t surface(ImageShape shape, std::uint64_t height = 1, std::uint64_t depth = 1) {
        ImageObject object;
        object.kind = ImageObject::Kind::surface;
        object.image = image(shape, height, depth, ChannelKind::unsigned_integer);
        return images.add(std::move(object));
    }

    LaunchOutcome launch(const std::string& code, std::uint64_t a, std::uint64_t b = 0) {
        testing::Gpu gpu(kernel(code));
        auto [address, values] = gpu.array<std::uint32_t>(8);
        std::vector<std::byte> parameters(24);
        for (auto [offset, value] : {std::pair{0, a}, {8, b}, {16, address}})
            std::memcpy(&parameters[static_cast<std::size_t>(offset)], &value, 8);
        LaunchRequest request;
        request.module = gpu.module;
        request.kernel = "k";
        request.grid = request.block = {1, 1, 1};
        request.parameters = parameters;
        request.images = &images;
        LaunchOutcome outcome = gpu.executor->run(request, gpu.profile, gpu.limits, {});
        std::copy(values.begin(), values.end(), results.begin());
        return outcome;
    }
    void check(const std::string& code, std::uint64_t a, std::vector<std::uint32_t> expected, std::uint64_t b = 0) {
        INFO(code);
        const LaunchOutcome outcome = launch(code, a, b);
        const std::string why = outcome.diagnostics.empty() ? std::string() : outcome.diagnostics.front().message;
        INFO(why);
        REQUIRE(outcome.status == LaunchStatus::ok);
        for (std::size_t i = 0; i < expected.size(); ++i) CHECK(results[i] == expected[i]);
    }
    std::string refusal(const std::string& code, std::uint64_t a, std::uint64_t b = 0) {
        const LaunchOutcome outcome = launch(code, a, b);
        REQUIRE(outcome.diagnostics.size() == 1);
        return outcome.diagnostics.front().code;
    }
    std::array<std::uint32_t, 8> results{};
};

const std::string four = "{%r0, %r1, %r2, %r3}";

}  // namespace

TEST_CASE_FIXTURE(Fixture, "tex: every geometry, by coordinate and by index") {
    const std::uint64_t d1 = texture(ImageShape::d1), linear = texture(ImageShape::linear),
                        d2 = texture(ImageShape::d2, 3), d3 = texture(ImageShape::d3, 3, 2),
                        a1d = texture(ImageShape::a1d, 1, 3), a2d = texture(ImageShape::a2d, 3, 2),
                        cube = texture(ImageShape::cube, 4, 6), acube = texture(ImageShape::acube, 4, 12);
    for (const char* type : {"u32", "s32"}) {
        const std::string head = "tex.", mid = fmt::format(".v4.{}", type);
        check(head + "1d" + mid + ".f32 " + four + ", [%rd1, {%f10}];", d1, {2, 0, 0, 0});
        check(head + "1d" + mid + ".s32 " + four + ", [%rd1, {%r10}];", linear, {2});
        check(head + "1d" + mid + ".s32 " + four + ", [%rd1, %r10];", linear, {2});
        check(head + "1d" + mid + ".s32 " + four + ", [%rd1, {3}];", linear, {3});
        check(head + "1d" + mid + ".s32 " + four + ", [%rd1, {%r11}];", linear, {0, 0, 0, 0});
        check(head + "1d" + mid + ".s32 " + four + ", [%rd1, {3}];", d1, {0, 0, 0, 0});
        check(head + "2d" + mid + ".f32 " + four + ", [%rd1, {%f10, %f9}];", d2, {6});
        check(head + "2d" + mid + ".s32 " + four + ", [%rd1, {%r10, %r9}];", d2, {6});
        check(head + "3d" + mid + ".f32 " + four + ", [%rd1, {%f10, %f9, %f9, %f9}];", d3, {18});
        check(head + "3d" + mid + ".s32 " + four + ", [%rd1, {%r10, %r9, %r9, %r9}];", d3, {18});
        check(head + "a1d" + mid + ".f32 " + four + ", [%rd1, {%r10, %f9}];", a1d, {9});
        check(head + "a1d" + mid + ".s32 " + four + ", [%rd1, {%r10, %r9}];", a1d, {9});
        check(head + "a2d" + mid + ".f32 " + four + ", [%rd1, {%r9, %f10, %f9, %f9}];", a2d, {18});
        check(head + "a2d" + mid + ".s32 " + four + ", [%rd1, {%r9, %r10, %r9, %r9}];", a2d, {18});
        check(head + "cube" + mid + ".f32 " + four + ", [%rd1, {%f11, %f11, %f9, %f9}];", cube, {4 * 16 + 10});
        check(head + "acube" + mid + ".f32 " + four + ", [%rd1, {%r9, %f11, %f11, %f9}];", acube, {10 * 16 + 10});
    }
}

TEST_CASE_FIXTURE(Fixture, "tex: levels, gradients, offsets, residency, sinks") {
    const std::uint64_t d1 = texture(ImageShape::d1), d2 = texture(ImageShape::d2, 3),
                        d3 = texture(ImageShape::d3, 3, 2);
    check("tex.base.2d.v4.u32.f32 " + four + ", [%rd1, {%f8, %f9}];", d2, {4});
    check("tex.level.2d.v4.u32.f32 " + four + ", [%rd1, {%f8, %f9}], %f10;", d2, {4});
    check("tex.level.2d.v4.u32.s32 " + four + ", [%rd1, {%r8, %r9}], %r8;", d2, {4});
    check("tex.level.2d.v4.u32.s32 " + four + ", [%rd1, {%r8, %r9}], %r9;", d2, {0, 0, 0, 0});
    check("tex.grad.1d.v4.u32.f32 " + four + ", [%rd1, {%f9}], {%f8}, {%f8};", d1, {1});
    check("tex.grad.2d.v4.u32.f32 " + four + ", [%rd1, {%f8, %f9}], {%f8, %f8}, {%f8, %f8};", d2, {4});
    check("tex.grad.3d.v4.u32.f32 " + four +
              ", [%rd1, {%f8, %f9, %f8, %f8}], {%f8, %f8, %f8, %f8}, {%f8, %f8, %f8, %f8};",
          d3, {4});
    check("tex.1d.v4.u32.f32 " + four + ", [%rd1, {%f8}], %r10;", d1, {2});
    check("tex.1d.v4.u32.f32 " + four + ", [%rd1, {%f8}], {1};", d1, {1});
    check("tex.2d.v4.u32.f32 " + four + ", [%rd1, {%f8, %f8}], {%r10, %r9};", d2, {6});
    check("tex.2d.v4.u32.s32 " + four + ", [%rd1, {%r8, %r8}], {%r10, %r9};", d2, {6});
    check("tex.level.2d.v4.u32.f32 " + four + ", [%rd1, {%f8, %f8}], %f11, {%r10, %r9};", d2, {6});
    check("tex.2d.v4.u32.f32 " + four + "|%p1, [%rd1, {%f10, %f9}]; selp.u32 %r7, 1, 0, %p1;", d2,
          {6, 0, 0, 0, 0, 0, 0, 1});
    check("tex.2d.v4.u32.f32 {%r0, _, _, %r1}, [%rd1, {%f10, %f9}];", d2, {6, 0});
}

TEST_CASE_FIXTURE(Fixture, "tex: 16-bit results") {
    const std::uint64_t d1 = texture(ImageShape::d1, 1, 1, ChannelKind::floating);
    check("tex.1d.v4.f16.f32 {%h0, %h1, %h2, %h3}, [%rd1, {%f10}]; cvt.u32.u16 %r0, %h0; cvt.u32.u16 %r1, %h3;", d1,
          {0x4000, 0});
    check("tex.1d.v2.f16x2.f32 {%r0, %r1}, [%rd1, {%f10}];", d1, {0x00004000, 0});
    check("tex.1d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%rd1, {%f9}]; mov.b32 %r0, %f0;", d1, {0x3F800000});
}

TEST_CASE_FIXTURE(Fixture, "tld4") {
    const std::uint64_t d2 = texture(ImageShape::d2, 3), a2d = texture(ImageShape::a2d, 3, 2);
    check("mov.f32 %f1, 0f40000000; tld4.r.2d.v4.u32.f32 " + four + ", [%rd1, {%f1, %f1}];", d2, {9, 10, 6, 5});
    check("mov.f32 %f1, 0f40000000; tld4.r.a2d.v4.u32.f32 " + four + ", [%rd1, {%r9, %f1, %f1, %f1}];", a2d,
          {21, 22, 18, 17});
    check("mov.f32 %f1, 0f3f800000; tld4.r.2d.v4.s32.f32 " + four + ", [%rd1, {%f1, %f1}], {%r9, %r9};", d2,
          {9, 10, 6, 5});
    for (const char* component : {"g", "b", "a"})
        check(fmt::format("tld4.{}.2d.v4.u32.f32 {}, [%rd1, {{%f10, %f9}}];", component, four), d2, {0, 0, 0, 0});
}

TEST_CASE_FIXTURE(Fixture, "txq, suq and istypep") {
    const std::uint64_t d3 = texture(ImageShape::d3, 3, 2), surface3 = surface(ImageShape::d3, 3, 2),
                        a2d = texture(ImageShape::a2d, 3, 5);
    const auto ask = [](const char* instruction, std::initializer_list<const char*> queries, const char* handle) {
        std::string code;
        int i = 0;
        for (const char* query : queries)
            code += fmt::format("{}.{}.b32 %r{}, [{}];\n", instruction, query, i++, handle);
        return code;
    };
    check(ask("txq", {"width", "height", "depth"}, "%rd1"), d3, {4, 3, 2});
    check(ask("txq", {"width", "height", "depth"}, "%rd1"), a2d, {4, 3, 5});
    check("txq.level.width.b32 %r0, [%rd1], %r8; txq.level.width.b32 %r1, [%rd1], %r9;", d3, {4, 0});
    check(ask("suq", {"width", "height", "depth"}, "%rd1"), surface3, {4, 3, 2});
    check(ask("suq", {"width", "height", "depth"}, "%rd1"), surface(ImageShape::d1), {4, 0, 0});
    check(
        "istypep.texref %p1, %rd1; selp.u32 %r0, 1, 0, %p1; istypep.surfref %p1, %rd1; selp.u32 %r1, 1, 0, %p1;"
        "istypep.surfref %p1, %rd2; selp.u32 %r2, 1, 0, %p1;",
        d3, {0, 0, 0}, surface3);
}

TEST_CASE_FIXTURE(Fixture, "suld and sust") {
    const std::uint64_t s1 = surface(ImageShape::d1), s2 = surface(ImageShape::d2, 3),
                        s3 = surface(ImageShape::d3, 3, 2), sa1 = surface(ImageShape::a1d, 1, 3),
                        sa2 = surface(ImageShape::a2d, 3, 2);
    check("suld.b.1d.b32.trap {%r0}, [%rd1, {%r11}];", s1, {1});
    check("suld.b.2d.b32.trap %r0, [%rd1, {%r11, %r10}];", s2, {9});
    check("suld.b.3d.b32.trap {%r0}, [%rd1, {%r11, %r10, %r9, %r9}];", s3, {21});
    check("suld.b.a1d.b32.clamp {%r0}, [%rd1, {%r10, %r11}];", sa1, {9});
    check("suld.b.a2d.b32.zero {%r0}, [%rd1, {%r9, %r11, %r10, %r10}];", sa2, {21});
    check("suld.b.2d.v2.b32.trap {%r0, %r1}, [%rd1, {%r8, %r10}];", s2, {8, 9});
    check("suld.b.2d.v4.b32.trap " + four + ", [%rd1, {%r8, %r10}];", s2, {8, 9, 10, 11});
    check("suld.b.2d.b8.trap %h1, [%rd1, {%r11, %r10}]; cvt.u32.u16 %r0, %h1;", s2, {9});
    check("suld.b.2d.v2.b16.trap {%h1, %h2}, [%rd1, {%r11, %r10}]; cvt.u32.u16 %r0, %h1; cvt.u32.u16 %r1, %h2;", s2,
          {9, 0});
    check("suld.b.2d.b64.trap %rd5, [%rd1, {%r8, %r10}]; mov.b64 {%r0, %r1}, %rd5;", s2, {8, 9});
    const std::string outside = ", [%rd1, {100, 100}];";
    check("suld.b.2d.b32.clamp %r0" + outside + "suld.b.2d.b32.zero %r1" + outside, s2, {11, 0});
    check("suld.b.2d.v4.b32.clamp " + four + ", [%rd1, {-16, 1}];", s2, {4, 5, 6, 7});

    check("sust.b.2d.b32.trap [%rd1, {%r11, %r10}], 77; suld.b.2d.b32.trap %r0, [%rd1, {%r11, %r10}];", s2, {77});
    check("sust.b.2d.v4.b8.trap [%rd1, {%r11, %r10}], {1, 2, 3, 4}; suld.b.2d.b32.trap %r0, [%rd1, {%r11, %r10}];", s2,
          {0x04030201});
    check(
        "sust.b.2d.b32.zero [%rd1, {100, 0}], 5; sust.b.2d.b32.clamp [%rd1, {100, 0}], 6;"
        "suld.b.2d.v4.b32.trap " +
            four + ", [%rd1, {0, 0}];",
        s2, {0, 1, 2, 6});
    check(
        "sust.b.a2d.v2.b32.trap [%rd1, {%r9, 0, 0, 0}], {41, 42};"
        "suld.b.a2d.v2.b32.trap {%r0, %r1}, [%rd1, {%r9, 0, 0, 0}];",
        sa2, {41, 42});
    check("sust.p.2d.b32.trap [%rd1, {3, 1}], 99; suld.b.2d.b32.trap %r0, [%rd1, {12, 1}];", s2, {99});
}

TEST_CASE_FIXTURE(Fixture, "sured") {
    const std::uint64_t s = surface(ImageShape::d2, 3);
    const std::string read = "suld.b.2d.v2.b32.trap {%r0, %r1}, [%rd1, {0, 1}];";
    check("sured.b.add.2d.u32.trap [%rd1, {0, 1}], 10; sured.b.add.2d.s32.trap [%rd1, {4, 1}], -6;" + read, s,
          {14, static_cast<std::uint32_t>(-1)});
    check("sured.b.max.2d.s32.trap [%rd1, {0, 1}], -3; sured.b.min.2d.s32.trap [%rd1, {4, 1}], 3;" + read, s,
          {14, static_cast<std::uint32_t>(-1)});
    check("sured.b.max.2d.u32.trap [%rd1, {0, 1}], 20; sured.b.min.2d.u32.trap [%rd1, {4, 1}], 3;" + read, s, {20, 3});
    check("sured.b.and.2d.b32.trap [%rd1, {0, 1}], 6; sured.b.or.2d.b32.trap [%rd1, {4, 1}], 8;" + read, s, {4, 11});
    check("mov.b64 %rd5, 0x100000001; sured.b.add.2d.u64.trap [%rd1, {0, 1}], %rd5;" + read, s, {5, 12});
    check("sured.p.add.2d.b32.trap [%rd1, {1, 1}], 1; sured.b.add.2d.u32.zero [%rd1, {-4, 1}], 1;" + read, s, {5, 13});
}

TEST_CASE_FIXTURE(Fixture, "mistakes with images are faults with a reason") {
    const std::uint64_t d2 = texture(ImageShape::d2, 3), s2 = surface(ImageShape::d2, 3),
                        gone = texture(ImageShape::d2, 3);
    images.remove(gone, ImageObject::Kind::texture);
    const std::string read = "tex.2d.v4.u32.f32 " + four + ", [%rd1, {%f8, %f8}];";
    CHECK(refusal(read, 0) == "bad-handle");
    CHECK(refusal(read, 12345) == "bad-handle");
    CHECK(refusal(read, s2) == "bad-handle");
    CHECK(refusal(read, gone) == "use-after-destroy");
    CHECK(refusal("tex.3d.v4.u32.f32 " + four + ", [%rd1, {%f8, %f8, %f8, %f8}];", d2) == "wrong-dimensions");
    CHECK(refusal("suld.b.2d.b32.trap %r0, [%rd1, {16, 0}];", s2) == "oob-read");
    CHECK(refusal("suld.b.2d.b32.trap %r0, [%rd1, {-4, 0}];", s2) == "oob-read");
    CHECK(refusal("sust.b.2d.b32.trap [%rd1, {0, 3}], 1;", s2) == "oob-write");
    CHECK(refusal("suld.b.2d.b32.trap %r0, [%rd1, {2, 0}];", s2) == "misaligned-access");
    CHECK(refusal("suld.b.2d.b32.zero %r0, [%rd1, {18, 0}];", s2) == "misaligned-access");
    CHECK(refusal("suld.b.2d.b32.clamp %r0, [%rd1, {-2, 0}];", s2) == "misaligned-access");
    images.find(s2)->image.array->release();
    CHECK(refusal("suld.b.2d.b32.trap %r0, [%rd1, {0, 0}];", s2) == "use-after-free");
    for (const char* form :
         {"tex.2d.v2.u32.f32 {%r0, %r1}, [%rd1, {%f8, %f8}];", "tex.2d.v4.u32.f32 {%r0, %r1, %r2, %r3}, [%rd1, {%f8}];",
          "tex.cube.v4.u32.s32 {%r0, %r1, %r2, %r3}, [%rd1, {%r8, %r8, %r8, %r8}];",
          "tex.2d.v4.u32.f32 {%r0, %r1, %r2, %r3}, [%rd1, {%f8, %f8}], {%r8, %r8}, %f8;",
          "suld.b.2d.b32.trap %r0, [%rd1, {%r8}];", "sured.b.inc.2d.u32.trap [%rd1, {0, 0}], 1;",
          "txq.width.b32 %r0, [%rd1], %r8;", "txq.filter_mode.b32 %r0, [%rd1];", "suq.array_size.b32 %r0, [%rd1];"}) {
        INFO(form);
        CHECK(refusal(form, d2) == "unsupported-instruction");
    }
}
