%% "Amazing Grace" - NEW BRITAIN (Virginia Harmony, 1831); words John Newton, 1779.
%% Public domain.  Material shared by the lead sheets and the violin part.
graceTune = \relative c' {
  \partial 4 d4 | g2 b8( g) | b2 a4 | g2 e4 | d2 \breathe d4 |
  g2 b8( g) | b2 a4 | d2.~ | d2 \breathe b4 | \break
  d4.( b8) d( b) | g2 d4 | e4.( g8) g( e) | d2 \breathe d4 |
  g2 b8( g) | b2 a4 | g2.~ | \partial 2 g2
}
graceChords = \chordmode {
  s4 | g2. | g:7 | c | g | g | e:m | a:7 | d:7 |
  g | g:7 | c | g | e:m | d:7 | g2. | s2
}
graceI = \lyricmode { A -- maz -- ing grace! How sweet the sound
  That saved a wretch like me! I once was lost, but now am found,
  Was blind, but now I see. }
graceII = \lyricmode { ’Twas grace that taught my heart to fear,
  And grace my fears re -- lieved; How pre -- cious did that grace ap -- pear
  The hour I first be -- lieved. }
graceIII = \lyricmode { Through ma -- ny dan -- gers, toils, and snares,
  I have al -- read -- y come; ’Tis grace hath brought me safe thus far,
  And grace will lead me home. }
graceIV = \lyricmode { The Lord has prom -- ised good to me,
  His word my hope se -- cures; He will my shield and por -- tion be
  As long as life en -- dures. }
