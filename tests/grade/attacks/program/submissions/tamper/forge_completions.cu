// ATTACK: answers with completions
// STOPS: one kind of answer to each request; any other message ends the worker
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
    send(R"({"type":"completions","word":0,"candidates":[],"more":0,"calls":[]})");
    pause();
}
