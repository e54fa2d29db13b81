// ATTACK: reports findings with 10,000 notes each
// STOPS: limits on findings: 200 a cell, 1 MB of text a worker; unread answers end it
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
    std::string body = R"({"type":"diagnostic","diagnostic":{"severity":"error","code":"c","message":"m","where":)"
                       R"({"file":"f","line":1,"column":1},"thread":null,"hint":"","notes":[)";
    for (int i = 0; i < 10000; ++i)
        body += std::string(i ? "," : "") + R"({"message":"n","where":{"file":"f","line":1,"column":1}})";
    for (int i = 0; i < 10; ++i) send(body + "]}}");
}
