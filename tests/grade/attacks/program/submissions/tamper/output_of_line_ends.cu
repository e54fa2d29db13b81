// ATTACK: prints a megabyte of line ends
// POINTS: 0
// FAILS: the answer
#include <cstdio>
#include <string>

int main() {
    const std::string text(1000000, '\n');
    fwrite(text.data(), 1, text.size(), stdout);
}
