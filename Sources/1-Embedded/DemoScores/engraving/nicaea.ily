%% "Holy, Holy, Holy!" - NICAEA, John B. Dykes (1861); words Reginald Heber (1826).
%% Public domain. Harmony set for this collection; shared by hymn, full score and parts.
%% \sp I NOTE: a half note which some verses split in two ("tie", "long" or "split" per place).
sp = #(define-music-function (i n) (index? ly:music?)
  (let ((mode (list-ref splits i)) (q (ly:music-deep-copy n)))
    (set! (ly:music-property q 'duration) (ly:make-duration 2))
    (case mode ((long) n) ((split) #{ $q $q #}) (else #{ $q ~ $q #}))))
sopLast = \relative c'' { d2 a4 a | b2 fis | g4 e e4. d8 | d1 }
altLast = \relative c' { fis2 d4 d | g2 d | d4 d cis4. cis8 | a1 }
tenLast = \relative c' { a2 a4 a | d2 b | b4 b a4. g8 | fis1 }
basLast = \relative c { d2 fis4 fis | g2 b, | g4 g a4. a8 | d1 }
sop = { \relative c' { d4 d fis fis | a2 a | \sp 0 b2 b4 b | a2 fis |
  a4. a8 a4 a | \sp 1 d2 cis4 a | e a b4. a8 | a1 |
  d,4 d fis fis | \sp 2 a2 a | b4. b8 b4 b | a2 a | } \sopLast }
alt = { \relative c' { a4 a d d | e2 fis | \sp 0 g2 g4 g | fis2 d |
  e4. e8 fis4 fis | \sp 1 fis2 e4 cis | cis cis e4. d8 | cis1 |
  a4 a d d | \sp 2 e2 fis | g4. g8 g4 g | fis2 e | } \altLast }
ten = { \relative c { fis4 fis b b | cis2 d | \sp 0 d2 d4 d | d2 a |
  cis4. cis8 d4 d | \sp 1 a2 a4 a | a a gis4. gis8 | a1 |
  fis4 fis b b | \sp 2 cis2 d | d4. d8 d4 d | d2 cis | } \tenLast }
bas = { \relative c { d4 d b b | a2 d | \sp 0 g2 g4 g | d2 d |
  a'4. a8 d,4 d | \sp 1 d2 a4 a | a fis' e4. e8 | a,1 |
  d4 d b b | \sp 2 a2 d | g4. g8 g4 g | d2 a | } \basLast }
holyI = \lyricmode { Ho -- ly, ho -- ly, ho -- ly! Lord God Al -- might -- y!
  Ear -- ly in the morn -- ing our song shall rise to Thee;
  Ho -- ly, ho -- ly, ho -- ly! Mer -- ci -- ful and might -- y!
  God in three Per -- sons, bless -- ed Trin -- i -- ty! }
holyII = \lyricmode { Ho -- ly, ho -- ly, ho -- ly! All the saints a -- dore Thee,
  Cast -- ing down their gold -- en crowns a -- round the glass -- y sea;
  Cher -- u -- bim and ser -- a -- phim fall -- ing down be -- fore Thee,
  Which wert, and art, and ev -- er -- more shalt be. }
holyIII = \lyricmode { Ho -- ly, ho -- ly, ho -- ly! Though the dark -- ness hide Thee,
  Though the eye of sin -- ful man Thy glo -- ry may not see,
  On -- ly Thou art ho -- _ ly; there is none be -- side Thee,
  Per -- fect in power, in love, and pu -- ri -- ty. }
holyIV = \lyricmode { Ho -- ly, ho -- ly, ho -- ly! Lord God Al -- might -- y!
  All Thy works shall praise Thy Name, in earth, and sky, and sea;
  Ho -- ly, ho -- ly, ho -- ly! Mer -- ci -- ful and might -- y!
  God in three Per -- sons, bless -- ed Trin -- i -- ty! }
