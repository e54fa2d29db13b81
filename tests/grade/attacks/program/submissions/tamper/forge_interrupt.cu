// ATTACK: says that somebody pressed Ctrl-C: no mark is better than none of the points
// STOPS: only a Ctrl-C that the front end received itself interrupts
// POINTS: 0
// FAILS: the answer
// SAYS: a signal that it sent itself
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
    send(R"({"type":"outcome","status":"interrupted","exit_code":130,"value":null,"diagnostics":[],"sound":true,"seconds":0.1,"table":null,"memory":[],"text":"10 of 10","stop":null,"lanes":null,"taken_back":false,"details":null,"found":null,"picture":null,"report":null})");
    pause();
}
