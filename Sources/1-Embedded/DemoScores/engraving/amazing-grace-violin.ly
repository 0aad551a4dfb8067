%% "Amazing Grace" - traditional (1831). Descant made for this collection. Public domain.
\version "2.24.1"
\include "house.ily"
\include "amazing-grace.ily"
#(set-global-staff-size 22)
\header { title = "Amazing Grace" poet = "Violin"
  composer = "NEW BRITAIN, Virginia Harmony, 1831" pd = "Public domain." }
\paper { system-system-spacing.basic-distance = #19 markup-system-spacing.basic-distance = #14 ragged-last-bottom = ##t }
descant = \relative c'' {
  \partial 4 d8\mf( e) | d4( g fis8 e) | f2( e8 d) | e8( f e d c e) | d2 b8( c) |
  d4( b g') | g8( fis e d b g) | a8( b cis e g e) | fis4( d) g8\<( fis) \break |
  g4\f( b8 a g fis) | g8( f d b) d( f) | e4( g8 fis e c) | d2 b8\>( d) |
  e4(\mf g8 fis e d) | c4( e8 d c a) | b2.\p~ | \partial 2 b2
}
\score {
  \new Staff {
    \key g \major \time 3/4 \tempo "Slowly, with feeling" 4 = 76
    \sectionLabel "Verses 1 & 2" \partial 4 r4 R2.*31 \partial 2 r2 \bar "||" \break
    \sectionLabel "Instrumental (lead)"
    \transpose c c' \graceTune \bar "||" \break
    \sectionLabel "Verse 3 (descant)" \descant \bar "||" \break
    \sectionLabel "Verse 4" \partial 4 r4 R2.*11 \relative c'' { r4 r b\p( | e2 g4) | fis4( e d) | b2.~\> | b2\! r4 | g'2.\pp~\flageolet | g2.\fermata } \bar "|."
  }
  \layout { indent = 0 \context { \Score skipBars = ##t } }
}
