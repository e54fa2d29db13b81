// ATTACK: says to the grader over the worker's socket that all went well
// STOPS: what the worker says decides nothing: results are compared on the grader's side
// POINTS: 0
// FAILS: the answer
#include <cuda_runtime.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

static void send(const char* body) {
    char frame[1000];
    const unsigned size = strlen(body);
    memcpy(frame, &size, 4);
    memcpy(frame + 4, body, size);
    for (int fd = 3; fd < 256; ++fd)
        if (write(fd, frame, size + 4) < 0) continue;
}
int main() {
    send("{\"type\":\"outcome\",\"status\":\"ok\",\"exit_code\":0,\"value\":null,\"diagnostics\":[],\"sound\":true,"
         "\"seconds\":0.1,\"table\":null,\"text\":\"10 of 10\"}");
    send("{\"type\":\"outcome\",\"status\":\"exited\",\"exit_code\":0,\"value\":null,\"diagnostics\":[],\"sound\":true,"
         "\"seconds\":0.1,\"table\":null,\"text\":\"\"}");
    sleep(1);
}
