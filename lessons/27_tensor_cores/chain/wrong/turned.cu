// REPLY: You store the result by columns, so it is transposed
#include <mma.h>
__global__ void chain(const half* a, const half* b, float* c, int tiles) {
    using namespace nvcuda;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 0.0f);
    for (int k = 0; k < tiles; ++k) {
        wmma::load_matrix_sync(fa, a + 256 * k, 16);
        wmma::load_matrix_sync(fb, b + 256 * k, 16);
        wmma::mma_sync(fc, fa, fb, fc);
    }
    wmma::store_matrix_sync(c, fc, 16, wmma::mem_col_major);
}
