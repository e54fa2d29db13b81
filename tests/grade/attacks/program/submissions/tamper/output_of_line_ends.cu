// ATTACK: prints a megabyte of line ends
// STOPS: limits on output: 1 MB a cell
// POINTS: 0
// FAILS: the answer
#include <cstdio>
#include <string>

int main() {
    const std::string text(1000000, '\n');
    fwrite(text.data(), 1, text.size(), stdout);
}
