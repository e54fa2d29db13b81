// Which of the toolkit's headers device code is given for a header of the host.
#pragma once

#include <string_view>

namespace cudash::session {

/// The header of libcu++ that declares for device code what the host's header at `path` declares; empty if none does.
std::string_view device_stand_in(std::string_view path);

/// True if device code may include the toolkit's header `name`, as #include spells it.
bool is_device_header(std::string_view name);

}  // namespace cudash::session
