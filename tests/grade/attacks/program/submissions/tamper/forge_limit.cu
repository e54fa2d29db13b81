// ATTACK: says that the machine was too busy
// STOPS: what the worker says decides nothing: results are compared on the grader's side
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
    send(R"({"type":"outcome","status":"lost","exit_code":0,"value":null,"diagnostics":[{"severity":"error","code":"wall-clock","message":"m","where":{"file":"f","line":1,"column":1},"thread":null,"notes":[],"hint":""}],"sound":true,"seconds":0.1,"table":null,"memory":[],"text":"10 of 10","stop":null,"lanes":null,"taken_back":false,"details":null,"found":null,"picture":null,"report":null})");
    pause();
}
