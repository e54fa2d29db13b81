__global__ void k(int* p) {
    p[0] = missing;
}

int main() {
    k<<<1, 1>>>(nullptr);
}
