// The part of the plan that says where lanes may part in compiled code: at branches whose sides lead to one join, all
// of what lies between being compiled. The code then goes on with a mask, for as long as the interpreter's fragment
// would; the registers of lanes that are elsewhere are kept.
#include <algorithm>

#include "runtime_wrappers/virtual_gpu/isa/handlers.h"
#include "runtime_wrappers/virtual_gpu/jit/kernel_plan.h"

namespace cudash::virtual_gpu {

bool KernelPlan::parts_lanes(std::uint32_t piece) const {
    return parting_pieces_.contains(piece);
}

bool KernelPlan::is_turn(std::uint32_t i) const {
    return code_.instructions[i].run == run_turn;
}

bool KernelPlan::only_exits() const {
    return !leaves_parted() && std::ranges::all_of(pieces_, [&](const Piece& piece) {
        return !piece.reached || !ends(plans_[piece.last].work) || code_.instructions[piece.last].run == run_exit;
    });
}

bool KernelPlan::leaves_parted() const {
    return std::ranges::any_of(parting_pieces_, [&](std::uint32_t piece) { return !parting(piece); });
}

std::vector<std::uint32_t> KernelPlan::others_behind(const Piece& piece) const {
    std::vector<std::uint32_t> others;
    std::set<std::uint32_t> after;
    if (!ends(plans_[piece.last].work) || is_turn(piece.last))
        for (std::uint32_t next : all_successors(piece.last)) after.insert(piece_of_[next]);
    for (std::uint32_t branch : piece.sides) {
        const Parting& parting = partings_.at(branch);
        if (!after.contains(levels_[parting.level].join)) continue;
        const bool taken = parting.taken_pieces.contains(piece_of_[piece.first]);
        others.push_back(taken ? parting.rest : parting.taken);
    }
    return others;
}

/// The pieces from `first` to before `join`. False: something between is the interpreter's.
bool KernelPlan::find_side(std::uint32_t first, std::uint32_t join, std::set<std::uint32_t>& side) const {
    std::vector<std::uint32_t> queue{first};
    side.insert(first);
    while (!queue.empty()) {
        const Piece& piece = pieces_[queue.back()];
        queue.pop_back();
        if (ends(plans_[piece.last].work) && !is_turn(piece.last)) return false;
        for (std::uint32_t i = piece.first; i <= piece.last; ++i)
            if (plans_[i].collective || code_.instructions[i].run == run_skip) return false;
        const std::vector<std::uint32_t> after = all_successors(piece.last);
        if (after.empty()) return false;
        for (std::uint32_t each : after) {
            const std::uint32_t next = piece_of_[each];
            if (next != join && side.insert(next).second) queue.push_back(next);
        }
    }
    return true;
}

bool KernelPlan::find_parting(std::uint32_t p, Parting& parting) const {
    const Piece& piece = pieces_[p];
    const Instruction& branch = code_.instructions[piece.last];
    if (branch.c == no_index || piece.last + 1 >= count()) return false;
    const std::uint32_t join = piece_of_[branch.c];
    if (join == no_index) return false;
    const std::uint32_t taken = piece_of_[static_cast<std::uint32_t>(branch.target - code_.instructions.data())];
    const std::uint32_t rest = piece_of_[piece.last + 1];
    if (taken == rest) return false;
    if (taken != join) {
        parting.taken = taken;
        if (!find_side(taken, join, parting.taken_pieces)) return false;
    }
    if (rest != join) {
        parting.rest = rest;
        if (!find_side(rest, join, parting.rest_pieces)) return false;
    }
    parting.has_two_sides = taken != join && rest != join;
    if (!parting.has_two_sides) return true;
    // Each side is gone through once.
    if (parting.taken_pieces.contains(p) || parting.rest_pieces.contains(p)) return false;
    return std::ranges::none_of(parting.taken_pieces,
                                [&](std::uint32_t each) { return parting.rest_pieces.contains(each); });
}

/// From the partings to levels, one for each join.
void KernelPlan::find_levels() {
    levels_.clear();
    std::map<std::uint32_t, std::uint32_t> by_join;
    for (auto& [p, parting] : partings_) {
        const std::uint32_t join = piece_of_[code_.instructions[pieces_[p].last].c];
        const auto [at, is_new] = by_join.try_emplace(join, static_cast<std::uint32_t>(levels_.size()));
        if (is_new) levels_.push_back({join, {}});
        parting.level = at->second;
        Level& level = levels_[parting.level];
        level.pieces.insert(parting.taken_pieces.begin(), parting.taken_pieces.end());
        level.pieces.insert(parting.rest_pieces.begin(), parting.rest_pieces.end());
    }
}

bool KernelPlan::find_partings() {
    const std::size_t known = partings_.size();
    std::vector<std::set<std::uint32_t>> kept_before;
    for (const Piece& piece : pieces_) kept_before.push_back(piece.kept);
    partings_.clear();
    for (std::uint32_t p : parting_pieces_) {
        Parting parting;
        if (find_parting(p, parting)) partings_.emplace(p, std::move(parting));
    }
    for (bool changed = true; changed;) {
        find_levels();
        changed = std::erase_if(partings_, [&](const auto& entry) {
                      const auto is_whole = [&](const std::set<std::uint32_t>& side) {
                          return std::ranges::all_of(
                              side, [&](std::uint32_t each) { return !parts_lanes(each) || partings_.contains(each); });
                      };
                      const auto& [p, parting] = entry;
                      if (!is_whole(parting.taken_pieces) || !is_whole(parting.rest_pieces)) return true;
                      // Levels lie in each other, or apart.
                      const Level& own = levels_[parting.level];
                      return std::ranges::any_of(levels_, [&](const Level& other) {
                          const auto shared = static_cast<std::size_t>(std::ranges::count_if(
                              own.pieces, [&](std::uint32_t each) { return other.pieces.contains(each); }));
                          return shared != 0 && shared != own.pieces.size() && shared != other.pieces.size();
                      });
                  }) != 0;
    }
    keep_registers();
    if (std::ranges::any_of(
            pieces_, [](const Piece& piece) { return piece.levels.size() + piece.sides.size() > most_partings; })) {
        partings_.clear();
        levels_.clear();
        keep_registers();
    }
    bool grew = partings_.size() != known;
    for (std::uint32_t p = 0; p < pieces_.size(); ++p) grew |= pieces_[p].kept != kept_before[p];
    return grew;
}

void KernelPlan::keep_registers() {
    for (std::uint32_t p = 0; p < pieces_.size(); ++p) {
        Piece& piece = pieces_[p];
        piece.levels.clear();
        piece.sides.clear();
        piece.kept.clear();
        for (std::uint32_t l = 0; l < levels_.size(); ++l)
            if (levels_[l].pieces.contains(p)) piece.levels.push_back(l);
        // Of two levels the outer one has more pieces; where they have the same, the inner one's join is the other's.
        std::ranges::sort(piece.levels, [&](std::uint32_t a, std::uint32_t b) {
            return levels_[a].pieces.size() > levels_[b].pieces.size();
        });
        const auto keep = [&](std::uint32_t at) {
            piece.kept.insert(pieces_[at].live_in.begin(), pieces_[at].live_in.end());
        };
        for (std::uint32_t l : piece.levels) keep(levels_[l].join);
        for (const auto& [branch, parting] : partings_) {
            if (!parting.has_two_sides) continue;
            const bool taken = parting.taken_pieces.contains(p);
            if (!taken && !parting.rest_pieces.contains(p)) continue;
            piece.sides.push_back(branch);
            keep(taken ? parting.rest : parting.taken);
        }
        std::ranges::sort(piece.sides, [&](std::uint32_t a, std::uint32_t b) {
            const auto size = [&](std::uint32_t branch) {
                const Parting& parting = partings_.at(branch);
                return parting.taken_pieces.size() + parting.rest_pieces.size();
            };
            return size(a) > size(b);
        });
    }
}

}  // namespace cudash::virtual_gpu
