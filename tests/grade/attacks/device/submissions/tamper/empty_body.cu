// ATTACK: nothing but a comment
// STOPS: wrong results are wrong results
// POINTS: 0
// FAILS: compiles
