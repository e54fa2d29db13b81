// REPLY: Which words before a function say for which side it is compiled?
Place diagonal(int bid, int columns, int rows) {
    int y = bid % rows;
    int x = (bid / rows + y) % columns;
    return {x, y};
}
