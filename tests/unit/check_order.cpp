// What happened before what, in launches without end.
#include <doctest/doctest.h>

#include "runtime_wrappers/virtual_gpu/check/order.h"

namespace cudash::virtual_gpu {

TEST_CASE("of a launch of very many segments the last millions are known, and the rest comes before") {
    Order order;
    order.begin_launch();
    BlockClock block, later;
    order.begin_block(block, 0, 1);
    order.begin_block(later, 1, 1);
    const std::uint32_t first = order.segment(block, 0);
    CHECK_FALSE(order.ordered(later, 0, 0, first, 1));
    std::uint32_t last = first, known = first;
    for (int i = 0; i < 10'000'000; ++i) {
        last = order.segment(block, 0);
        // The oldest that is known is never more than a few millions back.
        if (!order.is_of_this_launch(known)) known = last;
        if (last - known > (1u << 22)) FAIL("all segments are kept");
    }
    CHECK(order.ordered(later, 0, 0, first, 1));
    CHECK_FALSE(order.ordered(later, 0, 0, last, 1));
    CHECK(order.at(last).block == 0);
}

}  // namespace cudash::virtual_gpu
