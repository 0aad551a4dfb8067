%% "Amazing Grace" - traditional (1831), words John Newton (1779). Public domain.
\version "2.24.1"
\include "house.ily"
\include "amazing-grace.ily"
#(set-global-staff-size 22)
\header { title = "Amazing Grace" subtitle = "Lead sheet in G"
  poet = "John Newton, 1779" composer = "NEW BRITAIN, Virginia Harmony, 1831"
  pd = "Public domain – words and tune." }
\paper { system-system-spacing.basic-distance = #22 markup-system-spacing.basic-distance = #16 ragged-last-bottom = ##t }
intro = \relative c'' { \partial 4 d8( b) | g2 d4 | e4.( g8) g( e) | d2 d'8( b) | g2. \bar "||" }
introChords = \chordmode { s4 g2. c g g }
\score {
  <<
    \new ChordNames { \introChords \graceChords }
    \new Staff \with { instrumentName = "" } {
      \key g \major \time 3/4 \tempo "Slowly, with feeling" 4 = 76
      \sectionLabel "Intro" \intro \break
      \sectionLabel "Verse" \new Voice = "tune" \repeat volta 4 { \graceTune }
      \bar ":|."
    }
    \new Lyrics \lyricsto "tune" { \set stanza = "1." \graceI }
    \new Lyrics \lyricsto "tune" { \set stanza = "2." \graceII }
    \new Lyrics \lyricsto "tune" { \set stanza = "3." \graceIII }
    \new Lyrics \lyricsto "tune" { \set stanza = "4." \graceIV }
  >>
  \layout { indent = 0 \context { \Score \omit BarNumber } }
}
\markup \vspace #1
\markup \column { \line { \bold "Roadmap" } \vspace #0.3
  "Intro (piano) · Verse 1 solo · Verse 2 add choir · Instrumental (violin)" "Verse 3 all · Verse 4 slower, a cappella" }
