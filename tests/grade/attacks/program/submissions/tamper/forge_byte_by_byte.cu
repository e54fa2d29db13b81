// ATTACK: sends a message that never ends, one byte after the other, with pauses
// STOPS: processor time and time asleep, counted by the front end
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
    const unsigned size = 1 << 21;
    if (write(100, &size, 4) != 4) return 1;
    // So slowly that no machine takes all of it before its time is over.
    for (long sent = 0;; ++sent) {
        if (write(100, "{", 1) != 1) return 1;
        if (sent % 8 == 0) usleep(1);
    }
}
