// What the checkers found in one launch: each kind of mistake at a pair of places once, with a count of the others.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "runtime_wrappers/diagnostic.h"
#include "runtime_wrappers/virtual_gpu/check/access.h"

namespace cudash::virtual_gpu {

/// Where the program's author would look for an instruction: of what headers hold, the place that uses it.
SourceSpot author_spot(const Launch& launch, const Code& code, const Instruction* at);
ThreadSpot thread_spot(const Launch& launch, std::uint64_t block, std::uint32_t warp, unsigned lane);
/// "thread (3,0,0) of block (1,0,0)"
std::string name_of_thread(const ThreadSpot& thread);
/// "byte 40 of 400 bytes of device memory (cell 3)"
std::string name_of_place(const Launch& launch, std::uint64_t address);

class Findings {
public:
    void begin(const Launch& launch) { launch_ = &launch, found_.clear(), left_out_ = 0; }
    const Launch& launch() const { return *launch_; }
    /// `code` with the same places is the same mistake: `make` is called for the first only.
    void add(std::string_view code, const void* place, const void* other_place,
             const std::function<Diagnostic()>& make);
    /// Those of the launch that another one gathered.
    void join(Findings&& other);
    std::vector<Diagnostic> take();

private:
    struct Found {
        std::string_view code;
        const void *place, *other_place;
        Diagnostic diagnostic;
        std::uint64_t more = 0;
    };
    Found* find(std::string_view code, const void* place, const void* other_place);

    const Launch* launch_ = nullptr;
    std::vector<Found> found_;
    std::uint64_t left_out_ = 0;
};

}  // namespace cudash::virtual_gpu
