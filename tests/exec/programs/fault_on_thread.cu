// A fault on another thread than main's.
#include <cstdio>
#include <thread>
int main() {
    puts("x");
    std::thread t([] {
        int* p;
        cudaMalloc(&p, 4);
        p[0] = 3;
    });
    t.join();
}
