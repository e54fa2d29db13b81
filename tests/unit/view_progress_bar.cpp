#include <doctest/doctest.h>

#include "repl/view/progress_bar.h"

using cudash::view::progress_bar;

TEST_CASE("progress bar: as long as there is room for") {
    CHECK(progress_bar("square", 4, 10, 80) == "square [################........................] 40 %");
    CHECK(progress_bar("square", 10, 10, 30) == "square [##############] 100 %");
    CHECK(progress_bar("a_kernel_with_a_long_name", 1, 2, 20) == "a_kernel_with_ 50 %");
    CHECK(progress_bar("k", 0, 0, 80).ends_with("100 %"));
    for (unsigned width = 12; width < 120; ++width)
        CHECK(progress_bar("a_kernel_with_a_long_name", 999, 1000, width).size() <= width);
}
