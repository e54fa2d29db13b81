// A program without CUDA of its own, linked with a library that has it.
#include <cstdio>
extern "C" int run_triple(int);
int main() {
    std::printf("%d\n", run_triple(14));
}
