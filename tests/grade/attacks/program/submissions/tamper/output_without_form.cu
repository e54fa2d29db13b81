// ATTACK: prints what terminals, tables and browsers take for something else
// STOPS: results hold printable text alone
// POINTS: 0
// FAILS: the answer
#include <cstdio>

int main() { printf("\x1b[2J\x1b]0;title\a =1+1,<script>alert(1)</script>]]>&amp;\xef\xbf\xbf\xff\xc0\x80\xe2\x80\xae\x85\r\b\n"); }
