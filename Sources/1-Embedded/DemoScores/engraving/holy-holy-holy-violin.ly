%% "Holy, Holy, Holy!" - NICAEA (Dykes 1861), festival setting, Violin I part. Public domain.
\version "2.24.1"
\include "house.ily"
\include "festival.ily"
#(set-global-staff-size 20)
\header { title = "Holy, Holy, Holy!" instrument = "Violin I" composer = "John B. Dykes, 1861"
  running = "Holy, Holy, Holy! – Violin I" pd = "Public domain." }
\paper { system-system-spacing.basic-distance = #14 markup-system-spacing.basic-distance = #12 }
\score {
  \new Staff { << \fest \vnI >> }
  \layout { indent = 0 
    \context { \Score rehearsalMarkFormatter = #format-mark-box-alphabet skipBars = ##t } }
}
