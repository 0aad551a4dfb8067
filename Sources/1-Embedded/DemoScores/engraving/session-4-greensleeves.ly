%% "Greensleeves" - traditional. Public domain.
\version "2.24.1"
\include "session-tunes.ily"
#(set-default-paper-size "a4")
#(set-global-staff-size 24)
\header { title = "Greensleeves" composer = "Traditional" pd = "Public domain – traditional." }
\paper { indent = 0 system-system-spacing.basic-distance = #20 ragged-last-bottom = ##t }
\score { << \new ChordNames \greenChords \new Staff \greensleeves >> \layout { \context { \Score \omit BarNumber } } }
