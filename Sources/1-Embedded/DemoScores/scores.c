#include "DemoScores.h"

/* #embed is C23; the compiler accepts it in every mode and would only warn. */
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char chart_amazing_grace_bflat[] = {
#embed "charts/amazing-grace-bflat.pdf"
};
static const unsigned char chart_amazing_grace_lead_g[] = {
#embed "charts/amazing-grace-lead-g.pdf"
};
static const unsigned char chart_amazing_grace_violin[] = {
#embed "charts/amazing-grace-violin.pdf"
};
static const unsigned char chart_chorale_tunes_rotated[] = {
#embed "charts/chorale-tunes-rotated.pdf"
};
static const unsigned char chart_holy_holy_holy_full_score[] = {
#embed "charts/holy-holy-holy-full-score.pdf"
};
static const unsigned char chart_holy_holy_holy_hymn[] = {
#embed "charts/holy-holy-holy-hymn.pdf"
};
static const unsigned char chart_holy_holy_holy_trumpet[] = {
#embed "charts/holy-holy-holy-trumpet.pdf"
};
static const unsigned char chart_holy_holy_holy_violin[] = {
#embed "charts/holy-holy-holy-violin.pdf"
};
static const unsigned char chart_old_songbook_scan[] = {
#embed "charts/old-songbook-scan.pdf"
};
static const unsigned char chart_piano_album[] = {
#embed "charts/piano-album.pdf"
};
static const unsigned char chart_riverside_lead[] = {
#embed "charts/riverside-lead.pdf"
};
static const unsigned char chart_saints_chord_chart[] = {
#embed "charts/saints-chord-chart.pdf"
};
static const unsigned char chart_session_tunes_mixed[] = {
#embed "charts/session-tunes-mixed.pdf"
};
static const unsigned char chart_silent_night_landscape[] = {
#embed "charts/silent-night-landscape.pdf"
};
static const unsigned char chart_simple_gifts_scan_g4[] = {
#embed "charts/simple-gifts-scan-g4.pdf"
};
static const unsigned char chart_swing_low_plain[] = {
#embed "charts/swing-low-plain.pdf"
};
static const unsigned char marks_amazing_grace_lead_g__104__my_notes[] = {
#embed "marks/amazing-grace-lead-g--104--my-notes.json"
};
static const unsigned char marks_amazing_grace_lead_g__117__singers[] = {
#embed "marks/amazing-grace-lead-g--117--singers.json"
};
static const unsigned char marks_amazing_grace_violin__104__bowings[] = {
#embed "marks/amazing-grace-violin--104--bowings.json"
};
static const unsigned char marks_chorale_tunes_rotated__117__rehearsal[] = {
#embed "marks/chorale-tunes-rotated--117--rehearsal.json"
};
static const unsigned char marks_holy_holy_holy_full_score__104__bowings[] = {
#embed "marks/holy-holy-holy-full-score--104--bowings.json"
};
static const unsigned char marks_holy_holy_holy_full_score__117__conductor[] = {
#embed "marks/holy-holy-holy-full-score--117--conductor.json"
};
static const unsigned char marks_old_songbook_scan__104__pencil[] = {
#embed "marks/old-songbook-scan--104--pencil.json"
};
static const unsigned char marks_piano_album__104__fingering[] = {
#embed "marks/piano-album--104--fingering.json"
};
static const unsigned char marks_riverside_lead__104__chord_ideas[] = {
#embed "marks/riverside-lead--104--chord-ideas.json"
};
static const unsigned char marks_riverside_lead__117__roadmap[] = {
#embed "marks/riverside-lead--117--roadmap.json"
};
static const unsigned char marks_saints_chord_chart__117__band_leader[] = {
#embed "marks/saints-chord-chart--117--band-leader.json"
};
static const unsigned char text_amazing_grace[] = {
#embed "texts/amazing-grace.txt"
};
static const unsigned char text_down_by_the_riverside[] = {
#embed "texts/down-by-the-riverside.txt"
};
static const unsigned char text_holy_holy_holy[] = {
#embed "texts/holy-holy-holy.txt"
};
static const unsigned char text_o_come_emmanuel[] = {
#embed "texts/o-come-emmanuel.txt"
};
static const unsigned char text_shall_we_gather[] = {
#embed "texts/shall-we-gather.txt"
};
static const unsigned char text_silent_night[] = {
#embed "texts/silent-night.txt"
};
static const unsigned char text_simple_gifts[] = {
#embed "texts/simple-gifts.txt"
};
static const unsigned char text_swing_low[] = {
#embed "texts/swing-low.txt"
};
static const unsigned char text_two_chorales[] = {
#embed "texts/two-chorales.txt"
};
static const unsigned char text_when_the_saints[] = {
#embed "texts/when-the-saints.txt"
};

