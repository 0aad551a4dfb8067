#!/bin/sh
# Makes every chart again from the sources beside this script into ../charts.
# Needs lilypond, ghostscript, imagemagick, poppler's pdftoppm and python3.
set -eu
here=$(cd "$(dirname "$0")" && pwd); charts=$here/../charts; work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
mkdir -p "$charts"; cd "$here"
ly() { for n; do lilypond -dno-point-and-click --loglevel=ERROR -o "$work/$n" "$n.ly"; done; }
# distil: one small PDF with subset fonts, without dates or ids
pdf() { out=$1; shift; gs -q -dBATCH -dNOPAUSE -sDEVICE=pdfwrite -dCompatibilityLevel=1.4 -dAutoRotatePages=/None -dEmbedAllFonts=true \
  -dSubsetFonts=true -dOmitInfoDate=true -dOmitID=true -dOmitXMP=true -sOutputFile="$out" "$@" ${title:+-c "[ /Title ($title) /Author () /Creator (LilyPond) /DOCINFO pdfmark"}; }
song() { ly "$1"; title=$2; pdf "$charts/$1.pdf" "$work/$1.pdf" ; }

song amazing-grace-lead-g "Amazing Grace"
song amazing-grace-bflat "Amazing Grace - B flat part"
song amazing-grace-violin "Amazing Grace - Violin"
song riverside-lead "Down by the Riverside"
song holy-holy-holy-hymn "Holy, Holy, Holy!"
song holy-holy-holy-full-score "Holy, Holy, Holy! - full score"
song holy-holy-holy-trumpet "Holy, Holy, Holy! - Trumpet I"
song holy-holy-holy-violin "Holy, Holy, Holy! - Violin I"
song piano-album "Piano Album"
song silent-night-landscape "Silent Night"

# text chord charts: one with embedded fonts, one without
python3 chordtext.py saints-chord-chart.txt > "$work/saints.ps"
title="When the Saints Go Marching In"; pdf "$charts/saints-chord-chart.pdf" -c "<</NeverEmbed []>> setdistillerparams" -f "$work/saints.ps"
python3 pdftool.py plain swing-low.txt "$charts/swing-low-plain.pdf"

# the second page lies on its side in the file; /Rotate 90 sets it upright
ly chorale-tunes; title="Two Chorale Tunes"; pdf "$work/chorales.pdf" "$work/chorale-tunes.pdf"
python3 pdftool.py rotate "$work/chorales.pdf" "$charts/chorale-tunes-rotated.pdf" 2

# four sizes of paper, the last page cropped
ly session-1-kesh session-2-swallowtail session-3-maggie session-4-greensleeves; title="Session Tunes"
pdf "$work/session.pdf" "$work"/session-1-kesh.pdf "$work"/session-2-swallowtail.pdf "$work"/session-3-maggie.pdf "$work"/session-4-greensleeves.pdf
python3 pdftool.py crop "$work/session.pdf" "$charts/session-tunes-mixed.pdf" 4 28 318 28 4

# scans: crooked grey pages, and a bilevel one at 300 dpi
ly songbook-air songbook-auld simple-gifts-scan; i=0
for n in songbook-air songbook-auld; do i=$((i+1)); turn=$([ $i = 1 ] && echo 0.7 || echo -0.5)
  pdftoppm -r 170 -gray "$work/$n.pdf" "$work/$n"
  convert "$work/$n"-1.pgm -blur 0x0.6 -background white -rotate $turn -gravity center -crop 1405x1987+0+0 +repage \
    +level 14%,93% \( -size 1405x1987 gradient:gray100-gray90 -rotate 180 \) -compose multiply -composite \
    -seed 5 -attenuate 0.10 +noise Gaussian -colorspace Gray -depth 8 -strip -quality 42 "$work/$n.jpg"; done
python3 pdftool.py images "$charts/old-songbook-scan.pdf" 170 "$work/songbook-air.jpg" "$work/songbook-auld.jpg"
pdftoppm -r 300 -gray "$work/simple-gifts-scan.pdf" "$work/gifts"
convert "$work/gifts-1.pgm" -background white -rotate 0.4 -gravity center -crop 2480x3508+0+0 +repage -seed 9 -attenuate 0.25 +noise Gaussian \
  -blur 0x0.8 -threshold 58% -type bilevel -define tiff:rows-per-strip=3508 -compress Group4 -strip "$work/gifts.tif"
python3 - "$work/gifts.tif" "$work/gifts.g4" <<'P'
import struct, sys
b = open(sys.argv[1], 'rb').read(); e = '<' if b[:2] == b'II' else '>'
o = struct.unpack(e + 'I', b[4:8])[0]; t = {}
for i in range(struct.unpack(e + 'H', b[o:o+2])[0]):
    k, ty, n, v = struct.unpack(e + 'HHII', b[o+2+12*i:o+14+12*i])
    t[k] = struct.unpack(e + 'H', b[o+10+12*i:o+12+12*i])[0] if ty == 3 and n == 1 else v
assert t[259] == 4 and t[262] == 0 and t.get(266, 1) == 1, t
d = b[t[273]:t[273]+t[279]]
open(sys.argv[2], 'wb').write(d)
P
python3 pdftool.py images "$charts/simple-gifts-scan-g4.pdf" 300 "$work/gifts.g4:2480x3508"
