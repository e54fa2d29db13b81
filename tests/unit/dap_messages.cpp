// The framing of the Debug Adapter Protocol: messages in pieces of any size, and headers that are none.
#include <doctest/doctest.h>

#include "repl/dap/messages.h"

using cudash::dap::framed;
using cudash::dap::MessageReader;

TEST_CASE("dap messages: two that arrive byte by byte") {
    MessageReader reader;
    std::string found;
    for (const char byte : framed("{\"a\":1}") + framed("") + framed("[]")) {
        reader.append({&byte, 1});
        while (const auto text = reader.next()) found += "<" + *text + ">";
    }
    CHECK(found == "<{\"a\":1}><><[]>");
    CHECK(reader.problem().empty());
}

TEST_CASE("dap messages: other header lines, and any case") {
    MessageReader reader;
    reader.append("Content-Type: application/json\r\ncontent-length:  2 \r\n\r\n{}");
    CHECK(reader.next() == "{}");
}

TEST_CASE("dap messages: headers that can't be read") {
    const std::string long_header(2 * MessageReader::most_header, 'x');
    for (const std::string& text :
         {std::string("Hello\r\n\r\n"), std::string("Content-Length: two\r\n\r\n{}"),
          std::string("Content-Length: -2\r\n\r\n{}"), std::string("Content-Length: 99999999999\r\n\r\n"),
          std::string("Content-Length: 99999999999999999999999999\r\n\r\n"), long_header}) {
        MessageReader reader;
        reader.append(text);
        CHECK_FALSE(reader.next());
        CHECK_FALSE(reader.problem().empty());
        reader.append(framed("{}"));
        CHECK_FALSE(reader.next());
    }
}
