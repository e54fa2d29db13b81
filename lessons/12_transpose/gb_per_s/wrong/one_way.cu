// REPLY: read and written
double gb_per_s(int nx, int ny, double milliseconds)
{
    return 1.0 * nx * ny * sizeof(float) / (milliseconds / 1000) / 1e9;
}
