%% "Drowsy Maggie" - traditional. Public domain.
\version "2.24.1"
\include "session-tunes.ily"
#(set! paper-alist (cons '("wide" . (cons (* 210 mm) (* 148 mm))) paper-alist))
#(set-default-paper-size "wide")
#(set-global-staff-size 20)
\header { title = "Drowsy Maggie" composer = "Traditional" pd = "Public domain – traditional." }
\paper { indent = 0 system-system-spacing.basic-distance = #14 ragged-last-bottom = ##t }
\score { <<  \new Staff \maggie >> \layout { \context { \Score \omit BarNumber } } }
