// ATTACK: puts control characters into the name of its file
// STOPS: the virtual GPU refuses the access
// POINTS: 0
// FAILS: the sums
#line 1 "\033[2J\n<script>"
__global__ void add_up(int* out, const int* in, int n) { out[1 << 20] = 1; }
