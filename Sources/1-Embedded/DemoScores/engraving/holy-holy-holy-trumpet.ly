%% "Holy, Holy, Holy!" - NICAEA (Dykes 1861), festival setting, Trumpet I in B♭ part. Public domain.
\version "2.24.1"
\include "house.ily"
\include "festival.ily"
#(set-global-staff-size 25)
\header { title = "Holy, Holy, Holy!" instrument = "Trumpet I in B♭" composer = "John B. Dykes, 1861"
  running = "Holy, Holy, Holy! – Trumpet I in B♭" pd = "Public domain." }
\paper { system-system-spacing.basic-distance = #18 markup-system-spacing.basic-distance = #12 }
\score {
  \new Staff { \transpose bes c' << \fest { <>\f \tptA } >> }
  \layout { indent = 0 
    \context { \Score rehearsalMarkFormatter = #format-mark-box-alphabet skipBars = ##t } }
}
