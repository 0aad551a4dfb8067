%% Festival setting of NICAEA (J. B. Dykes, 1861; words R. Heber, 1826). Public domain.
%% Music for choir, brass, timpani, organ and strings; shared by full score and parts.
splits = #'(long long long)
\include "nicaea.ily"
sopI = \sop altI = \alt tenI = \ten basI = \bas
splits = #'(split split split)
\include "nicaea.ily"
sopII = \sop altII = \alt tenII = \ten basII = \bas
splits = #'(long split long)
\include "nicaea.ily"
sopIV = \sop altIV = \alt tenIV = \ten basIV = \bas
#(define rest4 #{ R1*4 #})
fest = { \key d \major \time 4/4 \tempo "Maestoso" 4 = 92 s1*4 \bar "||" \mark \default
  \tempo "Più mosso" 4 = 100 s1*16 \bar "||" \mark \default s1*4 \bar "||" \mark \default
  s1*16 \bar "||" \mark \default s1*4 \bar "||" \mark \default
  \tempo "Maestoso, largamente" 4 = 88 s1*16 \bar "||" \mark \default \tempo "Adagio" 4 = 60 s1*4 \bar "|." }
amenS = \relative c'' { b2( a | b4 cis d2) | d1~ | d1\fermata }
amenA = \relative c' { g2( fis | g4 g fis2) | g1( | fis1)\fermata }
amenT = \relative c' { d2( d | d4 e a,2) | b1( | a1)\fermata }
amenB = \relative c' { g2( d | g4 e d2) | g,1( | d'1)\fermata }
fanfareA = \relative c'' { d4.-> d8 d4 fis | d2-> a4 d | e4.-> e8 e4 fis8 e | d2.-> r4 }
fanfareB = \relative c' { fis4.-> fis8 a4 d | b2-> fis4 fis | b4.-> b8 cis4 cis | a2.-> r4 }
tptA = { \fanfareA R1*16 R1*2 \relative c'' { r4 a\mp( d fis) | e2( d) } R1*16
  \fanfareA <>\ff \sopIV \relative c'' { d1\f( | e2 fis) | g1( | fis)\fermata } }
tptB = { \fanfareB R1*16 R1*2 \relative c' { r4 fis( fis a) | b( cis a2) } R1*16
  \fanfareB \relative c' { fis4 fis fis b | cis2 d | d d4 d | d2 a | e'4. e8 d4 d | fis fis e cis | cis cis b4. d8 | cis1 |
   fis,4 fis fis b | cis2 d | d4. d8 d4 d | d2 cis | } \relative c'' { fis2 d4 d | d2 d | b4 b a4. cis8 | a1 }
  \relative c'' { b2( a | b4 cis d2) | d1~ | d1\fermata } }
tbn = { \relative c { d4.->\f d8 d4 d | g2-> b,4 b | g4.-> g8 a4 a | d2.-> r4 } R1*16 R1*4 R1*16
  \relative c { d4.-> d8 d4 d | g2-> b,4 b | g4.-> g8 a4 a | d2.-> r4 } <>\ff \tenIV \amenT }
timp = \relative c { d4.\f d8 d4 d | r2 r4 d | a4. a8 a4 a | d2.:32\> r4\! | R1*16 R1*4 R1*16
  d4. d8 d4 d | r2 r4 d | a4. a8 a4 a | d2.:32 r4 |
  d4\ff r d r | a r d r | d2:32 d4 d | d2:32 r4 a | a4. a8 d4 d | d r a r | a r r2 | a1:32 |
  d4 r d r | a r d r | d4. d8 d4 d | d r a a | d2:32 d4 d | d r r2 | d4 r a4. a8 | d1:32 |
  d4 r d r | r2 d | d1:32\p\<~ | d1:32\f\fermata }
