// The effective bandwidth of a transpose of nx x ny floats, in GB/s.
double gb_per_s(int nx, int ny, double milliseconds)
{
    return 0;
}
