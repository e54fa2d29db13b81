// Where clang looks for similar names ("did you mean"). `template <class K> void f(K kernel) { kernel<<<1, warps>>>();
// }` with `warps` misspelt: clang 19 can't put a similar name into the configuration of a launch whose kernel is a
// template's parameter, and tries again until its stack is at an end. There it must not look.
#pragma once

namespace clang {
class CompilerInstance;
class LangOptions;
}  // namespace clang

namespace cudash::session {

class Spelling {
public:
    explicit Spelling(clang::CompilerInstance& compiler);
    /// A text begins. `wanted`: names may be looked for in it.
    void begin(bool wanted);

private:
    class NamesNotFound;

    clang::LangOptions& options_;
    bool wanted_ = true;
};

}  // namespace cudash::session
