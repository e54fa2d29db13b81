// The entry points of clang's libFuzzer. Its own mutations of bytes take turns with ours of words and lines.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tests/fuzz/ptx_fuzz.h"
#include "tests/fuzz/ptx_mutator.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most_size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    cudash::fuzz::survive({reinterpret_cast<const char*>(data), size});
    return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most_size,
                                               unsigned seed) {
    cudash::fuzz::Random random(seed);
    if (random() % 3 == 0) return LLVMFuzzerMutate(data, size, most_size);
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const std::string changed = cudash::fuzz::mutate(text, text, most_size, random);
    std::memcpy(data, changed.data(), changed.size());
    return changed.size();
}

extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* first, std::size_t first_size,
                                                 const std::uint8_t* second, std::size_t second_size, std::uint8_t* out,
                                                 std::size_t most_size, unsigned seed) {
    cudash::fuzz::Random random(seed);
    const std::string changed =
        cudash::fuzz::mutate({reinterpret_cast<const char*>(first), first_size},
                             {reinterpret_cast<const char*>(second), second_size}, most_size, random);
    std::memcpy(out, changed.data(), changed.size());
    return changed.size();
}
