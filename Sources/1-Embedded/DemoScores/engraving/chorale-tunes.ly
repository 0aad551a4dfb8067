%% Two chorale tunes.  OLD HUNDREDTH: Louis Bourgeois, 1551; words William Kethe, 1561.
%% ES IST EIN ROS: Cologne, 1599; words translated by Theodore Baker, 1894.
%% Tunes and words are public domain; the four-part settings were made for this collection, from no other score or encoding.
\version "2.24.1"
\include "house.ily"
#(set-global-staff-size 20)
\header { title = "Two Chorale Tunes" composer = "Settings made for this collection" running = "Two Chorale Tunes" pd = "Public domain." }
\paper { indent = 0 ragged-last-bottom = ##f system-system-spacing.basic-distance = #15 page-count = 2 scoreTitleMarkup = \markup \column { \vspace #0.5 \bold \fontsize #2 \fromproperty #'header:piece \small \italic \fromproperty #'header:opus \vspace #0.5 } }
choral = #(define-music-function (k s a t b) (ly:music? ly:music? ly:music? ly:music? ly:music?) #{
  \new ChoirStaff <<
    \new Staff << $k \new Voice = "m" { \voiceOne $s } \new Voice { \voiceTwo $a } >>
    \new Lyrics = "one" \new Lyrics = "two"
    \new Staff << \clef bass $k \new Voice { \voiceOne $t } \new Voice { \voiceTwo $b } >>
  >> #})
oldS = { g'4 g' fis' e' d' g' a' b'\fermata \break b' b' b' a' g' c'' b' a'\fermata \break g' a' b' a' g' e' fis' g'\fermata \break d'' b' g' a' c'' b' a' g'\fermata \bar "|." }
oldA = { d'4 d' d' b b b d' d' d' d' g' d' g' e' g' fis' d' d' d' d' b c' a b d' d' e' fis' a' g' fis' d' }
oldT = { b4 b a g g g fis g g g g a b c' d' d' b a g fis g g d d b b b d' d' d' d' b }
oldB = { g4 g d e b, e d g, g g e fis g a g d g fis g d e c d g, g g e d fis g d g, }
\score {
  \header { piece = "Old Hundredth" opus = "Tune: Louis Bourgeois, 1551 · Words: William Kethe, 1561" }
  << \choral { \key g \major \time 4/4 \tempo "Steadily" 4 = 72 \partial 4 } \oldS \oldA \oldT \oldB
    \context Lyrics = "one" \lyricsto "m" { \set stanza = "1." All peo -- ple that on earth do dwell, Sing to the Lord with cheer -- ful voice; Him serve with fear, His praise forth tell, Come ye be -- fore Him and re -- joice. }
    \context Lyrics = "two" \lyricsto "m" { \set stanza = "2." The Lord, ye know, is God in -- deed; With -- out our aid He did us make; We are His folk, He doth us feed, And for His sheep He doth us take. }
  >>
  \layout { }
}
\pageBreak
%% each phrase is one system of free length, so barlines stand only between phrases
ph = { \bar "|" \break }
rosS = { c''2 c''4 c'' d'' c'' c''2 a'\fermata \ph bes' a' g'4 f'2 e'4 f'2\fermata \bar ":|." \break
  a'2 g'4 e' f' d' c'2\fermata \ph c''2 c''4 c'' d'' c'' c''2 a'\fermata \ph bes' a' g'4 f'2 e'4 f'1\fermata \bar "|." }
rosA = { a'2 g'4 f' f' f' e'2 f' d' f' d'4 c'2 c'4 c'2 c'2 c'4 c' a g g2 f'2 g'4 f' f' f' e'2 d' d' f' d'4 c'2 c'4 c'1 }
rosT = { c'2 c'4 a bes c' c'2 c' bes c' bes4 a2 g4 a2 f2 g4 g d d e2 a2 g4 a f f g2 f bes c' bes4 a2 g4 a1 }
rosB = { f2 e4 f bes, a, c2 f, g, a, bes,4 c2 c4 f,2 f2 e4 c d b, c2 f2 e4 f bes, a, c2 d g, a, bes,4 c2 c4 f,1 }
\score {
  \header { piece = "Lo, How a Rose E’er Blooming" opus = "Tune: ES IST EIN ROS, Cologne, 1599 · Words: tr. Theodore Baker, 1894" }
  << \choral { \key f \major \cadenzaOn \omit Staff.TimeSignature \tempo "Tenderly" 4 = 88 } \rosS \rosA \rosT \rosB
    \context Lyrics = "one" \lyricsto "m" { \set stanza = "1a." Lo, how a Rose e’er bloom -- ing From ten -- der stem hath sprung! It came, a flow’r -- et bright, A -- mid the cold of win -- ter, When half spent was the night. }
    \context Lyrics = "two" \lyricsto "m" { \set stanza = "1b." Of Jes -- se’s lin -- eage com -- ing As men of old have sung. }
  >>
  \layout { \context { \Score \omit BarNumber } }
}
