// The greatest number of FLOP/s that such a kernel can reach.
double ceiling(double flops, double bytes, double peak_flops, double peak_bytes) {
    return peak_flops;
}
