// Document 1, "Dynamic shared memory": one external array cut into an int, a float and a char part. Added by the reader:
// the kernel around the three declarations, the arguments that the page lost in myKernel<<<>>>, and a main.
#include <stdio.h>

__global__ void myKernel(int nI, int nF, int nC, int *ints, float *floats, char *chars) {
    extern __shared__ int s[];
    int *integerData = s;                        // nI ints
    float *floatData = (float*)&integerData[nI]; // nF floats
    char *charData = (char*)&floatData[nF];      // nC chars

    // Everything is written before anything is read: parts that overlapped would show it.
    int t = threadIdx.x;
    if (t < nI) integerData[t] = 1000 + t;
    if (t < nF) floatData[t] = t + 0.5f;
    if (t < nC) charData[t] = 'a' + t % 26;
    __syncthreads();
    if (t < nI) ints[t] = integerData[nI - 1 - t];
    if (t < nF) floats[t] = floatData[nF - 1 - t];
    if (t < nC) chars[t] = charData[nC - 1 - t];
}

int main() {
    const int nI = 40, nF = 24, nC = 60;
    int ints[nI], *dInts;
    float floats[nF], *dFloats;
    char chars[nC], *dChars;
    cudaMalloc(&dInts, sizeof(ints));
    cudaMalloc(&dFloats, sizeof(floats));
    cudaMalloc(&dChars, sizeof(chars));

    myKernel<<<1, 64, nI*sizeof(int)+nF*sizeof(float)+nC*sizeof(char)>>>(nI, nF, nC, dInts, dFloats, dChars);

    cudaMemcpy(ints, dInts, sizeof(ints), cudaMemcpyDeviceToHost);
    cudaMemcpy(floats, dFloats, sizeof(floats), cudaMemcpyDeviceToHost);
    cudaMemcpy(chars, dChars, sizeof(chars), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < nI; ++i) wrong += ints[i] != 1000 + (nI - 1 - i);
    for (int i = 0; i < nF; ++i) wrong += floats[i] != (nF - 1 - i) + 0.5f;
    for (int i = 0; i < nC; ++i) wrong += chars[i] != 'a' + (nC - 1 - i) % 26;
    printf("ints[0] %d, floats[0] %.1f, chars[0] %c, wrong %d\n", ints[0], floats[0], chars[0], wrong);

    cudaFree(dInts);
    cudaFree(dFloats);
    cudaFree(dChars);
    return wrong != 0;
}
