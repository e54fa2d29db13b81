// ATTACK: shows arrays larger than any memory, for the grader to read, and answers what it was not asked
// STOPS: the grader shows nothing; an answer without a question is not a message
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
    for (int i = 0; i < 100; ++i)
        send(R"({"type":"displayed","located":{"type":"int","element":{"type":"int","bytes":4,"scalars":[{"kind":"signed","bytes":4,"offset":4000000000,"name":""}]},"address":1,"is_array":false,"extent":[18446744073709551615,18446744073709551615],"stride":[4,4],"available":0,"pitch":0,"memory":"LEAK","origin":""},"form":"heat","title":"LEAK"})");
    send(R"({"type":"answer","what":"bytes","in_window":18446744073709551615,"unwritten":[]})");
    pause();
}
