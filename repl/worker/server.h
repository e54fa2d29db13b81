// The worker's side: one session, driven by the front end through a socket.
#pragma once

namespace cudash::worker {

/// Serves the front end at the other end of `socket` until it hangs up. `window`: memory that is shared with it, for
/// what is too long for messages; -1: none. Returns the process's exit status.
int serve(int socket, int window);

}  // namespace cudash::worker
