%% "Simple Gifts" - Shaker tune, Joseph Brackett (1848). Public domain. Engraved for the bilevel scan.
\version "2.24.1"
\include "house.ily"
#(set-global-staff-size 24)
\header { title = "Simple Gifts" poet = "Joseph Brackett, 1848" composer = "Shaker tune" pd = "Public domain." }
\paper { indent = 0 ragged-last-bottom = ##t system-system-spacing.basic-distance = #19 }
\score { << \new ChordNames \chordmode { s4 f1 f c:7 c:7 f f c:7 f f f c:7 c:7 f bes2 f c1:7 f2. }
 \new Staff \relative c' { \key f \major \time 4/4 \tempo "Allegretto" 4 = 112 \partial 4 c8 c |
  f4 f8 g a f a bes | c4 c8 bes a4 g8 f | g4 g g f | g a8 g e4 c8 c | \break
  f4 f8 g a g a bes | c4 bes8 a g4 g8 a | g4 f8 g f4 f | f2. \bar "||" c'4 | \break
  c2 a4. g8 | a bes a g f4. g8 | a4 a8 bes a4 g8 f | g4 g8 a g4 c,8 c | \break
  f2 f4 f8 g | a4 a8 bes c4 bes8 a | g4 g a8 g f4 | f2. \bar "|." }
 >>
 \layout { \context { \Score \omit BarNumber } } }
