// ATTACK: waits for a lock that it holds
// STOPS: processor time and time asleep, counted by the front end
// POINTS: 0
// FAILS: the answer
#include <mutex>

int main() {
    std::mutex mutex;
    mutex.lock();
    mutex.lock();
}
