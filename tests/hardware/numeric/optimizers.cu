// Adam, RMSProp and logistic regression by gradient descent.
#include "numeric.h"
__global__ void train(float* adam, float* rmsprop, float* loss) {
    const int i = thread_of_grid();
    float w = 4 * fraction(i) - 2, m = 0, v = 0, u = w, g2 = 0, last = 0, b1 = 1, b2 = 1;
    for (int k = 0; k < 30; ++k) {
        const float x = fraction(i * 30 + k, 1) * 4 - 2, label = x + 0.3f * fraction(k, i) > 0.2f ? 1 : 0;
        const float p = 1 / (1 + expf(-w * x)), q = __fdividef(1.0f, 1 + __expf(-u * x));
        last = -(label * logf(p + 1e-7f) + (1 - label) * logf(1 - p + 1e-7f));
        const float g = (p - label) * x, h = (q - label) * x;
        m = 0.9f * m + 0.1f * g, v = 0.999f * v + 0.001f * g * g, b1 *= 0.9f, b2 *= 0.999f;
        w -= 0.05f * (m / (1 - b1)) / (sqrtf(v / (1 - b2)) + 1e-8f);
        g2 = 0.9f * g2 + 0.1f * h * h;
        u -= 0.05f * h * rsqrtf(g2 + 1e-8f);
    }
    adam[i] = w, rmsprop[i] = u, loss[i] = last;
}
int main() {
    Array<float> adam(2048), rmsprop(2048), loss(2048);
    train<<<16, 128>>>(adam.data, rmsprop.data, loss.data);
    adam.show("adam"), rmsprop.show("rmsprop"), loss.show("loss");
}