choirS = { R1*4 <>^\mf \sopI R1*4 <>^\p \sopII R1*4 <>^\ff \sopIV <>^\mf \amenS }
choirA = { R1*4 <>^\mf \altI R1*4 <>^\p \altII R1*4 <>^\ff \altIV <>^\mf \amenA }
choirT = { R1*4 <>^\mf \tenI R1*4 <>^\p \tenII R1*4 <>^\ff \tenIV <>^\mf \amenT }
choirB = { R1*4 <>^\mf \basI R1*4 <>^\p \basII R1*4 <>^\ff \basIV <>^\mf \amenB }
festText = \lyricmode { \holyI
  Ho -- ly, ho -- ly, ho -- ly! All the saints a -- dore Thee,
  Cast -- ing down their gold -- en crowns a -- round the glass -- y sea; 
  Cher -- u -- bim and ser -- a -- phim fall -- ing down be -- fore Thee,
  Which wert, and art, and ev -- er -- more shalt be.
  \holyIV A -- men. }
orgRHa = { <>\f \sopLast <>\mf \sopI R1*4 R1*16 <>\f \sopLast <>\ff \sopIV \amenS }
orgRHb = { \altLast \altI s1*4 s1*16 \altLast \altIV \amenA }
orgLHa = { \tenLast \tenI R1*4 R1*16 \tenLast \tenIV \amenT }
orgLHb = { s1*20 s1*4 s1*16 s1*4 \basIV \amenB }
orgPed = { \basLast \basI R1*4 R1*16 \basLast \transpose c c, { \transpose c c' \basIV } \amenB }
obbI = \relative c'' { a8( d fis e fis d b d) | cis( e cis a) d( fis a fis) | g( d b d g fis e d) | fis4( a8 g fis4 d) |
  e8( cis a cis) d( e fis d) | a'4( fis) e8( cis a cis) | e4( cis) e8( d b gis) | a( b cis d e2) |
  a,8( d fis e fis d b d) | cis( e cis a) d( fis a fis) | g4( b a8 g fis g) | fis4( d) e8( fis g e) |
  fis4( a) fis8( d e fis) | g( fis g b) fis4( d) | d8( e g e) cis4( e8 cis) | d1 }
obbIV = \relative c'' { fis2 fis4 d' | e,2 fis4 a | b2 b4 g | a2. fis4 | e cis d fis | a2 a4 cis | cis a gis4. gis8 | a1 |
  fis2 fis4 b | a2 a4 fis | g4. g8 b4 g | fis2 e | fis fis4 a | b2 b4 fis | g g e4. g8 | fis1 }
interI = \relative c'' { a4\mp( d fis e8 d) | b4( d g fis8 e) | d4( e fis a) | g8( fis e d cis4\> a) <>\! }
interII = \relative c' { fis4\mp( fis a a) | g( g b b) | a( cis d fis) | e8( d b b a4\> g) <>\! }
interVa = \relative c' { d4\mp( d d fis) | d( d d d) | fis( a a a) | b( g e\> e) <>\! }
interVc = \relative c { d2\mp( fis4 d) | g2( b4 g) | d'2( b4 fis) | g2( a4\> a,) <>\! }
running = #(define-music-function (m) (ly:music?) m)
vnI = { R1*4 R1*16 \interI <>\mp \obbI <>\f \sopLast <>\ff \obbIV \transpose c c' { <>\mf \amenS } }
vnII = { R1*4 R1*16 \interII <>\p \sopI <>\f \altLast <>\ff \transpose c c' \altIV <>\mf \transpose c c' \amenA }
va = { R1*4 R1*16 \interVa <>\p \altI <>\f \tenLast <>\ff \relative c' {
   a8 a a a b b b b | cis cis cis cis d d d d | d d d d d d d d | d d d d a a a a | cis cis cis cis d d d d |
   d d d d e e e e | e e cis cis e e e e | e2 cis | a8 a a a b b b b | cis cis cis cis d d d d | d d d d d d d d | d d d d cis cis cis cis |
   fis fis fis fis d d d d | d d d d b b b b | b b b b cis cis cis cis | d1 } <>\mf \amenT }
vc = { R1*4 R1*16 \interVc <>\p \tenI <>\f \basLast <>\ff \basIV <>\mf \amenB }
cb = { R1*4 R1*16 \relative c { d2\mp(^\markup \italic "pizz." fis4) r | g2( b4) r | d,2( b4) r | g'2( a4) a, }
  <>\p^\markup \italic "arco" \basI <>\f \basLast <>\ff \basIV <>\mf \amenB }
