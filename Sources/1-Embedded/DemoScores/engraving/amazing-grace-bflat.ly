%% "Amazing Grace" - traditional (1831), words John Newton (1779). Public domain.
\version "2.24.1"
\include "house.ily"
\include "amazing-grace.ily"
#(set-global-staff-size 26)
\header { title = "Amazing Grace" subtitle = "Part for instruments in B♭" poet = "Trumpet, clarinet, tenor sax"
  composer = "NEW BRITAIN, Virginia Harmony, 1831" pd = "Public domain. Sounds in G." }
\paper { system-system-spacing.basic-distance = #19 markup-system-spacing.basic-distance = #20 ragged-last-bottom = ##t }
obbligato = \relative c'' {
  \partial 4 r4 | d2.( | b2 d4) | e2( g4) | b,2 r4 | d2( e8 d) | b4( g b) | cis2.( | c2) r4 |
  b2( d4) | f2( e8 d) | e2( c4) | b2 r4 | b2( d4) | c4( a fis) | g2.~ | \partial 2 g2\fermata
}
\score {
  <<
    \new ChordNames \transpose g a { \set chordChanges = ##t \graceChords \break \graceChords }
    \new Staff \transpose g a {
      \key g \major \time 3/4 \tempo "Slowly, with feeling" 4 = 76
      \sectionLabel "Verse (melody)" \graceTune \bar "||" \break
      \sectionLabel "Obbligato (verses 3 and 4)"
      { \obbligato } \bar "|."
    }
  >>
  \layout { indent = 0 \context { \Score \omit BarNumber } }
}
