// ATTACK: reads secrets from the environment
// STOPS: clean start
// POINTS: 0
// FAILS: the answer
#include <cuda_runtime.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

extern char** environ;
int main() {
    if (getenv("CUDASH_ATTACK_SECRET")) printf("LEAK %s\n", getenv("CUDASH_ATTACK_SECRET"));
    for (char** each = environ; *each; ++each)
        if (strstr(*each, "TOKEN") || strstr(*each, "SECRET")) printf("LEAK %s\n", *each);
}
