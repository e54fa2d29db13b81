// The program's arguments, stdin and exit code.
#include <cstdio>
#include <cstring>
int main(int argc, char** argv) {
    for (int i = 0; i < argc; ++i) printf("[%s]", argv[i]);
    char line[100];
    if (fgets(line, 100, stdin)) printf(" in: %s", line);
    cudaFree(0);
    printf("\n");
    return argc;
}
