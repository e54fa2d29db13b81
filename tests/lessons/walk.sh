# What a walk is made of. A terminal is a window of tmux; everything that the program writes is kept in $log. A walk
# waits for text, never for time; after the first text that does not come, the rest of the walk does nothing.

patience=${CUDASH_TEST_PATIENCE:-90} # seconds for one text, on a machine that is busy with other things

begin_walk() {
    walk_name=$1 lost= skipped_walk=
    export HOME=$scratch/$walk_name
    unset CUDASH_HOME
    mkdir -p "$HOME"
    log=$scratch/$walk_name.log
}

end_walk() {
    close_terminal
    if [ -n "$lost" ]; then
        failed=$((failed + 1))
    elif [ -n "$skipped_walk" ]; then
        skipped=$((skipped + 1))
    else
        passed=$((passed + 1))
    fi
}

# skip_walk REASON: it can't be walked here.
skip_walk() {
    skipped_walk=yes
    printf 'skipped %s: %s\n' "$walk_name" "$1"
}

fail() {
    [ -n "$lost" ] && return
    lost=yes
    printf 'FAILED %s: %s\n' "$walk_name" "$1"
    tail -n 24 "$log" | sed 's/^/  | /'
}

# open_terminal COLUMNS LINES COMMAND: runs it in a new window.
open_terminal() {
    close_terminal
    : >"$log"
    seen=0
    # The program begins when its output is being kept. Ctrl-C is for it, not for the shell around it.
    tmux -L "$socket" -f /dev/null new-session -d -s walk -e "HOME=$HOME" -x "$1" -y "$2" "trap : INT; read -r go; $3; printf 'ended with %s\n' \$?; read -r go" ||
        { fail "no terminal"; return; }
    tmux -L "$socket" pipe-pane -t walk "cat >> '$log'"
    tmux -L "$socket" send-keys -t walk Enter
}

close_terminal() { tmux -L "$socket" kill-session -t walk 2>/dev/null; }

# shows TEXT: waits until it has been written since the last text that was found.
shows() {
    [ -n "$lost" ] && return
    local deadline=$((SECONDS + patience)) found
    while true; do
        found=$(tail -c "+$((seen + 1))" "$log" | grep -a -F -o -b -m 1 -- "$1" | head -n 1)
        if [ -n "$found" ]; then
            seen=$((seen + ${found%%:*} + ${#1}))
            return
        fi
        if [ "$SECONDS" -ge "$deadline" ]; then
            fail "never shown: $1"
            return
        fi
        read -r -t 0.05 <> <(:)
    done
}

# type_line TEXT: as typed, with Enter.
type_line() {
    [ -n "$lost" ] && return
    local text=$1
    # tmux takes a `;` at the end for its own.
    if [[ $text == *';' ]]; then text=${text%;}'\;'; fi
    tmux -L "$socket" send-keys -t walk -l -- "$text"
    tmux -L "$socket" send-keys -t walk Enter
}
press() { [ -n "$lost" ] || tmux -L "$socket" send-keys -t walk "$@"; }

# screen NAME: what the terminal shows now is what screens/NAME.txt says.
screen() {
    [ -n "$lost" ] && return
    local expected=$here/screens/$1.txt actual
    actual=$(tmux -L "$socket" capture-pane -p -t walk)
    if [ "$rewrite" = --rewrite ]; then printf '%s\n' "$actual" >"$expected"; fi
    if [ "$actual" != "$(cat "$expected" 2>/dev/null)" ]; then
        diff -u --label expected --label actual "$expected" <(printf '%s\n' "$actual") | sed 's/^/  /'
        fail "the screen is not as in screens/$1.txt"
    fi
}

# holds FILE TEXT: waits until the file has the text in it. A prompt that has been shown may be the one before the command.
holds() {
    [ -n "$lost" ] && return
    local deadline=$((SECONDS + patience))
    until grep -q -s -F -- "$2" "$1"; do
        if [ "$SECONDS" -ge "$deadline" ]; then
            fail "$1 does not hold: $2"
            return
        fi
        read -r -t 0.05 <> <(:)
    done
}

# skip_to PROMPT: skips what comes until the prompt has this in it.
skip_to() {
    local i
    for ((i = 0; i < 80; i++)); do
        if [ -n "$lost" ]; then return; fi
        if tail -c 200 "$log" | tail -n 1 | grep -a -q -F -- "$1"; then return; fi
        type_line ':skip'
        shows ':skip'
        shows ']> '
    done
    fail "skipping does not lead to: $1"
}
