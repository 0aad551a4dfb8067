%% "Auld Lang Syne" - traditional; words Robert Burns (1788). Public domain. Engraved for the scanned chart.
\version "2.24.1"
\include "house.ily"
#(set-global-staff-size 23)
\header { title = "Auld Lang Syne" poet = "Robert Burns, 1788" composer = "Scottish traditional" pd = "The Parlour Song-Book · page 13" }
\paper { indent = 0 ragged-last-bottom = ##t system-system-spacing.basic-distance = #20 }
\score { << \new ChordNames \chordmode { s4 f1 c:7 f bes f c:7 d2:m g4:m c:7 f1 f c:7 f bes f c:7 d2:m g4:m c:7 f2. }
 \new Staff \relative c' { \key f \major \time 4/4 \tempo "Andante" 4 = 84 \partial 4 c4 |
  f4. f8 f4 a | g4. f8 g4 a | f4. f8 a4 c | d2. d4 | \break c4. a8 a4 f | g4. f8 g4 a8( g) | f4. d8 d4 c | f2. \bar "||" d'4 | \break
  c4. a8 a4 f | g4. f8 g4 d' | c4. a8 a4 c | d2. d4 | \break c4. a8 a4 f | g4. f8 g4 a8( g) | f4. d8 d4 c | f2. \bar "|." }
 \addlyrics { \set stanza = "1." Should auld ac -- quaint -- ance be for -- got, And nev -- er brought to mind? Should auld ac -- quaint -- ance be for -- got, And auld lang syne?
  For auld lang syne, my dear, For auld lang syne, We’ll tak’ a cup o’ kind -- ness yet, For auld lang syne. }
 \addlyrics { \set stanza = "2." And there’s a hand, my trust -- y fiere! And gie’s a hand o’ thine! We’ll tak’ a right gude -- wil -- lie waught, For auld lang syne. } >>
 \layout { \context { \Score \omit BarNumber } } }
