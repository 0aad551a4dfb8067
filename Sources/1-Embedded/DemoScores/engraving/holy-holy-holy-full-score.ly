%% "Holy, Holy, Holy!" - NICAEA (Dykes 1861, words Heber 1826), festival setting. Public domain.
\version "2.24.1"
\include "house.ily"
\include "festival.ily"
#(set-global-staff-size 12.6)
\header { title = "Holy, Holy, Holy!" subtitle = "Festival setting for choir, brass, timpani, organ and strings"
  composer = "John B. Dykes, 1861" poet = "Reginald Heber, 1826" running = "Holy, Holy, Holy! – full score"
  pd = "Public domain – tune NICAEA, words 1826; setting made for this collection." }
\paper { left-margin = 12\mm right-margin = 10\mm top-margin = 9\mm bottom-margin = 9\mm indent = 18\mm short-indent = 9\mm
  markup-system-spacing.basic-distance = #8 top-system-spacing.basic-distance = #7
  ragged-last-bottom = ##f max-systems-per-page = 1 }
inst = #(define-scheme-function (l s) (markup? markup?) #{ \with { instrumentName = #l shortInstrumentName = #s } #})
breaks = { s1*12 \break s1*8 \break s1*8 \break s1*8 \break s1*8 \break s1*10 \break }
words = \lyricmode { \festText }
\score {
  <<
    \new StaffGroup <<
      \new Staff \with \inst \markup \center-column { "Trumpets" "I, II in B♭" } "Tpt." << \transpose bes c' \fest { \autoLineBreaksOff \breaks }
        \new Voice { \voiceOne \transpose bes c' { <>\f \tptA } } \new Voice { \voiceTwo \transpose bes c' \tptB } >>
      \new Staff \with \inst "Trombone" "Tbn." { \clef bass << \fest \tbn >> }
    >>
    \new Staff \with \inst "Timpani" "Timp." { \clef bass << \fest \timp >> }
    \new ChoirStaff <<
      \new Staff \with \inst "Soprano" "S." << \fest \new Voice = "S" { \dynamicUp \choirS } >> \new Lyrics \lyricsto "S" \words
      \new Staff \with \inst "Alto" "A." << \fest \new Voice = "A" { \dynamicUp \choirA } >> \new Lyrics \lyricsto "A" \words
      \new Staff \with \inst "Tenor" "T." << \fest \new Voice = "T" { \clef "treble_8" \dynamicUp \choirT } >> \new Lyrics \lyricsto "T" \words
      \new Staff \with \inst "Bass" "B." << \fest \new Voice = "B" { \clef bass \dynamicUp \choirB } >> \new Lyrics \lyricsto "B" \words
    >>
    <<
      \new PianoStaff \with \inst "Organ" "Org." <<
        \new Staff << \fest \new Voice { \voiceOne \orgRHa } \new Voice { \voiceTwo \orgRHb } >>
        \new Staff << \clef bass \fest \new Voice { \voiceOne \orgLHa } \new Voice { \voiceTwo \orgLHb } >> >>
      \new Staff \with \inst "Pedal" "Ped." { \clef bass << \fest \orgPed >> }
    >>
    \new StaffGroup <<
      \new GrandStaff <<
        \new Staff \with \inst "Violin I" "Vn. I" << \fest \vnI >>
        \new Staff \with \inst "Violin II" "Vn. II" << \fest \vnII >> >>
      \new Staff \with \inst "Viola" "Va." { \clef alto << \fest \va >> }
      \new Staff \with \inst "Violoncello" "Vc." { \clef bass << \fest \vc >> }
      \new Staff \with \inst "Contrabass" "Cb." { \clef bass << \fest \cb >> }
    >>
  >>
  \layout {
    \context { \Score \override RehearsalMark.font-size = #4 rehearsalMarkFormatter = #format-mark-box-alphabet
      \override SpacingSpanner.base-shortest-duration = #(ly:make-moment 1/8) }
    \context { \Lyrics \override VerticalAxisGroup.nonstaff-relatedstaff-spacing.padding = #0.6 }
  }
}
