// The cells that people type, as the transcripts, lessons and programs of this repository have them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace cudash::fuzz {

/// The cells of one file, in order: a later one may need what an earlier one declares.
using CellFile = std::vector<std::string>;

/// Reads transcripts (.cudash), Markdown (.md: the blocks of code) and programs (.cu, cut into cells) below `folders`,
/// in the order of their names. Commands are left out.
std::vector<CellFile> read_cells(const std::vector<std::filesystem::path>& folders);

}  // namespace cudash::fuzz
