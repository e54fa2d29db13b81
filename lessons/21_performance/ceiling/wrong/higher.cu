// REPLY: Both are ceilings
double ceiling(double flops, double bytes, double peak_flops, double peak_bytes) {
    if (bytes <= 0) return peak_flops;
    double by_memory = flops / bytes * peak_bytes;
    return by_memory < peak_flops ? peak_flops : by_memory;
}
