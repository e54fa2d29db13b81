// ATTACK: nothing but a comment
// POINTS: 0
// FAILS: compiles
