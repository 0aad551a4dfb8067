#include "ViewerPages.h"

/* #embed is C23; the compiler accepts it in every mode and would only warn. */
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char page_api_js[] = {
#embed "assets/api.js"
};
static const unsigned char page_app_js[] = {
#embed "assets/app.js"
};
static const unsigned char page_banner_js[] = {
#embed "assets/banner.js"
};
static const unsigned char page_base_css[] = {
#embed "assets/base.css"
};
static const unsigned char page_chart_book_js[] = {
#embed "assets/chart-book.js"
};
static const unsigned char page_cue_js[] = {
#embed "assets/cue.js"
};
static const unsigned char page_decoder_js[] = {
#embed "assets/decoder.js"
};
static const unsigned char page_dom_js[] = {
#embed "assets/dom.js"
};
static const unsigned char page_events_js[] = {
#embed "assets/events.js"
};
static const unsigned char page_finder_js[] = {
#embed "assets/finder.js"
};
static const unsigned char page_half_cut_js[] = {
#embed "assets/half-cut.js"
};
static const unsigned char page_home_screen_png[] = {
#embed "assets/home-screen.png"
};
static const unsigned char page_icon_svg[] = {
#embed "assets/icon.svg"
};
static const unsigned char page_index_html[] = {
#embed "assets/index.html"
};
static const unsigned char page_keys_help_js[] = {
#embed "assets/keys-help.js"
};
static const unsigned char page_keys_js[] = {
#embed "assets/keys.js"
};
static const unsigned char page_layers_panel_js[] = {
#embed "assets/layers-panel.js"
};
static const unsigned char page_layout_js[] = {
#embed "assets/layout.js"
};
static const unsigned char page_manifest_json[] = {
#embed "assets/manifest.json"
};
static const unsigned char page_margin_box_js[] = {
#embed "assets/margin-box.js"
};
static const unsigned char page_margins_js[] = {
#embed "assets/margins.js"
};
static const unsigned char page_night_js[] = {
#embed "assets/night.js"
};
static const unsigned char page_page_cards_js[] = {
#embed "assets/page-cards.js"
};
static const unsigned char page_page_decoder_js[] = {
#embed "assets/page-decoder.js"
};
static const unsigned char page_page_prompt_js[] = {
#embed "assets/page-prompt.js"
};
static const unsigned char page_page_store_js[] = {
#embed "assets/page-store.js"
};
static const unsigned char page_panel_js[] = {
#embed "assets/panel.js"
};
static const unsigned char page_panels_css[] = {
#embed "assets/panels.css"
};
static const unsigned char page_parts_panel_js[] = {
#embed "assets/parts-panel.js"
};
static const unsigned char page_pedals_js[] = {
#embed "assets/pedals.js"
};
static const unsigned char page_pictures_js[] = {
#embed "assets/pictures.js"
};
static const unsigned char page_plan_book_js[] = {
#embed "assets/plan-book.js"
};
static const unsigned char page_plan_holder_js[] = {
#embed "assets/plan-holder.js"
};
static const unsigned char page_plan_parts_js[] = {
#embed "assets/plan-parts.js"
};
static const unsigned char page_plan_view_js[] = {
#embed "assets/plan-view.js"
};
static const unsigned char page_plans_view_js[] = {
#embed "assets/plans-view.js"
};
static const unsigned char page_plans_css[] = {
#embed "assets/plans.css"
};
static const unsigned char page_print_js[] = {
#embed "assets/print.js"
};
static const unsigned char page_reader_bar_js[] = {
#embed "assets/reader-bar.js"
};
static const unsigned char page_reader_commands_js[] = {
#embed "assets/reader-commands.js"
};
static const unsigned char page_reader_hint_js[] = {
#embed "assets/reader-hint.js"
};
static const unsigned char page_reader_input_js[] = {
#embed "assets/reader-input.js"
};
static const unsigned char page_reader_news_js[] = {
#embed "assets/reader-news.js"
};
static const unsigned char page_reader_pages_js[] = {
#embed "assets/reader-pages.js"
};
static const unsigned char page_reader_css[] = {
#embed "assets/reader.css"
};
static const unsigned char page_reader_js[] = {
#embed "assets/reader.js"
};
static const unsigned char page_routes_js[] = {
#embed "assets/routes.js"
};
static const unsigned char page_running_order_js[] = {
#embed "assets/running-order.js"
};
static const unsigned char page_settings_js[] = {
#embed "assets/settings.js"
};
static const unsigned char page_side_by_side_js[] = {
#embed "assets/side-by-side.js"
};
static const unsigned char page_stage_parts_js[] = {
#embed "assets/stage-parts.js"
};
static const unsigned char page_stage_js[] = {
#embed "assets/stage.js"
};
static const unsigned char page_stand_ins_js[] = {
#embed "assets/stand-ins.js"
};
static const unsigned char page_strip_js[] = {
#embed "assets/strip.js"
};
static const unsigned char page_telling_js[] = {
#embed "assets/telling.js"
};
static const unsigned char page_theme_js[] = {
#embed "assets/theme.js"
};
static const unsigned char page_times_js[] = {
#embed "assets/times.js"
};
static const unsigned char page_turn_clock_js[] = {
#embed "assets/turn-clock.js"
};
static const unsigned char page_view_panel_js[] = {
#embed "assets/view-panel.js"
};
static const unsigned char page_wake_js[] = {
#embed "assets/wake.js"
};

