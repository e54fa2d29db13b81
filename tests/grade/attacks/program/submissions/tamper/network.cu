// ATTACK: opens connections (to this machine only)
// STOPS: namespaces; seccomp; Landlock
// POINTS: 0
// FAILS: the answer
#include <cuda_runtime.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/socket.h>
#include <netinet/in.h>

int main() {
    for (int family : {AF_INET, AF_INET6, AF_UNIX, AF_NETLINK, AF_PACKET})
        for (int type : {SOCK_STREAM, SOCK_DGRAM, SOCK_RAW})
            if (socket(family, type, 0) >= 0) printf("LEAK: socket of family %d\n", family);
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0) puts("LEAK: socketpair");
    sockaddr_in here{};
    here.sin_family = AF_INET;
    here.sin_port = htons(9);
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    for (int fd = 0; fd < 256; ++fd)
        if (connect(fd, (sockaddr*)&here, sizeof here) == 0 || sendto(fd, "x", 1, 0, (sockaddr*)&here, sizeof here) > 0)
            puts("LEAK: connected");
}
