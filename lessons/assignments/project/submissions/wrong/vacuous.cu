// POINTS: 0
// FAILS: a picture becomes gray
// FAILS: the edges of 64 x 32 pixels
// FAILS: the histogram of 4000 values
// FAILS: the level that keeps 500 pixels
// FAILS: pixels are marked
// REPLY: Each pixel has three bytes. Where does pixel i begin, and which weight
// Write the five kernels; assignment.md says what each computes.
__global__ void gray(unsigned char* out, const unsigned char* rgb, int n) {}

__global__ void sobel(unsigned char* out, const unsigned char* in, int width, int height) {}

__global__ void histogram(const unsigned char* data, int n, unsigned* bins) {}

__global__ void level(const unsigned* bins, unsigned keep, int* result) {}

__global__ void mark(unsigned char* out, const unsigned char* edges, int n, const int* level) {}
