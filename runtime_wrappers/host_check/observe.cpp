#include "runtime_wrappers/host_check/observe.h"

#include "runtime_wrappers/host_check/ledger.h"

namespace cudash::host_check {
namespace {

/// On which side of a real GPU's link the memory is. What is not known counts as the host's.
void locate(const Ledger& ledger, Side& side) {
    const auto entry = ledger.find(reinterpret_cast<std::uint64_t>(side.pointer));
    side.on_device = entry && entry->kind == Kind::device;
    side.on_host = !entry || entry->kind == Kind::locked;
    if (entry) side.memory = entry->memory;
}

void tell(const api::Active& runtime, const std::vector<Diagnostic>& found) {
    for (const Diagnostic& finding : found)
        if (runtime.events.diagnostic && runtime.ledger->is_new(finding)) runtime.events.diagnostic(finding);
}

}  // namespace

void note_copy(const api::Active& runtime, Copy copy) {
    if (!runtime.host_checks.copies) return;
    locate(*runtime.ledger, copy.to);
    locate(*runtime.ledger, copy.from);
    tell(runtime, look_at(copy, runtime.place()));
}

void note_fill(const api::Active& runtime, Fill fill) {
    if (!runtime.host_checks.copies) return;
    locate(*runtime.ledger, fill.to);
    tell(runtime, look_at(fill, runtime.place()));
}

void note_made(const api::Active& runtime, Kind kind, Memory memory) {
    memory.made = runtime.place();
    runtime.ledger->made(kind, std::move(memory), api::thread_state().device);
}

void note_ended(const api::Active& runtime, Kind kind, std::uint64_t handle) {
    const bool keeps_place = row_of(kind).memory;
    runtime.ledger->ended(kind, handle, keeps_place ? runtime.place().where : SourceSpot());
}

void note_reset(const api::Active& runtime) {
    runtime.ledger->reset(api::thread_state().device);
}

void explain_not_freed(const api::Active& runtime, const Lifetime& with, std::uint64_t address) {
    std::string& cause = api::thread_state().explanation.cause;
    if (cause.empty()) cause = runtime.ledger->why_not_freed(with, address);
}

}  // namespace cudash::host_check
