%% Traditional Irish and English tunes. Public domain. One page per tune, each on its own paper.
\include "house.ily"
kesh = \relative c'' { \key g \major \time 6/8 \tempo "Jig" 4. = 112 \partial 8
  \repeat volta 2 { d,8 | g4. g8 a b | a4. a8 b d | e d b g e d | e g e d b d | \break
    g4. g8 a b | a4. a8 b d | e8 g e d b a | g4. g4 } \break
  \repeat volta 2 { a8 | b4. d8 b d | e g e d b a | b4. d8 b g | a b a a g a | \break
    b4. d8 b d | e g e d b d | g fis g a g a | b g fis g4 } }
keshChords = \chordmode { s8 g2. d c g2 s4 g2. d c4. d g2. g e:m g d g c c4. d g2 s8 }
swallowtail = \relative c' { \key e \dorian \time 6/8 \tempo "Jig" 4. = 108
  \repeat volta 2 { \partial 8 d8 | g e e b' e, e | g e e b' a g | fis d d a' d, d | d' cis d a g fis | \break
    g e e b' e, e | g e e b'4 cis8 | d cis d a g fis | g e e e4 } \break
  \repeat volta 2 { b'8 | b cis d e4 fis8 | e4 fis8 e d b | b cis d e4 fis8 | e d b d4 b8 | \break
    b cis d e4 fis8 | e4 fis8 e d b | d cis d a g fis | g e e e4 } }
swallowtailChords = \chordmode { s8 e2.:m e:m d d e:m e:m d e2:m s8 s8 e2.:m e:m e:m d e:m e:m d e2:m s8 }
maggie = \relative c' { \key e \dorian \time 4/4 \tempo "Reel" 2 = 104
  \repeat volta 2 { e4 b'8 e, d'8 e, b' e, | e4 b'8 e, a fis d fis | e4 b'8 e, d' e, b' e, | b' a b cis d a fis d } \break
  \repeat volta 2 { d'4 fis8 d cis4 e8 cis | d e fis g a fis g e | d4 fis8 d cis4 e8 cis | b a b cis d a fis d } }
greensleeves = \relative c'' { \key e \minor \time 6/8 \tempo "Andante" 4. = 56 \partial 8
  e,8 | g4 a8 b8. cis16 b8 | a4 fis8 d8. e16 fis8 | g4 e8 e8. dis16 e8 | fis4 dis8 b4 e8 | \break
  g4 a8 b8. cis16 b8 | a4 fis8 d8. e16 fis8 | g8. fis16 e8 dis8. cis16 dis8 | e4. e4. \bar "||" \break
  d'4. d8. cis16 b8 | a4 fis8 d8. e16 fis8 | g4 e8 e8. dis16 e8 | fis4 dis8 b4. | \break
  d'4. d8. cis16 b8 | a4 fis8 d8. e16 fis8 | g8. fis16 e8 dis8. cis16 dis8 | e4. e4 \bar "|." }
greenChords = \chordmode { s8 e2.:m d e:m b:7 e:m d e4.:m b:7 e2.:m g d e:m b:7 g d e4.:m b:7 e2:m s8 }
