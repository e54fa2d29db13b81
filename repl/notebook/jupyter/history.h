// The cells of this kernel, for clients that offer them again.
#pragma once

#include <xeus/xhistory_manager.hpp>

#include <string>
#include <vector>

namespace cudash::notebook {

class History final : public xeus::xhistory_manager {
private:
    struct Entry {
        int line;
        std::string input;
    };

    void configure_impl() override {}
    void store_inputs_impl(int session, int line, const std::string& input, const std::string& output) override;
    nl::json get_tail_impl(int count, bool raw, bool output) const override;
    nl::json get_range_impl(int session, int start, int stop, bool raw, bool output) const override;
    nl::json search_impl(const std::string& pattern, bool raw, bool output, int count, bool unique) const override;
    static nl::json reply(const std::vector<const Entry*>& entries, bool output);

    std::vector<Entry> entries_;
};

}  // namespace cudash::notebook
