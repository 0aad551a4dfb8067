%% "The Ash Grove" - Welsh traditional (printed 1802). Public domain. Engraved for the scanned chart.
\version "2.24.1"
\include "house.ily"
#(set-global-staff-size 24)
\header { title = "The Ash Grove" composer = "Welsh traditional, 1802" pd = "The Parlour Song-Book · page 12" }
\paper { indent = 0 ragged-last-bottom = ##t system-system-spacing.basic-distance = #17 }
air = \relative c' { g'4 b d | b8( a) g4 g | a8( b) c4 a | fis8( e) d4 d | g8( fis) g( a) g( fis) | e4 c' b | a2 a4 | g2 }
airCh = \chordmode { g2. g a:m d:7 g e4.:m s8 a4:m d2.:7 g2 }
\score { << \new ChordNames { \partial 4 s4 \airCh s4 \airCh s4 \chordmode { g2. g a:m d:7 g e:m a:7 d2 d4:7 } \airCh }
 \new Staff { \key g \major \time 3/4 \tempo "Con moto" 4 = 112 \partial 4 d'4\mf \air d'4 \break \air \relative c'' { b8( c) \break
  d4\f b d | g8( fis) e( d) cis( b)  | c4 a c | e8( d) c4 b8( c) | \break d4 b d8( b) | g4 e g | fis8( g) a4 e | d2\> d4\! \break } \air \bar "|." } >>
 \layout { \context { \Score \omit BarNumber } } }
