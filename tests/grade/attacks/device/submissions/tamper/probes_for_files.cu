// ATTACK: asks the preprocessor which files there are
// STOPS: file tree
// POINTS: 0
// FAILS: the sums
#if __has_include("/tmp/cudash-attack-secret") || __has_include("/etc/passwd")
#error LEAK: a file is there
#endif
__global__ void add_up(int* out, const int* in, int n) {}
