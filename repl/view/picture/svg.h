// The pictures of pictures.h for pages: as SVG, for reports and for notebooks alike.
#pragma once

#include <string>

#include "repl/view/picture/figure.h"
#include "repl/view/picture/pictures.h"

namespace cudash::view {

/// Empty figures where there is nothing to show.
Figure figure(const BankPicture& picture);
Figure figure(const SectorPicture& picture);
Figure figure(const ResidencyPicture& picture);
Figure figure(const PartitionPicture& picture);
Figure figure(const CachePicture& picture);
Figure figure(const TimelinePicture& picture);

/// Source is text, and a table of the page.
std::string html(const SourceListing& listing);

}  // namespace cudash::view
