// REPLY: 10^9
double gb_per_s(int nx, int ny, double milliseconds)
{
    return 2.0 * nx * ny * sizeof(float) / (milliseconds / 1000) / (1 << 30);
}
