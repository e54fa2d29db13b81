// ATTACK: waits for a lock that it holds
// POINTS: 0
// FAILS: the answer
#include <mutex>

int main() {
    std::mutex mutex;
    mutex.lock();
    mutex.lock();
}
