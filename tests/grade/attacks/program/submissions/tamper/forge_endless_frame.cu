// ATTACK: announces 4 GB and sends a little
// STOPS: limits on messages: 4 MB each, 16 MB a cell, 100,000 values, 64 levels
// POINTS: 0
// FAILS: the answer
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unistd.h>

// To the grader, as the worker would.
static void send(const std::string& body) {
    const unsigned size = body.size();
    std::string frame((const char*)&size, 4);
    frame += body;
    for (size_t at = 0; at < frame.size();) {
        const long sent = write(100, frame.data() + at, frame.size() - at);
        if (sent <= 0) return;
        at += sent;
    }
}
int main() {
    const unsigned size = ~0u;
    if (write(100, &size, 4) == 4) pause();
}
