%% "The Kesh Jig" - traditional. Public domain.
\version "2.24.1"
\include "session-tunes.ily"
#(set-default-paper-size "a4")
#(set-global-staff-size 26)
\header { title = "The Kesh Jig" composer = "Traditional" pd = "Public domain – traditional." }
\paper { indent = 0 system-system-spacing.basic-distance = #20 ragged-last-bottom = ##t }
\score { << \new ChordNames \keshChords \new Staff \kesh >> \layout { \context { \Score \omit BarNumber } } }
