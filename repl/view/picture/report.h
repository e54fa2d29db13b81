// A whole profile: plain data, which a worker sends as it is. report_page.h makes a page of it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "repl/view/picture/pictures.h"

namespace cudash::view {

struct LaunchReport {
    SourceListing source;
    ResidencyPicture residency;
    std::vector<BankPicture> banks;      ///< of the lines with conflicts
    std::vector<SectorPicture> sectors;  ///< of the lines that move more than they need
    PartitionPicture partitions;
    std::vector<std::pair<std::string, std::string>> facts;  ///< "modelled time", "12.3 us, bound by ..."
};

struct Report {
    std::string title;
    std::vector<std::string> columns;  ///< of the table of launches
    std::vector<std::vector<std::string>> rows;
    std::vector<LaunchReport> launches;
    CachePicture cache;
    TimelinePicture timeline;
    std::vector<std::string> notes;
};

/// As of a picture: whether the numbers make sense together, so that a page can be made of them.
bool is_sound(const Report& report);

}  // namespace cudash::view
