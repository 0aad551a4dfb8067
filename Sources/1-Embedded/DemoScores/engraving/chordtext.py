#!/usr/bin/env python3
"""Text chord charts -> PostScript.  Source lines: '#T title', '#S subtitle', '== HEADING colour',
'>> roadmap note', '---' new page, words with chords in [brackets], '' gap.  Usage: chordtext.py in.txt > out.ps"""
import re, sys
COL = {'blue': '.10 .25 .62', 'red': '.75 .10 .12', 'green': '.05 .42 .20', 'grey': '.35 .35 .35'}
esc = lambda s: s.replace('\\', r'\\').replace('(', r'\(').replace(')', r'\)').replace('’', r'\222').replace('–', r'\226').replace('·', r'\267').replace('×', r'\327')
out = ['%!PS-Adobe-3.0', '<</PageSize [595 842]>> setpagedevice', '''
/L1 { dup findfont dup length dict begin { 1 index /FID ne {def} {pop pop} ifelse } forall
 /Encoding ISOLatin1Encoding 256 array copy dup 8#222 /quoteright put dup 8#226 /endash put def currentdict end exch pop definefont pop } def
/R /Helvetica L1 /B /Helvetica-Bold L1 /I /Helvetica-Oblique L1
/f { selectfont } def
% words chord -> draw the chord above the words, never closer than a space to the one before
/seg { /c exch def /w exch def c () ne { X CX lt { /X CX def } if .10 .25 .62 setrgbcolor /B 11.5 f X Y 13 add moveto c show
  /CX currentpoint pop 5 add def } if 0 setgray /R 13 f X Y moveto w show /X currentpoint pop def } def''']
y = 0; page = 0; title = ''
def newpage():
    global y, page
    if page: out.append('showpage')
    page += 1; y = 842 - 62
    if page > 1: out.append(f'0 setgray /I 10 f 60 {y+22} moveto ({esc(title)}) show 525 {y+22} moveto ({page}) show'); y -= 14
newpage()
for ln in open(sys.argv[1], encoding='utf-8').read().split('\n'):
    if ln.startswith('%'): continue
    if ln == '---': newpage()
    elif ln.startswith('#T '): title = ln[3:]; out.append(f'0 setgray /B 24 f 60 {y} moveto ({esc(title)}) show'); y -= 19
    elif ln.startswith('#S '): out.append(f'.35 setgray /I 11 f 60 {y} moveto ({esc(ln[3:])}) show'); y -= 17
    elif ln.startswith('== '):
        h, c = ln[3:].rsplit(' ', 1); y -= 14
        out.append(f'{COL[c]} setrgbcolor /B 13 f 60 {y} moveto ({esc(h)}) show .8 setlinewidth 60 {y-4} moveto 535 {y-4} lineto stroke'); y -= 21
    elif ln.startswith('>> '): out.append(f'{COL["green"]} setrgbcolor /I 12 f 76 {y} moveto ({esc(ln[3:])}) show'); y -= 19
    elif ln:
        y -= 13 if '[' in ln else 0
        out.append(f'/X 76 def /CX 0 def /Y {y} def'); parts = re.split(r'\[(.*?)\]', ln)
        if parts[0]: out.append(f'({esc(parts[0])}) () seg')
        for c, w in zip(parts[1::2], parts[2::2]): out.append(f'({esc(w)}) ({esc(c)}) seg')
        y -= 19
    else: y -= 9
out.append('showpage'); print('\n'.join(out))
