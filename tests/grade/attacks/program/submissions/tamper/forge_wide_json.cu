// ATTACK: sends 60 MB of empty objects
// STOPS: limits on messages: 4 MB each, 16 MB a cell, 100,000 values, 64 levels
// POINTS: 0
// FAILS: the answer
#include <cstdio>
#include <cstring>
#include <string>
#include <unistd.h>

int main() {
    // In one piece, or the limit on memory might be met first.
    std::string frame(4, '\0');
    frame.reserve(61'000'000);
    frame += R"({"type":"outcome","table":[{})";
    for (int i = 0; i < 20'000'000; ++i) frame += ",{}";
    frame += "]}";
    const unsigned size = frame.size() - 4;
    std::memcpy(frame.data(), &size, 4);
    // To the grader, as the worker would.
    for (size_t at = 0; at < frame.size();) {
        const long sent = write(100, frame.data() + at, frame.size() - at);
        if (sent <= 0) break;
        at += sent;
    }
    sleep(1);
}
