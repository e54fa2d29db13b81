// `cudash doctor`: what was found on this machine, and how to get what is missing.
#pragma once

#include "repl/settings/settings.h"
#include "repl/view/display.h"
#include "repl/worker/client.h"

namespace cudash {

/// One line for each thing that cudash uses. Returns 0 if it can run programs, 69 if something it needs is missing.
int doctor(worker::Settings settings, const settings::Settings& values, const view::Display& display);

}  // namespace cudash
