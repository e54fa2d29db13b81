// ATTACK: reports findings whose files have names of a megabyte
// STOPS: limits on findings: 200 a cell, 1 MB of text a worker; unread answers end it
// POINTS: 0
// FAILS: the answer
// SAYS: exit code 1
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
    const std::string name(1 << 20, 'f');
    for (int i = 0; i < 12; ++i)
        send(R"({"type":"diagnostic","diagnostic":{"severity":"error","code":"c","message":"m","where":{"file":")" + name +
             R"(","line":1,"column":1},"thread":null,"notes":[],"hint":""}})");
    send(R"({"type":"outcome","status":"exited","exit_code":1,"value":null,"diagnostics":[],"sound":true,"seconds":0.1,"table":null,"memory":[],"text":"10 of 10","stop":null,"lanes":null,"taken_back":false,"details":null,"found":null,"picture":null,"report":null})");
}
