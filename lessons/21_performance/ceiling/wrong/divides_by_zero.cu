// REPLY: What is flops / bytes if bytes is 0?
double ceiling(double flops, double bytes, double peak_flops, double peak_bytes) {
    if (bytes <= 0) return 0;
    double by_memory = flops / bytes * peak_bytes;
    return by_memory < peak_flops ? by_memory : peak_flops;
}
