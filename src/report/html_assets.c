#include "html.h"

/* A file of the tree as bytes of the program, a zero byte behind it. */
#define HTML_ASSET(name, file)                                                                     \
    __asm__(".pushsection .rodata, \"a\"\n"                                                        \
            ".global " #name "\n" #name ":\n"                                                      \
            ".incbin \"src/report/" file "\"\n"                                                    \
            ".byte 0\n"                                                                            \
            ".popsection\n")

HTML_ASSET(html_uplot_js, "uplot/uPlot.iife.min.js");
HTML_ASSET(html_uplot_css, "uplot/uPlot.min.css");
HTML_ASSET(html_uplot_license, "uplot/LICENSE");
HTML_ASSET(html_page_js, "html/page.js");
HTML_ASSET(html_page_css, "html/page.css");
