// ATTACK: reports findings without end, and reads no answer
// STOPS: limits on findings: 200 a cell, 1 MB of text a worker; unread answers end it
// POINTS: 0
// FAILS: the answer
// SAYS: more than a cell can have to say
#include <cstdio>
#include <cstring>
#include <unistd.h>

int main() {
    const char* body =
        "{\"type\":\"diagnostic\",\"diagnostic\":{\"severity\":\"error\",\"code\":\"full-marks\",\"message\":\"m\","
        "\"where\":{\"file\":\"f\",\"line\":1,\"column\":1},\"thread\":null,\"notes\":[],\"hint\":\"\"}}";
    char frame[1000];
    const unsigned size = strlen(body);
    memcpy(frame, &size, 4);
    memcpy(frame + 4, body, size);
    for (int i = 0; i < 1000000; ++i)
        if (write(100, frame, size + 4) < 0) break;
}
