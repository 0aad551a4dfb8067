%% "The Swallowtail Jig" - traditional. Public domain.
\version "2.24.1"
\include "session-tunes.ily"
#(set-default-paper-size "letter")
#(set-global-staff-size 25)
\header { title = "The Swallowtail Jig" composer = "Traditional" pd = "Public domain – traditional." }
\paper { indent = 0 system-system-spacing.basic-distance = #19 ragged-last-bottom = ##t }
\score { << \new ChordNames \swallowtailChords \new Staff \swallowtail >> \layout { \context { \Score \omit BarNumber } } }
