%% "Down by the Riverside" - traditional spiritual (before 1865). Public domain.
\version "2.24.1"
\include "house.ily"
#(set-global-staff-size 19.5)
\header { title = "Down by the Riverside" subtitle = "Lead sheet in F" poet = "Traditional spiritual" composer = "Traditional"
  running = "Down by the Riverside" pd = "Public domain – traditional words and tune." }
\paper { indent = 0 ragged-last-bottom = ##t system-system-spacing.basic-distance = #13 markup-system-spacing.basic-distance = #14 }
verseTune = \relative c' { \partial 4 c8 d | f4 f8 f a8~ a f4~ | f2 r2 | a4 a8 a c a4 f8~ | f2 r | \break
  g4 g8 g bes g4 e8~ | e2 r | a4 a8 a c a4 f8~ | f2 r4 c8 d | \break
  f4 f8 f a8~ a f4~ | f2 r | a4 a8 a c a4 f8~ | f2 r4 r8 f | \break
  g4 g a2 | g( e) | \tieSolid f1~ | f2 r4 r8 c' | \break }
ain = \relative c'' { d4 d8 d d4 bes | d bes8 d~ d4. d8 | c4 c8 c c4 a | c a8 c~ c4 r8 c | \break }
refTune = { \ain \relative c'' { bes4 bes8 bes bes4 g | bes g8 bes~ bes4 r8 bes | a4 a8 a c4 a | c a8 f~ f4 r8 c' | \break }
  \ain \relative c'' { bes4 bes8 bes bes4 g | bes4 g8 f~ f2~ | f1~ | \partial 2. f2 r4 \bar "|." \break } }
verseCh = \chordmode { s4 f1 f f f c:7 c:7 f f f f f f g:m7 c:7 f f:7 }
refCh = \chordmode { bes1 bes f f c:7 c:7 f f:7 bes bes f f g:m7 c2:7 f f1 f2. }
riff = \relative c'' { r8 d4-^ d8-. r4 bes8( c | d4-.) r8 f-> r2 | r8 c4-^ c8-. r4 a8( bes | c4-.) r8 f-> r2 | \break
  r8 bes,4-^ bes8-. r4 g8( a | bes4-.) r8 e-> r2 | r8 a,4-^ a8-. r4 f8( g | a4-.) r8 c-> ees4-- r | \break
  r8 d4-^ d8-. r4 bes8( c | d4-.) r8 f-> r2 | r8 c4-^ c8-. r4 a8( bes | c4-.) r8 f-> r2 | \break
  bes,8-. bes-. r bes~ bes g a bes | c4-^ r8 e,( f gis a c) | f4-^ c8-. a-. f4-^ r | r2 r8 c'4.\fermata \bar "|." }
\score {
  <<
    \new ChordNames { \verseCh \refCh \chordmode { bes1 bes f f c:7 c:7 f f:7 bes bes f f g:m7 c:7 f f } }
    \new Staff { \key f \major \time 4/4 \tempo \markup { Bright gospel swing } 2 = 96
      \sectionLabel "Verse" \new Voice = "v" { \tieDashed \verseTune } \bar "||" \tieSolid
      \sectionLabel "Refrain" \new Voice = "r" \refTune \pageBreak
      \sectionLabel "Shout chorus (horns) – play twice, solos over the second" \set Timing.measurePosition = #ZERO-MOMENT \bar ".|:" \riff }
    \new Lyrics \lyricsto "v" { \set stanza = "1." Gon -- na lay down my bur -- den, down by the riv -- er -- side, down by the riv -- er -- side,
      down by the riv -- er -- side; Gon -- na lay down my bur -- den, down by the riv -- er -- side, And stud -- y war no more. I }
    \new Lyrics \lyricsto "v" { \set stanza = "2." \set ignoreMelismata = ##t Gon -- na lay down my sword and shield __ _ down by the riv -- er -- side, _
      down by the riv -- er -- side, _ down by the riv -- er -- side; _ Gon -- na lay down my sword and shield __ _ down by the riv -- er -- side, _ And stud -- y war no _ more. _ I }
    \new Lyrics \lyricsto "v" { \set stanza = "3." \set ignoreMelismata = ##t Gon -- na put on my long white robe __ _ down by the riv -- er -- side, _
      down by the riv -- er -- side, _ down by the riv -- er -- side; _ Gon -- na put on my long white robe __ _ down by the riv -- er -- side, _ And stud -- y war no _ more. _ I }
    \new Lyrics \lyricsto "r" { ain’t gon -- na stud -- y war no more, I ain’t gon -- na stud -- y war no more, I
      ain’t gon -- na stud -- y war no more, I ain’t gon -- na stud -- y war no more, I
      ain’t gon -- na stud -- y war no more, I ain’t gon -- na stud -- y war no more, I
      ain’t gon -- na stud -- y war no more. }
  >>
  \layout { \context { \Score \omit BarNumber } }
}
\markup \column { \vspace #1 \line { \bold "Roadmap" }
  "Verse 1 · Refrain · Verse 2 · Refrain · Shout chorus ×2 · Verse 3 (hands and voices only)" "Refrain ×2 · Tag last four bars, fermata" }
