%% Piano Album.
%% 1. Variations on "Ah! vous dirai-je, Maman": the tune is traditional French (18th century, public domain);
%%    the variations were composed for this collection and written here directly, from no other score or encoding.
%% 2. Erik Satie (d. 1925), Gymnopédie No. 1 (1888): public domain.
\version "2.24.1"
\include "house.ily"
#(set-global-staff-size 20)
\header { title = "Piano Album" running = "Piano Album" pd = "Public domain." composer = ##f }
\paper { indent = 0 ragged-last-bottom = ##f system-system-spacing.basic-distance = #12 page-count = 7 scoreTitleMarkup = \markup \column { \vspace #0.6
   \fill-line { \fontsize #3 \bold \fromproperty #'header:piece } \fill-line { \italic \fromproperty #'header:opus \fromproperty #'header:composer } \vspace #0.4 } }
%% \alb: four quavers of Alberti bass; \bro: a quaver triplet; \wz: one waltz bar; \lines: line breaks every so many bars
alb = #(define-music-function (a b c) (ly:music? ly:music? ly:music?) #{ $a $c $b $c #})
bro = #(define-music-function (a b c) (ly:music? ly:music? ly:music?) #{ \tuplet 3/2 { $a $b $c } #})
wz = #(define-music-function (a b) (ly:music? ly:music?) #{ $a $b $b #})
lines = #(define-music-function (bar n k) (ly:music? index? index?) #{ \repeat unfold $k { \repeat unfold $n { $bar } \break } #})
tema = #(define-music-function (upper lower breaks) (ly:music? ly:music? ly:music?) #{
  \new PianoStaff << \new Staff << { $upper } { $breaks } >> \new Staff { \clef bass $lower } >> #})
%% ---- theme
themeA = { c''4( c'' g'' g'' | a'' a'' g''2) | f''4( f'' e'' e'' | d'' <b' d''> c''2) | }
themeT = { g2 c' | c' c' | a4 f g2 | f e | } themeB = { c2 e | f e | d c | g, c | }
\score { \header { piece = "Variations on “Ah! vous dirai-je, Maman”" opus = "Theme: French air, 18th century" composer = "Variations made for this collection" }
  \tema { \tempo "Andantino" 4 = 96 <>\p \themeA g''4\mp( g'' f'' f'' | e'' e'' d''2) | g''4\pp( g'' f'' f'' | e'' e'' d''2) | <>\p \themeA \bar "||" }
  << { \themeT c'2 b | g b | c' b | g g | \themeT } \\ { \themeB e2 d | c g, | e d | c g,4. a,16 b, | \themeB } >> \lines s1 4 3 \layout { } }
%% ---- I: Alberti bass
viA = { c''8( b' c'' e'') g''( fis'' g'' b'') | a''( gis'' a'' c''' g''4) r | f''8( e'' f'' a'') e''( dis'' e'' g'') | d''( cis'' d'' b' c''4) r | }
viL = { \alb c8 e g \alb c e g | \alb c f a \alb c e g | \alb b, d g \alb c e g | \alb b, d g \alb c e g | }
\score { \header { piece = ##f opus = "Variation I" composer = ##f }
  \tema { \tempo "Grazioso" 4 = 104 <>\mp \viA g''4~( g''16 a'' g'' e'') f''4~( f''16 g'' f'' d'') | e''4~( e''16 f'' e'' c'' d''4) r |
    g''8(\p e'') g''( e'') f''( d'') f''( d'') | e''( c'') e''( c'') d''( e''16 f'' g'' f'' e'' d'') | \viA \bar "||" } { \viL
    \alb e8 g c' \alb d g b | \alb c e g \alb b, d g | \alb e g c' \alb d g b | \alb c e g \alb b, d g | \viL } \lines s1 4 3 \layout { } }
\pageBreak
%% ---- II: semiquavers
viiA = { c''16( b' c'' d'' e'' d'' e'' f'') g''( fis'' g'' a'' g'' a'' b'' g'') | a''( gis'' a'' b'' c''' b'' c''' a'') g''( fis'' g'' e'' c'' e'' g'' e'') |
  f''( e'' f'' g'' a'' g'' a'' f'') e''( dis'' e'' f'' g'' f'' g'' e'') | d''( cis'' d'' e'' f'' e'' d'' b') c''( g' e' g' c''4) | }
viiL = { c4-. <g e'>-. e-. <g c'>-. | f-. <a c'>-. e-. <g c'>-. | d-. <f a>-. c-. <e g>-. | g,-. <f b>-. c-. c,-. | }
\score { \header { piece = ##f opus = "Variation II" composer = ##f }
  \tema { \tempo "Allegro" 4 = 112 <>\mf \viiA
    g''16( a'' g'' f'' e'' f'' g'' e'') f''( g'' f'' e'' d'' e'' f'' d'') | e''( f'' e'' d'' c'' d'' e'' c'') d''( e'' d'' c'' b' c'' d'' b') |
    g'(\p a' g' f' e' f' g' e') f'( g' f' e' d' e' f' d') | e'( f' e' d' c' d' e' c') d'(\< e' fis' g' a' g' a' b')\! | \viiA \bar "||" }
  { \viiL e4-. <g c'>-. d-. <g b>-. | c-. <e g>-. g,-. <d b>-. | e-. c-. d-. b,-. | c-. e-. g-. g,-. | \viiL } \lines s1 3 4 \layout { } }
%% ---- III: minor
viiiA = { r8 c''( b' c'') r g''( fis'' g'') | aes''4.( f''8 g''2) | r8 f''( e'' f'') r ees''( d'' ees'') | }
viiiL = { c8( g c' g) b,( g d' g) | c( aes f' aes) c( g ees' g) | b,( f aes f) c( ees g ees) | }
\score { \header { piece = ##f opus = "Variation III · Minore" composer = ##f }
  \tema { \key c \minor \tempo "Adagio espressivo" 4 = 60 <>\p \viiiA d''4.( aes''16 f'' ees''8 d'' c''4) |
    g''4.(\mp aes''8 f''4. g''8 | ees''4. f''8 d''2) | g''4.(\> ees''8 f''4. d''8 | ees''4. c''8 d''4 b')\! | \viiiA d''8(\> ees''16 f'' d''8 b' c''2)\pp \bar "||" }
  { \key c \minor \viiiL aes,8( d f d g, f c4) | ees8( g bes g) d( f bes f) | c( ees aes ees) b,( d g d) | ees( g c' g) d( aes b aes) | c( g ees g) g,( d g f) |
    \viiiL aes,( f g, f) c( g, c,4) } \lines s1 4 3 \layout { } }
\pageBreak
%% ---- IV: broken chords
ivA = { \bro c''8 g' e' \bro c'' g' e' \bro g'' e'' c'' \bro g'' e'' c'' | \bro a'' f'' c'' \bro a'' f'' c'' \bro g'' e'' c'' \bro g'' c'' e'' |
  \bro f'' d'' a' \bro f'' d'' b' \bro e'' c'' g' \bro e'' c'' g' | \bro d'' b' f' \bro d'' b' g' \bro c'' g' e' c''4 | }
ivL = { <c, c>2 <e, e> | <f, f> <e, e> | <d, d>4 <g, g> <c, c>2 | <g,, g,> <c, c> | }
\score { \header { piece = ##f opus = "Variation IV" composer = ##f }
  \tema { \tempo "Moderato, con pedale" 4 = 92 <>\mf \ivA \omit TupletNumber
    \bro g''8 e'' c'' \bro g'' e'' bes' \bro f'' c'' a' \bro f'' d'' b' | \bro e'' c'' g' \bro e'' c'' a' \bro d'' a' fis' \bro d'' b' g' |
    <>\p \bro g'' e'' cis'' \bro g'' e'' cis'' \bro f'' d'' a' \bro f'' d'' b' | \bro e'' c'' g' \bro e'' c'' fis' \bro d'' b' g' \bro d'' b' f' | <>\f \ivA \bar "||" }
  { \ivL <e, e>4 <c, c> <f, f> <d, d> | <e, e> <a,, a,> <d, d> <g,, g,> | <e, e> <a,, a,> <d, d> <g,, g,> | <c, c> <d, d> <g,, g,>2 | \ivL } \lines s1 3 4 \layout { } }
%% ---- V: canon at the octave, one bar apart
cA = \relative c' { c4( c8 e g4 g | a a8 b g4 e) | f( f8 g e4 e | d d8 e c2) | }
cB = \relative c'' { g4( g8 a f4 f | e e8 f d2) | }
\score { \header { piece = ##f opus = "Variation V · Canon at the octave" composer = ##f }
  \tema { \tempo "Con moto" 4 = 100 <>\mp \cA f'4( f'8 g' e'2) | \cB \cB c'4( c'8 d' b2) | \cA b4( b8 c' c'2) \bar "||" }
  { r1 | \transpose c' c \cA e4( c d b,) | \transpose c' c \cB \transpose c' c \cB c2 r | \transpose c' c \cA } \lines s1 5 3 \layout { } }
\pageBreak
%% ---- VI: waltz; the trio puts the tune in the left hand
wA = { c''4( e'' c'' | g''2.) | a''4( c''' a'' | g''2.) | f''4( a'' f'' | e'' g'' e'' | d'' f'' b' | c''2.) | }
wL = { \wz c4 <e g c'> \wz g, <e g c'> \wz f, <f a c'> \wz g, <e g c'> \wz d <f a d'> \wz c <e g c'> \wz g, <f g b> c <e g c'> r | }
\score { \header { piece = ##f opus = "Variation VI · Waltz and Trio" composer = ##f }
  \tema { \time 3/4 \tempo "Tempo di valse" 4 = 152 <>\p \wA
    g''4.(\mf a''8 g'' e'' | f''4. g''8 f'' d'' | e''4. f''8 e'' c'' | d''2.) | g''8( fis'' g'' a'' g'' e'' | f'' e'' f'' g'' f'' d'' | e'' dis'' e'' f'' e'' c'' | d''4) g''8( f'' e'' d'') |
    <>\p \wA \bar "|." \key f \major <>^\markup \bold "Trio"
    r4\p <a' c''>( <a' c''>) | r <a' c'' f''>( <a' c'' f''>) | r <bes' d'' f''>( <bes' d'' f''>) | r <a' c'' f''>( <a' c'' f''>) | r <bes' d'' f''>( <bes' d'' f''>) | r <a' c'' f''>( <a' c'' f''>) | r <bes' c'' e''>( <bes' c'' e''>) | r <a' c'' f''> r |
    r <a' c'' f''>( <a' c'' f''>) | r <g' c'' e''>( <g' c'' e''>) | r <a' c'' f''>( <a' c'' f''>) | r <bes' c'' e''>( <bes' c'' e''>) | r <a' c'' f''>( <a' c'' f''>) | r <g' bes' d''>( <g' bes' d''>) | r <a' c'' f''>( <a' c'' f''>) | r <g' c'' e''> r_\markup \right-align \italic "Waltz D.C. al Fine" \bar "|." }
  { \time 3/4 \wL \wz c4 <e g c'> \wz d <f g b> \wz c <e g c'> \wz g, <d g b> \wz e <g c'> \wz d <f g b> \wz c <e g c'> \wz g, <f g b>
    \wL \key f \major f2(\mf^\markup \italic "cantabile" f4 | c'2 c'4 | d'2 d'4 | c'2.) | bes2( bes4 | a2 a4 | g2 g4 | f2.) | c'2( c'4 | bes2 bes4 | a2 a4 | g2.) | c'2( c'4 | bes2 bes4 | a2 a4 | g2.) }
  { \lines s2. 6 4 \lines s2. 8 2 } \layout { } }
\pageBreak
%% ---- finale and epilogue
\score { \header { piece = ##f opus = "Finale" composer = ##f }
  \tema { \tempo "Allegro con brio" 4 = 120
    <e' g' c''>4\f <e' g' c''> <c'' e'' g''> <c'' e'' g''> | <c'' f'' a''> <c'' f'' a''> <c'' e'' g''>2 | <a' d'' f''>4 <b' d'' f''> <g' c'' e''> <g' c'' e''> | <f' b' d''> <f' b' d''> <e' g' c''>2 |
    g''16(\mf e'' c'' e'') g''( e'' c'' e'') f''( d'' b' d'') f''( d'' b' d'') | e''( c'' g' c'') e''( c'' g' c'') d''( b' g' b') d''( b' g' b') |
    g''(\p e'' cis'' e'') g''( e'' cis'' e'') f''( d'' a' d'') f''( d'' b' d'') | e''(\< c'' g' c'') e''( c'' fis' c'') d''( b' g' b') g'( a' b' g')\! |
    <c' e' g' c''>4\ff <c' e' g' c''> <g' c'' e'' g''> <g' c'' e'' g''> | <a' c'' f'' a''> <a' c'' f'' a''> <g' c'' e'' g''>2 | <f' a' d'' f''>4 <f' b' d'' f''> <e' g' c'' e''> <e' g' c'' e''> | <d' f' b' d''> <d' f' g' d''> <c' e' g' c''>2 |
    c''16( d'' e'' f'' g'' a'' b'' c''') b''( a'' g'' f'' e'' d'' c'' b') | c''( e'' d'' f'' e'' g'' f'' a'' g'' f'' e'' d'' c'' b' a' b') | <g' c'' e'' g''>4 r <f' g' b' d''> r | <e' g' c''> r <e' g' c''>2\fermata \bar "||"
    \tempo "Tempo del tema" 4 = 88 c''4\pp( c'' g'' g'' | a'' a'' g''2) | f''4( f'' e'' e'' | d'' d'' c''2)\fermata \bar "|." }
  { c16( d e f) g( f e d) c( e g e) c'( g e c) | f( g a b) c'( b a g) e( d c d) e( f g e) | d( e f e) g( f d b,) c( d e d) c( b, c e) | g,( a, b, c) d( c b, g,) c( g, e, g,) c,4 |
    e4-. c-. d-. g,-. | c-. e-. g-. g,-. | e-. a,-. d-. g,-. | c-. d-. g,-. r |
    c,8 c e, e g, g e, e | f, f a, a e, e g, g | d, d g, g c c, e, c | f, f g, g c c, c,4 |
    <c, c>2 <g,, g,> | <c, c>4 <f, f> <g, g> <g,, g,> | <c, c> r <g,, g,> r | <c, c> r <c, g, c>2_\fermata |
    c8( g e' g) c( g e' g) | c( a f' a) c( g e' g) | c( a d' a) c( g e' g) | c( f b f) <c g c'>2_\fermata }
  { \lines s1 3 3 s1*4 \break s1*3 \break } \layout { } }
\pageBreak
%% Gymnopédie: the accompaniment chords come in pairs, so they are named once
gA = <b d' fis'>2 gB = <a cis' fis'>2
satieMelody = \relative c'' {
  R2.*4 | r4 fis(\p a | g fis cis | b cis d | a2. | fis~ | fis~ | fis~ | fis) |
  r4 fis'( a | g fis cis | b cis d | a2. | cis | fis | e,~ | e~ | e) |
  a4( b c | e d b | d c b | d2.~ | d2 d4 | e f g | a c, d | e d b | d2.~ | d2 d4) | }
satieI = \relative c'' { g'2.( | fis | b,4 a b | cis d e | cis d e | fis,2. | <c e a c>\> | <d fis a d>)\! }
satieII = \relative c'' { g'2.( | f | b,4 c f | e d c | e d c | f,2. | <c e a c>\> | <d f a d>)\! }
satieBass = { \repeat unfold 8 { g,2. d, } fis, b,, e, e, d, a,, \repeat unfold 9 d, }
off = #(define-music-function (m) (ly:music?) #{ r4 $m #})
satieChordsA = { \repeat unfold 6 { \off \gA \off \gB } \off \gA \off \gB \off \gA \off \gB \off \gB \off \gA
  \off <g b>2 \off <g b d'>2 \off <f a d'>2 \off <a c' e'>2 \off <g b e'>2 \off <d g b e'>2 \off <c e a d'>2 \off <c fis a d'>2
  \off <a c' f'>2 \off <a c' e'>2 \off <d g b e'>2 \off <c e a d'>2 \off <c fis a d'>2 }
\score {
  \header { piece = "Gymnopédie No. 1" opus = "1888" composer = "Erik Satie (1866–1925)" }
  \new PianoStaff <<
    \new Staff << \key d \major \time 3/4 \tempo "Lent et douloureux" 4 = 66
      \new Voice { \satieMelody \bar "||" \satieI \break \sectionLabel "Reprise" \satieMelody \satieII \bar "|." } >>
    \new Staff << \clef bass \key d \major
      \new Voice { \voiceOne \satieChordsA
        \off <b e' g'>2 \off <a cis' fis'>2 \off <b d' fis'>2 \off <cis' e' a'>2 \off <a cis' fis' a'>2 r4 <a d'> <b d' g'> | <a, e g>2. | <d fis a> |
        \satieChordsA
        \off <b e' g'>2 \off <a d' f' a'>2 \off <a c' f'>2 \off <c' e' a'>2 \off <a c' f' a'>2 r4 <a d'> <b d' g'> | <a, e g>2. | <d f a> }
      \new Voice { \voiceTwo
        \satieBass
        e,2. fis, b,, e, e, e, a,, d,
        \satieBass
        \repeat unfold 6 e,2. a,, d, } >>
  >>
  \layout { }
}
