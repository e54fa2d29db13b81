// ATTACK: sends half a message and waits
// STOPS: processor time and time asleep, counted by the front end
// POINTS: 0
// FAILS: the answer
// SAYS: took longer than 20 s in all
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
    const unsigned size = 1000;
    if (write(100, &size, 4) == 4 && write(100, "{", 1) == 1) pause();
}
