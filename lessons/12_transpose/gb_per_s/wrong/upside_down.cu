// REPLY: seconds per byte
double gb_per_s(int nx, int ny, double milliseconds)
{
    return milliseconds / 1000 / (2.0 * nx * ny * sizeof(float)) * 1e9;
}
