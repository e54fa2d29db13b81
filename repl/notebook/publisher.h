// What a kernel says to its clients, whoever carries it: https://jupyter-client.readthedocs.io/en/stable/messaging.html
#pragma once

#include <string>
#include <vector>

#include "repl/json.h"
#include "repl/worker/input_pipe.h"

namespace cudash::notebook {

using nlohmann::json;

class Publisher {
public:
    virtual ~Publisher() = default;

    /// Of the program's `stdout` or `stderr`.
    virtual void stream(const std::string& name, const std::string& text) = 0;
    /// `data`: forms of one thing by their MIME types.
    virtual void display(json data) = 0;
    /// A display that later ones with the same identity (`update`) take the place of.
    virtual void display(json data, const std::string& identity, bool update) = 0;
    virtual void result(int execution_count, json data) = 0;
    /// `traceback`: what front ends show of it, as for a terminal in color.
    virtual void error(const std::string& name, const std::string& value,
                       const std::vector<std::string>& traceback) = 0;
    /// Waits for what the user enters.
    virtual worker::Input ask() = 0;
};

}  // namespace cudash::notebook
