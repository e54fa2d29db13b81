// ATTACK: a text that grows to a gigabyte when it is read
// STOPS: processor time
// POINTS: 0
// FAILS: compiles
#define A0 1+1+1+1+1+1+1+1+1+1
#define A1 A0+A0+A0+A0+A0+A0+A0+A0+A0+A0
#define A2 A1+A1+A1+A1+A1+A1+A1+A1+A1+A1
#define A3 A2+A2+A2+A2+A2+A2+A2+A2+A2+A2
#define A4 A3+A3+A3+A3+A3+A3+A3+A3+A3+A3
#define A5 A4+A4+A4+A4+A4+A4+A4+A4+A4+A4
#define A6 A5+A5+A5+A5+A5+A5+A5+A5+A5+A5
#define A7 A6+A6+A6+A6+A6+A6+A6+A6+A6+A6
__global__ void add_up(int* out, const int* in, int n) {
    out[0] = A7;
}
