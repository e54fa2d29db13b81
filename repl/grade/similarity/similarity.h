// Submissions that share structure: fingerprints of normalized tokens by winnowing (Schleimer, Wilkerson and Aiken,
// "Winnowing: Local Algorithms for Document Fingerprinting", SIGMOD 2003).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace cudash::grade {

struct Source {
    std::string name, text;
};

struct SimilarPair {
    std::size_t first = 0, second = 0;  ///< indexes of sources
    double share = 0;                   ///< of the smaller one's fingerprints that the other has, too: 0 to 1
    std::size_t shared = 0;             ///< fingerprints
    std::vector<unsigned> first_lines, second_lines;  ///< that belong to what is shared, in their order
};

struct Similarity {
    std::vector<SimilarPair> pairs;      ///< the most similar first
    std::vector<std::size_t> too_short;  ///< sources with too little of their own to be compared
};

struct SimilarityOptions {
    double least_share = 0.5;
};

/// What is in `common` (the starter) and what many sources have is nobody's own, and is left out.
Similarity find_similar(const std::vector<Source>& sources, const std::vector<std::string>& common,
                        const SimilarityOptions& options = {});

/// A page with both sides of each pair, which needs nothing beside it.
std::string similarity_page(const std::string& title, const std::vector<Source>& sources, const Similarity& similarity);
std::string similarity_text(const std::vector<Source>& sources, const Similarity& similarity);

}  // namespace cudash::grade
