// ATTACK: sends a picture that can't be drawn: no banks, and passes that are not there
// STOPS: pictures are looked at before they are drawn; the grader draws none
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
    send(R"({"type":"outcome","status":"exited","exit_code":0,"value":null,"diagnostics":[],"sound":true,"seconds":0.1,"table":null,"memory":[],"text":"10 of 10","stop":null,"lanes":null,"taken_back":false,"details":null,"found":null,"picture":{"kind":"banks","data":{"title":"","banks":0,"bank_bytes":4,"uses":[{"lanes":1,"bank":4294967295,"pass":4294967295}],"active":1,"passes":0,"ideal_passes":0}},"report":null})");
    pause();
}
