// ATTACK: does in PTX what C++ does not let it
// STOPS: the virtual GPU refuses the access
// POINTS: 0
// FAILS: the sums
// SAYS: oob-write
__global__ void add_up(int* out, const int* in, int n) {
    asm volatile("st.global.u32 [%0], 1;" ::"l"((unsigned long long)out + 1000000));
    asm volatile("brkpt;");
}
