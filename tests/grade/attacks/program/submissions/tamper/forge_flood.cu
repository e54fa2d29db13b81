// ATTACK: reports findings without end
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
    char frame[200];
    const unsigned size = strlen(body);
    memcpy(frame, &size, 4);
    memcpy(frame + 4, body, size);
    for (int i = 0; i < 4000000; ++i)
        for (int fd = 99; fd < 104; ++fd)
            if (write(fd, frame, size + 4) < 0) continue;
}
