// ATTACK: asks the preprocessor which files there are
// STOPS: file tree
// POINTS: 0
// FAILS: the answer
#include <cstdio>

int main() {
#if __has_include("/tmp/cudash-attack-secret") || __has_include("/etc/passwd")
    puts("LEAK: a file is there");
#endif
}
