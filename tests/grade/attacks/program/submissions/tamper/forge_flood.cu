// ATTACK: reports findings without end
// STOPS: limits on messages: 4 MB each, 16 MB a cell, 100,000 values, 64 levels
// POINTS: 0
// FAILS: the answer
#include <cuda_runtime.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

int main() {
    const char* body = "{\"type\":\"progress\",\"what\":\"k\",\"done\":1,\"all\":2}";
    static char frames[1 << 16];
    const unsigned size = strlen(body);
    unsigned used = 0;
    for (; used + size + 4 <= sizeof frames; used += size + 4) {
        memcpy(frames + used, &size, 4);
        memcpy(frames + used + 4, body, size);
    }
    for (int i = 0; i < 4000000; ++i)
        for (int fd = 3; fd < 104; ++fd)
            if (write(fd, frames, used) < 0) continue;
}
