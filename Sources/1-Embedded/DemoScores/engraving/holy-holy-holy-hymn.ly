%% "Holy, Holy, Holy!" - NICAEA, J. B. Dykes (1861), words R. Heber (1826). Public domain.
\version "2.24.1"
\include "house.ily"
splits = #'(tie tie tie)
\include "nicaea.ily"
#(set-global-staff-size 18.5)
\header { title = "Holy, Holy, Holy! Lord God Almighty" poet = "Reginald Heber, 1826"
  composer = "John B. Dykes, 1861" meter = "11 12 12 10 · NICAEA" pd = "Public domain." }
\paper { markup-system-spacing.basic-distance = #14 ragged-last-bottom = ##t
  system-system-spacing.basic-distance = #18 }
vI = \lyricmode { Ho -- ly, ho -- ly, ho -- ly! Lord God Al -- might -- y!
  Ear -- ly in the morn -- ing our song shall rise to Thee;
  Ho -- ly, ho -- ly, ho -- ly! Mer -- ci -- ful and might -- y!
  God in three Per -- sons, bless -- ed Trin -- i -- ty! }
% verses that fill the split notes ignore the dashed ties, where they do not, a skip is set
vII = \lyricmode { \set ignoreMelismata = ##t \holyII }
vIII = \lyricmode { \set ignoreMelismata = ##t \holyIII }
vIV = \lyricmode { \set ignoreMelismata = ##t
  Ho -- ly, ho -- ly, ho -- ly! Lord _ God Al -- might -- y!
  All Thy works shall praise Thy Name, in earth, and sky, and sea;
  Ho -- ly, ho -- ly, ho -- _ ly! Mer -- ci -- ful and might -- y!
  God in three Per -- sons, bless -- ed Trin -- i -- ty! }
\score {
  \new ChoirStaff <<
    \new Staff << \key d \major \time 4/4 \tempo "Majestically" 4 = 92 \tieDashed
      \new Voice = "s" { \voiceOne \tieDashed << \sop { \repeat unfold 3 { s1*4 \break } s1*4 } >> \bar "|." }
      \new Voice { \voiceTwo \tieDashed \alt } >>
    \new Lyrics \lyricsto "s" { \set stanza = "1." \vI }
    \new Lyrics \lyricsto "s" { \set stanza = "2." \vII }
    \new Lyrics \lyricsto "s" { \set stanza = "3." \vIII }
    \new Lyrics \lyricsto "s" { \set stanza = "4." \vIV }
    \new Staff << \clef bass \key d \major
      \new Voice { \voiceOne \tieDashed \ten } \new Voice { \voiceTwo \tieDashed \bas } >>
  >>
  \layout { indent = 0 \context { \Score \omit BarNumber } \context { \Lyrics \override LyricText.font-size = #-0.5 } }
}
