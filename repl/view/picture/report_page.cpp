#include "repl/view/picture/report_page.h"

#include "repl/view/markup.h"
#include "repl/view/picture/page.h"
#include "repl/view/picture/svg.h"

namespace cudash::view {
namespace {

constexpr std::string_view style =
    "html.cudash{background:var(--cd-paper)}body{margin:2em auto;max-width:70em;padding:0 1em}"
    "h2{margin-top:2em;border-top:2px solid var(--cd-quiet);padding-top:.5em}";

}  // namespace

std::string html(const Report& report) {
    std::string text = "<!DOCTYPE html>\n<html lang=\"en\" class=\"cudash\"><head><meta charset=\"utf-8\"/><title>" +
                       escaped(report.title) + "</title>\n<style>" + page_css() + std::string(style) +
                       "</style></head><body>\n<h1>" + escaped(report.title) + "</h1>\n";
    for (const std::string& note : report.notes) text += "<p>" + escaped(note) + "</p>\n";
    if (!report.rows.empty())
        text += "<section id=\"launches\">" + table_html(report.columns, report.rows) + "</section>\n";
    text += figure(report.timeline).html() + figure(report.cache).html();
    for (const LaunchReport& launch : report.launches) {
        text += "<section class=\"launch\"><h2>" + escaped(launch.source.title) + "</h2>\n<table>";
        for (const auto& [name, value] : launch.facts)
            text += "<tr>" + cell_html({name}) + cell_html({value}) + "</tr>";
        text += "</table>\n" + html(launch.source) + figure(launch.residency).html();
        for (const auto& each : launch.banks) text += figure(each).html();
        for (const auto& each : launch.sectors) text += figure(each).html();
        text += figure(launch.partitions).html() + "</section>\n";
    }
    return text + "</body></html>\n";
}

}  // namespace cudash::view
