// REPLY: What else limits the kernel?
double ceiling(double flops, double bytes, double peak_flops, double peak_bytes) {
    if (bytes <= 0) return peak_flops;
    return flops / bytes * peak_bytes;
}
