%% "Silent Night" - Franz Xaver Gruber (1818), words Joseph Mohr, English John F. Young (1859). Public domain.
\version "2.24.1"
\include "house.ily"
#(set! paper-alist (cons '("wide" . (cons (* 297 mm) (* 210 mm))) paper-alist))
#(set-default-paper-size "wide")
#(set-global-staff-size 23)
\header { title = "Silent Night" poet = "Joseph Mohr, 1816; English: John F. Young, 1859" composer = "Franz Xaver Gruber, 1818" pd = "Public domain." }
\paper { indent = 0 ragged-last-bottom = ##f system-system-spacing.basic-distance = #20 }
\score {
  <<
    \new ChordNames \chordmode { bes2. bes f:7 bes | ees bes ees bes | f:7 bes bes4. f:7 bes2. }
    \new Staff \relative c' { \key bes \major \time 6/8 \tempo "Gently rocking" 4. = 44
      f8.( g16) f8 d4. | f8.( g16) f8 d4. | c'4 c8 a4. | bes4 bes8 f4. | \break
      g4 g8 bes8.( a16) g8 | f8. g16 f8 d4. | g4 g8 bes8. a16 g8 | f8. g16 f8 d4. | \break
      c'4 c8 ees8. c16 a8 | bes4.( d) | bes8( f) d f8. ees16 c8 | bes4.~ bes4 r8 \bar "|." }
    \addlyrics { \set stanza = "1." Si -- lent night, ho -- ly night, All is calm, all is bright
      Round yon Vir -- gin Moth -- er and Child. Ho -- ly In -- fant so ten -- der and mild,
      Sleep in heav -- en -- ly peace, __ sleep __ in heav -- en -- ly peace. }
    \addlyrics { \set stanza = "2." Si -- lent night, ho -- ly night, Shep -- herds quake at the sight;
      Glo -- ries stream from heav -- en a -- far, Heav -- ’nly hosts __ _ sing Al -- le -- lu -- ia;
      Christ, the Sav -- ior, is born, __ Christ, __ the Sav -- ior, is born! }
    \addlyrics { \set stanza = "3." Si -- lent night, ho -- ly night, Son of God, love’s pure light
      Ra -- diant beams from Thy ho -- ly face With the dawn of re -- deem -- _ ing grace,
      Je -- sus, Lord, at Thy birth, __ Je -- sus, Lord, at Thy birth. }
  >>
  \layout { \context { \Score \omit BarNumber } }
}
