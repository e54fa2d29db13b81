// free and delete of what CUDA gave.
#pragma once

namespace cudash::api {

/// The program calls `function`, free or delete. True if the memory is CUDA's, which is told, and must not go to the C
/// library. `frame`: as frame_of_call.
bool is_wrong_free(const void* pointer, const char* function, const void* frame);

}  // namespace cudash::api
