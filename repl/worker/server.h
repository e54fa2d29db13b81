// The worker's side: one session, driven by the front end through a socket.
#pragma once

namespace cudash::worker {

/// Serves the front end at the other end of `socket` until it hangs up. Returns the process's exit status.
int serve(int socket);

}  // namespace cudash::worker
