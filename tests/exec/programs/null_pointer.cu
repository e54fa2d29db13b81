// Host code uses a null pointer.
#include <cstdio>
int main() {
    puts("x");
    volatile int* p = nullptr;
    return *p;
}