const struct viewer_page viewer_pages[] = {
    {"api.js", "text/javascript; charset=utf-8", page_api_js, sizeof page_api_js},
    {"app.js", "text/javascript; charset=utf-8", page_app_js, sizeof page_app_js},
    {"banner.js", "text/javascript; charset=utf-8", page_banner_js, sizeof page_banner_js},
    {"base.css", "text/css; charset=utf-8", page_base_css, sizeof page_base_css},
    {"chart-book.js", "text/javascript; charset=utf-8", page_chart_book_js, sizeof page_chart_book_js},
    {"cue.js", "text/javascript; charset=utf-8", page_cue_js, sizeof page_cue_js},
    {"decoder.js", "text/javascript; charset=utf-8", page_decoder_js, sizeof page_decoder_js},
    {"dom.js", "text/javascript; charset=utf-8", page_dom_js, sizeof page_dom_js},
    {"events.js", "text/javascript; charset=utf-8", page_events_js, sizeof page_events_js},
    {"finder.js", "text/javascript; charset=utf-8", page_finder_js, sizeof page_finder_js},
    {"half-cut.js", "text/javascript; charset=utf-8", page_half_cut_js, sizeof page_half_cut_js},
    {"home-screen.png", "image/png", page_home_screen_png, sizeof page_home_screen_png},
    {"icon.svg", "image/svg+xml", page_icon_svg, sizeof page_icon_svg},
    {"index.html", "text/html; charset=utf-8", page_index_html, sizeof page_index_html},
    {"keys-help.js", "text/javascript; charset=utf-8", page_keys_help_js, sizeof page_keys_help_js},
    {"keys.js", "text/javascript; charset=utf-8", page_keys_js, sizeof page_keys_js},
    {"layers-panel.js", "text/javascript; charset=utf-8", page_layers_panel_js, sizeof page_layers_panel_js},
    {"layout.js", "text/javascript; charset=utf-8", page_layout_js, sizeof page_layout_js},
    {"manifest.json", "application/manifest+json", page_manifest_json, sizeof page_manifest_json},
    {"margin-box.js", "text/javascript; charset=utf-8", page_margin_box_js, sizeof page_margin_box_js},
    {"margins.js", "text/javascript; charset=utf-8", page_margins_js, sizeof page_margins_js},
    {"night.js", "text/javascript; charset=utf-8", page_night_js, sizeof page_night_js},
    {"page-cards.js", "text/javascript; charset=utf-8", page_page_cards_js, sizeof page_page_cards_js},
    {"page-decoder.js", "text/javascript; charset=utf-8", page_page_decoder_js, sizeof page_page_decoder_js},
    {"page-prompt.js", "text/javascript; charset=utf-8", page_page_prompt_js, sizeof page_page_prompt_js},
    {"page-store.js", "text/javascript; charset=utf-8", page_page_store_js, sizeof page_page_store_js},
    {"panel.js", "text/javascript; charset=utf-8", page_panel_js, sizeof page_panel_js},
    {"panels.css", "text/css; charset=utf-8", page_panels_css, sizeof page_panels_css},
    {"parts-panel.js", "text/javascript; charset=utf-8", page_parts_panel_js, sizeof page_parts_panel_js},
    {"pedals.js", "text/javascript; charset=utf-8", page_pedals_js, sizeof page_pedals_js},
    {"pictures.js", "text/javascript; charset=utf-8", page_pictures_js, sizeof page_pictures_js},
    {"plan-book.js", "text/javascript; charset=utf-8", page_plan_book_js, sizeof page_plan_book_js},
    {"plan-holder.js", "text/javascript; charset=utf-8", page_plan_holder_js, sizeof page_plan_holder_js},
    {"plan-parts.js", "text/javascript; charset=utf-8", page_plan_parts_js, sizeof page_plan_parts_js},
    {"plan-view.js", "text/javascript; charset=utf-8", page_plan_view_js, sizeof page_plan_view_js},
    {"plans-view.js", "text/javascript; charset=utf-8", page_plans_view_js, sizeof page_plans_view_js},
    {"plans.css", "text/css; charset=utf-8", page_plans_css, sizeof page_plans_css},
    {"print.js", "text/javascript; charset=utf-8", page_print_js, sizeof page_print_js},
    {"reader-bar.js", "text/javascript; charset=utf-8", page_reader_bar_js, sizeof page_reader_bar_js},
    {"reader-commands.js", "text/javascript; charset=utf-8", page_reader_commands_js, sizeof page_reader_commands_js},
    {"reader-hint.js", "text/javascript; charset=utf-8", page_reader_hint_js, sizeof page_reader_hint_js},
    {"reader-input.js", "text/javascript; charset=utf-8", page_reader_input_js, sizeof page_reader_input_js},
    {"reader-news.js", "text/javascript; charset=utf-8", page_reader_news_js, sizeof page_reader_news_js},
    {"reader-pages.js", "text/javascript; charset=utf-8", page_reader_pages_js, sizeof page_reader_pages_js},
    {"reader.css", "text/css; charset=utf-8", page_reader_css, sizeof page_reader_css},
    {"reader.js", "text/javascript; charset=utf-8", page_reader_js, sizeof page_reader_js},
    {"routes.js", "text/javascript; charset=utf-8", page_routes_js, sizeof page_routes_js},
    {"running-order.js", "text/javascript; charset=utf-8", page_running_order_js, sizeof page_running_order_js},
    {"settings.js", "text/javascript; charset=utf-8", page_settings_js, sizeof page_settings_js},
    {"side-by-side.js", "text/javascript; charset=utf-8", page_side_by_side_js, sizeof page_side_by_side_js},
    {"stage-parts.js", "text/javascript; charset=utf-8", page_stage_parts_js, sizeof page_stage_parts_js},
    {"stage.js", "text/javascript; charset=utf-8", page_stage_js, sizeof page_stage_js},
    {"stand-ins.js", "text/javascript; charset=utf-8", page_stand_ins_js, sizeof page_stand_ins_js},
    {"strip.js", "text/javascript; charset=utf-8", page_strip_js, sizeof page_strip_js},
    {"telling.js", "text/javascript; charset=utf-8", page_telling_js, sizeof page_telling_js},
    {"theme.js", "text/javascript; charset=utf-8", page_theme_js, sizeof page_theme_js},
    {"times.js", "text/javascript; charset=utf-8", page_times_js, sizeof page_times_js},
    {"turn-clock.js", "text/javascript; charset=utf-8", page_turn_clock_js, sizeof page_turn_clock_js},
    {"view-panel.js", "text/javascript; charset=utf-8", page_view_panel_js, sizeof page_view_panel_js},
    {"wake.js", "text/javascript; charset=utf-8", page_wake_js, sizeof page_wake_js},
};
const size_t viewer_pages_count = sizeof viewer_pages / sizeof viewer_pages[0];
