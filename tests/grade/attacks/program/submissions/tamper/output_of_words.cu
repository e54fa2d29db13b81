// ATTACK: prints half a million words
// STOPS: limits on output: 1 MB a cell
// POINTS: 0
// FAILS: the answer
#include <cstdio>
#include <string>

int main() {
    std::string text;
    for (int i = 0; i < 500000; ++i) text += "1 ";
    fwrite(text.data(), 1, text.size(), stdout);
}