const struct demo_score demo_scores[] = {
    {"amazing-grace-bflat", "chart", chart_amazing_grace_bflat, sizeof chart_amazing_grace_bflat},
    {"amazing-grace-lead-g", "chart", chart_amazing_grace_lead_g, sizeof chart_amazing_grace_lead_g},
    {"amazing-grace-violin", "chart", chart_amazing_grace_violin, sizeof chart_amazing_grace_violin},
    {"chorale-tunes-rotated", "chart", chart_chorale_tunes_rotated, sizeof chart_chorale_tunes_rotated},
    {"holy-holy-holy-full-score", "chart", chart_holy_holy_holy_full_score, sizeof chart_holy_holy_holy_full_score},
    {"holy-holy-holy-hymn", "chart", chart_holy_holy_holy_hymn, sizeof chart_holy_holy_holy_hymn},
    {"holy-holy-holy-trumpet", "chart", chart_holy_holy_holy_trumpet, sizeof chart_holy_holy_holy_trumpet},
    {"holy-holy-holy-violin", "chart", chart_holy_holy_holy_violin, sizeof chart_holy_holy_holy_violin},
    {"old-songbook-scan", "chart", chart_old_songbook_scan, sizeof chart_old_songbook_scan},
    {"piano-album", "chart", chart_piano_album, sizeof chart_piano_album},
    {"riverside-lead", "chart", chart_riverside_lead, sizeof chart_riverside_lead},
    {"saints-chord-chart", "chart", chart_saints_chord_chart, sizeof chart_saints_chord_chart},
    {"session-tunes-mixed", "chart", chart_session_tunes_mixed, sizeof chart_session_tunes_mixed},
    {"silent-night-landscape", "chart", chart_silent_night_landscape, sizeof chart_silent_night_landscape},
    {"simple-gifts-scan-g4", "chart", chart_simple_gifts_scan_g4, sizeof chart_simple_gifts_scan_g4},
    {"swing-low-plain", "chart", chart_swing_low_plain, sizeof chart_swing_low_plain},
    {"amazing-grace-lead-g--104--my-notes", "marks", marks_amazing_grace_lead_g__104__my_notes, sizeof marks_amazing_grace_lead_g__104__my_notes},
    {"amazing-grace-lead-g--117--singers", "marks", marks_amazing_grace_lead_g__117__singers, sizeof marks_amazing_grace_lead_g__117__singers},
    {"amazing-grace-violin--104--bowings", "marks", marks_amazing_grace_violin__104__bowings, sizeof marks_amazing_grace_violin__104__bowings},
    {"chorale-tunes-rotated--117--rehearsal", "marks", marks_chorale_tunes_rotated__117__rehearsal, sizeof marks_chorale_tunes_rotated__117__rehearsal},
    {"holy-holy-holy-full-score--104--bowings", "marks", marks_holy_holy_holy_full_score__104__bowings, sizeof marks_holy_holy_holy_full_score__104__bowings},
    {"holy-holy-holy-full-score--117--conductor", "marks", marks_holy_holy_holy_full_score__117__conductor, sizeof marks_holy_holy_holy_full_score__117__conductor},
    {"old-songbook-scan--104--pencil", "marks", marks_old_songbook_scan__104__pencil, sizeof marks_old_songbook_scan__104__pencil},
    {"piano-album--104--fingering", "marks", marks_piano_album__104__fingering, sizeof marks_piano_album__104__fingering},
    {"riverside-lead--104--chord-ideas", "marks", marks_riverside_lead__104__chord_ideas, sizeof marks_riverside_lead__104__chord_ideas},
    {"riverside-lead--117--roadmap", "marks", marks_riverside_lead__117__roadmap, sizeof marks_riverside_lead__117__roadmap},
    {"saints-chord-chart--117--band-leader", "marks", marks_saints_chord_chart__117__band_leader, sizeof marks_saints_chord_chart__117__band_leader},
    {"amazing-grace", "text", text_amazing_grace, sizeof text_amazing_grace},
    {"down-by-the-riverside", "text", text_down_by_the_riverside, sizeof text_down_by_the_riverside},
    {"holy-holy-holy", "text", text_holy_holy_holy, sizeof text_holy_holy_holy},
    {"o-come-emmanuel", "text", text_o_come_emmanuel, sizeof text_o_come_emmanuel},
    {"shall-we-gather", "text", text_shall_we_gather, sizeof text_shall_we_gather},
    {"silent-night", "text", text_silent_night, sizeof text_silent_night},
    {"simple-gifts", "text", text_simple_gifts, sizeof text_simple_gifts},
    {"swing-low", "text", text_swing_low, sizeof text_swing_low},
    {"two-chorales", "text", text_two_chorales, sizeof text_two_chorales},
    {"when-the-saints", "text", text_when_the_saints, sizeof text_when_the_saints},
};
const size_t demo_scores_count = sizeof demo_scores / sizeof demo_scores[0];
