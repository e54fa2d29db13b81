// A file of the student's own, for include_of_a_local_file.cudash.
#pragma once

constexpr int rows = 4, columns = 6;

__host__ __device__ inline int flat(int row, int column) {
    return row * columns + column;
}
