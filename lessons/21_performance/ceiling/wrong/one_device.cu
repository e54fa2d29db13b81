// REPLY: The peaks are parameters
double ceiling(double flops, double bytes, double peak_flops, double peak_bytes) {
    if (bytes <= 0) return 67e12;
    double by_memory = flops / bytes * 4.8e12;
    return by_memory < 67e12 ? by_memory : 67e12;
}
