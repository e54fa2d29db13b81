// What only arrays of several planes, sparse ones and ones without memory have, asked of ordinary ones; functions by
// their symbols.
#include "calls.h"

int main() {
    cudaChannelFormatDesc ints = cudaCreateChannelDesc<int>();
    cudaArray_t a, plane;
    cudaMipmappedArray_t m;
    cudaArrayMemoryRequirements needs;
    cudaArraySparseProperties sparse;
    P(cudaMallocArray(&a, &ints, 16, 16));
    P(cudaMallocMipmappedArray(&m, &ints, {16, 16, 0}, 3));
    P(cudaArrayGetPlane(&plane, a, 0));
    P(cudaArrayGetPlane(&plane, a, 1));
    P(cudaArrayGetPlane(nullptr, a, 0));
    P(cudaArrayGetMemoryRequirements(&needs, a, 0));
    P(cudaArrayGetMemoryRequirements(&needs, a, 9));
    P(cudaArrayGetMemoryRequirements(nullptr, a, 0));
    P(cudaMipmappedArrayGetMemoryRequirements(&needs, m, 0));
    P(cudaMipmappedArrayGetMemoryRequirements(&needs, m, -1));
    P(cudaArrayGetSparseProperties(&sparse, a));
    P(cudaArrayGetSparseProperties(nullptr, a));
    P(cudaMipmappedArrayGetSparseProperties(&sparse, m));
    LAST();
    cudaFunction_t f;
    P(cudaGetFuncBySymbol(&f, (const void*)nop));
    P(cudaGetFuncBySymbol(nullptr, (const void*)nop));
    P(cudaGetFuncBySymbol(&f, nullptr));
    P(cudaGetFuncBySymbol(&f, &ints));
    LAST();
    P(cudaArrayGetPlane(&plane, nullptr, 0));
    P(cudaArrayGetMemoryRequirements(&needs, nullptr, 0));
    P(cudaArrayGetSparseProperties(&sparse, nullptr));
    P(cudaMipmappedArrayGetMemoryRequirements(&needs, nullptr, 0));
    P(cudaMipmappedArrayGetSparseProperties(&sparse, nullptr));
    LAST();
}
