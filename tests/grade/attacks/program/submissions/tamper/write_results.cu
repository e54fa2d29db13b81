// ATTACK: writes results where graders look for them
// STOPS: Landlock; seccomp; file tree; RLIMIT_FSIZE
// POINTS: 0
// FAILS: the answer
#include <cuda_runtime.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

int main() {
    for (const char* path : {"results.json", "/tmp/cudash-attack-results.json", "/autograder/results/results.json", "../grade.json"})
        if (FILE* file = fopen(path, "w")) {
            printf("LEAK: %s is written\n", path);
            fputs("{\"score\": 10}", file);
            fclose(file);
        }
}
