#include "runtime_wrappers/host_check/copies.h"

#include <doctest/doctest.h>

using namespace cudash;
using host_check::Copy;
using host_check::Fill;
using host_check::look_at;
using host_check::Memory;

namespace {

const void* at(std::uint64_t address) {
    return reinterpret_cast<const void*>(address);
}

/// 100 floats at 0x1000, allocated as n * sizeof(float).
Memory floats() {
    Memory memory{.begin = 0x1000, .size = 400};
    memory.made.elements = "n";
    memory.made.element_bytes = 4;
    memory.made.target = "d";
    return memory;
}

host_check::Side device(const Memory& memory) {
    return {.pointer = at(memory.begin), .pitch = memory.pitch, .on_device = true, .memory = memory};
}
host_check::Side host() {
    return {.pointer = at(0x9000), .on_host = true};
}

api::CallPlace call_with_size(std::string size) {
    api::CallPlace call;
    call.size = std::move(size);
    call.where = {"cell 2", 3, 0};
    return call;
}

}  // namespace

TEST_CASE("copies: n where n * sizeof(float) was allocated") {
    const Copy copy{.to = device(floats()), .from = host(), .width = 100, .kind = cudaMemcpyHostToDevice};
    const auto found = look_at(copy, call_with_size("n"));
    REQUIRE(found.size() == 1);
    CHECK(found[0].code == "bytes-not-elements");
    CHECK(found[0].message == "copies 100 bytes, where 100 elements of 4 bytes are 400 bytes");
    CHECK(found[0].where.line == 3);
    CHECK(found[0].hint == "sizes are in bytes: n * sizeof(the element)");
    CHECK(look_at(copy, call_with_size("m")).empty());
    CHECK(look_at(copy, call_with_size("")).empty());
    const Fill fill{.to = device(floats()), .width = 100};
    REQUIRE(look_at(fill, call_with_size("n")).size() == 1);
    CHECK(look_at(fill, call_with_size("n"))[0].message ==
          "sets 100 bytes, where 100 elements of 4 bytes are 400 bytes");
}

TEST_CASE("copies: kinds that name the wrong side") {
    Copy copy{.to = device(floats()), .from = host(), .width = 400, .kind = cudaMemcpyDeviceToHost};
    const auto found = look_at(copy, {});
    REQUIRE(found.size() == 1);
    CHECK(found[0].code == "wrong-direction");
    CHECK(found[0].message == "the kind is cudaMemcpyDeviceToHost, but dst is device memory");
    CHECK(found[0].hint.ends_with("for these pointers cudaMemcpyHostToDevice is the kind"));
    for (const cudaMemcpyKind kind : {cudaMemcpyHostToDevice, cudaMemcpyDefault}) {
        copy.kind = kind;
        CHECK(look_at(copy, {}).empty());
    }
}

TEST_CASE("copies: rows that do not follow the pitch") {
    const Memory rows{.begin = 0x1000, .size = 512 * 8, .pitch = 512, .width = 120, .height = 8};
    Copy copy{.to = host(), .from = device(rows), .width = 120, .height = 8, .kind = cudaMemcpyDeviceToHost};
    CHECK(look_at(copy, {}).empty());
    copy.from.pitch = 120;
    REQUIRE(look_at(copy, {}).size() == 1);
    CHECK(look_at(copy, {})[0].message ==
          "rows of src are taken 120 bytes apart, and the memory has them 512 bytes apart");
    copy = {.to = host(), .from = device(rows), .width = 120 * 8, .kind = cudaMemcpyDeviceToHost};
    REQUIRE(look_at(copy, {}).size() == 1);
    CHECK(look_at(copy, {})[0].code == "wrong-pitch");
}
