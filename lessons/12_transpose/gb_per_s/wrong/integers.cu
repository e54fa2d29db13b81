// REPLY: The result is an integer
double gb_per_s(int nx, int ny, double milliseconds)
{
    return (long)(2.0 * nx * ny * sizeof(float) / (milliseconds / 1000) / 1e9);
}
