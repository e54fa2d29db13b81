// REPLY: bytes per *millisecond*
double gb_per_s(int nx, int ny, double milliseconds)
{
    return 2.0 * nx * ny * sizeof(float) / milliseconds / 1e9;
}
