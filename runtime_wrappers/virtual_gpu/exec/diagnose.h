// Turns a fault of a running kernel into a diagnostic: who did what where, and what lies near the address.
#pragma once

#include <string>

#include "runtime_wrappers/virtual_gpu/exec/warp.h"

namespace cudash::virtual_gpu {

struct AccessShape;
struct Launch;

/// Ends the launch with a fault of the lowest active lane (or `lane`) at `at`; returns nullptr, as the handler should.
const Instruction* raise(Warp& warp, const Instruction* at, LaunchStatus status, std::string code, std::string message,
                         int lane = -1, std::string hint = {});

/// The same for an access at `address` by `lane` that is misaligned or out of bounds.
const Instruction* raise_access(Warp& warp, const Instruction* at, unsigned lane, Address address,
                                const AccessShape& shape);

/// Bytes of memory as a program would print them: floats look like floats only if they are likely ones.
std::string value_text(const std::byte* bytes, std::uint32_t size);

/// The thread's stack is full; `what` begins the sentence: "the calls of a thread need".
const Instruction* raise_stack_overflow(Warp& warp, const Instruction* at, std::string_view what, int lane = -1);

/// Headers of the toolkit and what NVRTC builds in are nobody's own source.
bool is_foreign(const SourceSpot& where);
/// Whether the compiler names the line that an instruction is of. Where it moved or joined code, it names none.
bool has_own_line(const Code& code, const Instruction* at);
/// The source line of an instruction, or one near it; where it was inlined from goes to `notes`.
SourceSpot source_spot(const Launch& launch, const Code& code, const Instruction* at,
                       std::vector<Diagnostic::Note>* notes = nullptr);

/// "(1,0,0)"
std::string coordinates(const Dim3& at);
Dim3 thread_at(const Warp& warp, unsigned lane);

}  // namespace cudash::virtual_gpu
