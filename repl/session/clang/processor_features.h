// A processor's intrinsics, _mm256_add_ps() and their kin: g++ takes them with -march=native, or -mavx2 and the like,
// which courses' Makefiles hand to it. Here a text that includes their header may use whatever this processor has.
#pragma once

namespace clang {
class CompilerInstance;
}

namespace cudash::session {

/// From the first #include of such a header on, code is made for this processor with all its features. Results stay the
/// same: products are not fused with sums.
void allow_intrinsics(clang::CompilerInstance& compiler);

}  // namespace cudash::session
