// What `:profile` draws: the profiler's launches as the plain data of pictures (repl/view/picture).
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "repl/view/picture/pictures.h"
#include "runtime_wrappers/result.h"
#include "runtime_wrappers/virtual_gpu/profile/profiler.h"

namespace cudash::session {

/// The text of a line of a file or cell; empty: not known.
using LineText = std::function<std::string(const std::string& file, unsigned line)>;

view::SourceListing source_listing(const virtual_gpu::LaunchProfile& launch, const LineText& source);
/// Of the access at the line that costs most against what is ideal. An error where there is none.
Result<view::BankPicture> bank_picture(const virtual_gpu::LaunchProfile& launch, std::string_view line);
Result<view::SectorPicture> sector_picture(const virtual_gpu::LaunchProfile& launch, std::string_view line);
view::ResidencyPicture residency_picture(const virtual_gpu::LaunchProfile& launch);
view::PartitionPicture partition_picture(const virtual_gpu::LaunchProfile& launch);
view::CachePicture cache_picture(const virtual_gpu::Profiler& profiler);
view::TimelinePicture timeline_picture(const virtual_gpu::Profiler& profiler);

}  // namespace cudash::session
