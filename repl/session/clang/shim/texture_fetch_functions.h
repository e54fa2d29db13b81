// Empty on purpose: clang 19's CUDA wrapper includes this header, and CUDA 13 no longer ships it.
