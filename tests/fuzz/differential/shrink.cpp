#include "tests/fuzz/differential/shrink.h"

namespace cudash::fuzz {
namespace {

/// All statement lists of the tree, outer ones first: the earlier a cut, the more goes with it.
void collect(std::vector<Statement>& list, std::vector<std::vector<Statement>*>& lists) {
    lists.push_back(&list);
    for (Statement& statement : list)
        for (Statement::Arm& arm : statement.arms) collect(arm.body, lists);
}

}  // namespace

Kernel shrink(Kernel kernel, const std::function<bool(const Kernel&)>& fails, unsigned most_tries) {
    unsigned tries = 0;
    for (bool smaller = true; smaller;) {
        smaller = false;
        for (std::size_t chunk : {8, 4, 2, 1}) {
            for (std::size_t which = 0;; ++which) {
                std::vector<std::vector<Statement>*> lists;
                collect(kernel.body, lists);
                if (which >= lists.size()) break;
                for (std::size_t at = 0; at + chunk <= lists[which]->size();) {
                    if (++tries > most_tries) return kernel;
                    Kernel candidate = kernel;
                    std::vector<std::vector<Statement>*> places;
                    collect(candidate.body, places);
                    const auto from = places[which]->begin() + static_cast<std::ptrdiff_t>(at);
                    places[which]->erase(from, from + static_cast<std::ptrdiff_t>(chunk));
                    if (!fails(candidate)) {
                        ++at;
                        continue;
                    }
                    kernel = std::move(candidate);
                    lists.clear();
                    collect(kernel.body, lists);
                    smaller = true;
                }
            }
        }
    }
    return kernel;
}

}  // namespace cudash::fuzz
