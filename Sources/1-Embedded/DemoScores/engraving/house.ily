%% House style shared by all demo charts.
\version "2.24.1"
#(ly:set-option 'point-and-click #f)
\header { tagline = ##f }
\paper {
  top-margin = 14\mm bottom-margin = 13\mm
  left-margin = 16\mm right-margin = 16\mm
  print-first-page-number = ##f
  last-bottom-spacing.basic-distance = #6
  oddHeaderMarkup = \markup \fill-line {
    "" \unless \on-first-page-of-part \fromproperty #'header:running
    \if \should-print-page-number \fromproperty #'page:page-number-string }
  evenHeaderMarkup = \markup \fill-line {
    \if \should-print-page-number \fromproperty #'page:page-number-string
    \unless \on-first-page-of-part \fromproperty #'header:running "" }
  oddFooterMarkup = \markup \fill-line { \if \on-first-page-of-part \small \italic \fromproperty #'header:pd }
  evenFooterMarkup = ##f
}
