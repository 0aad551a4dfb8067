#!/usr/bin/env python3
"""Writes the annotation layers of the demo charts into ../marks.  Strokes wobble a little, always the same way."""
import json, math, random, os
R = random.Random(1104); here = os.path.dirname(os.path.abspath(__file__)); out = os.path.join(here, '..', 'marks'); os.makedirs(out, exist_ok=True)
PEOPLE = {'104': 'Ada Player', '117': 'Ben Cantor'}; A4 = 0.7071  # height fractions per width fraction on A4
count = 0
class Layer:
    def __init__(s, person, name, chart, shared=True, asp=A4):
        s.d = dict(person_id=person, person_name=PEOPLE[person], name=name, shared=shared, chart=chart, marks=[]); s.asp = asp; LAYERS.append(s)
    def add(s, page, kind, color, points, width=.0025, **k):
        global count; count += 1
        t = count * 37
        m = dict(id='m%s-%04d' % (s.d['person_id'], count), page=page, kind=kind, color=color, width=round(width, 5),
                 points=[[round(v, 5) for v in p] for p in points], **k,
                 created_at='2026-03-%02dT19:%02d:%02d.%03dZ' % (3 + count // 40, t // 60 % 60, t % 60, count * 7919 % 1000))
        s.d['marks'].append(m); return s
    def hand(s, page, color, pts, width=.0025, kind='pen', wob=.0007, press=True, **k):
        """A hand-drawn line through pts: many points, slow drift, pressure swelling in the middle."""
        seg = [math.hypot(b[0]-a[0], (b[1]-a[1])/s.asp) for a, b in zip(pts, pts[1:])]; n = max(10, int(sum(seg) / .006)); res = []
        px, py = R.uniform(0, 6), R.uniform(0, 6)
        for i in range(n + 1):
            t = i / n * sum(seg); j = 0
            while j < len(seg) - 1 and t > seg[j]: t -= seg[j]; j += 1
            f = min(1, t / seg[j]) if seg[j] else 0; a, b = pts[j], pts[j+1]
            x = a[0] + f*(b[0]-a[0]) + wob*math.sin(i*.55+px) + R.gauss(0, wob*.18); y = a[1] + f*(b[1]-a[1]) + s.asp*(wob*math.sin(i*.43+py) + R.gauss(0, wob*.18))
            res.append([x, y] + ([width*(.65+.55*math.sin(math.pi*i/n)+R.uniform(-.08, .08))] if press else []))
        return s.add(page, kind, color, res, width, **({'cap': 'round'} if kind == 'pen' else {}), **k)
    def ring(s, page, color, cx, cy, rx, ry, width=.0025):
        a0 = R.uniform(-2.2, -1.6); pts = [[cx + rx*(1+.02*math.sin(2*a))*math.cos(a0+a), cy + ry*math.sin(a0+a)*(1+.004*i)] for i in range(37) for a in [i/36*6.65]]
        return s.hand(page, color, pts, width)
    def breath(s, page, color, x, y, k=1):  # a comma above the staff
        return s.hand(page, color, [[x, y], [x+.006*k, y+.003*k], [x+.006*k, y+.007*k], [x-.001*k, y+.014*k]], .0035, wob=.0002)
    def up(s, page, color, x, y): return s.hand(page, color, [[x-.006, y-.011], [x, y], [x+.006, y-.011]], .002, wob=.0003)
    def down(s, page, color, x, y): return s.hand(page, color, [[x-.006, y], [x-.006, y-.008], [x+.006, y-.008], [x+.006, y]], .002, wob=.0003)
    def hairpin(s, page, color, x1, x2, y, h, cresc=True, width=.0024):
        h *= 1.7; a, b = (x1, x2) if cresc else (x2, x1)
        return s.hand(page, color, [[b, y-h], [a, y], [b, y+h]], width)
    def text(s, page, color, x, y, t, size=.022, **k): return s.add(page, 'text', color, [[x, y]], 0.002, text=t, size=size, **k)
    def hi(s, page, color, x1, x2, y, w): return s.hand(page, color, [[x1, y], [x2, y+.001]], w, kind='highlighter', wob=.0006, press=False, cap='butt')
LAYERS = []
RED, BLUE, GREEN, PENCIL, GREY, YEL, PINK = '#C8102E', '#1F4E9E', '#1B7F3B', '#303030', '#5A5A5A', '#FFE04A80', '#FF8FB070'

l = Layer('104', 'my notes', 'amazing-grace-lead-g')
l.hi(0, YEL, .075, .70, .757, .018).hi(0, YEL, .075, .43, .777, .018)
l.ring(0, RED, .595, .435, .030, .017).text(0, RED, .635, .4125, 'A9 – or Em7?', .019, font='Sans Italic')
l.breath(0, BLUE, .842, .285).breath(0, BLUE, .848, .427).hairpin(0, BLUE, .50, .80, .207, .0045).text(0, BLUE, .10, .207, 'piano alone, no rit.', .020)
l.text(0, RED, .74, .5535, 'watch!', .026, font='Sans Bold Italic').hand(0, RED, [[.79, .590], [.835, .606]], .0028)
l = Layer('117', 'singers', 'amazing-grace-lead-g')
l.hand(0, GREEN, [[.16, .362], [.30, .360], [.44, .362]], .002).text(0, GREEN, .50, .226, 'verse 2: alto + tenor in', .021)
l.add(0, 'rectangle', GREEN, [[.07, .668], [.90, .703]], .0022, fill=.10, dash=[.010, .006]).text(0, GREEN, .79, .708, 'a cappella', .019)
l.ring(0, GREEN, .375, .604, .020, .018)

l = Layer('104', 'bowings', 'amazing-grace-violin')
for i, x in enumerate((.30, .37, .47, .53)): (l.down if i % 2 == 0 else l.up)(0, PENCIL, x, .487)
for x, f in ((.160, '1'), (.250, '4'), (.345, '3'), (.475, '2'), (.60, '4')): l.text(0, PENCIL, x, .592, f, .018)
l.hand(0, GREY, [[.18, .558], [.50, .555], [.80, .559]], .0018).text(0, GREY, .40, .538, 'sul A', .018, font='Serif Italic')
l.hairpin(0, PENCIL, .40, .60, .688, .005).text(0, PENCIL, .62, .71, 'non vib.', .019, font='Serif Italic').breath(0, PENCIL, .525, .250)
l.ring(0, GREY, .875, .760, .020, .022)

l = Layer('117', 'roadmap', 'riverside-lead')
l.hi(0, YEL, .075, .165, .139, .020).hi(0, YEL, .075, .165, .561, .020).text(0, RED, .22, .560-.012, 'x2 last time', .022)
l.add(0, 'ellipse', RED, [[.855, .375], [.945, .425]], .003).text(0, RED, .80, .447, 'cut-off on 1', .020)
l.hand(0, BLUE, [[.045, .585], [.040, .60], [.040, .92], [.046, .935]], .003).text(0, BLUE, .012, .74, 'all', .022)
l.breath(0, BLUE, .865, .583).breath(0, BLUE, .865, .685).breath(0, BLUE, .865, .787)
l.add(1, 'line', RED, [[.08, .268], [.08, .258]], .003).add(1, 'line', RED, [[.08, .258], [.935, .258]], .003, cap='square').add(1, 'line', RED, [[.935, .258], [.935, .268]], .003)
l.text(1, RED, .40, .240, 'CUT 2nd time – straight to last line', .020, font='Sans Bold')
l.hi(1, PINK, .075, .73, .553, .017).hi(1, PINK, .075, .33, .571, .017)
l = Layer('104', 'chord ideas', 'riverside-lead', False)
l.text(0, GREEN, .60, .448, 'Gm7/C', .019).text(0, GREEN, .265, .768, 'Bdim', .020).text(1, GREEN, .78, .170, 'F7#9', .021)
l.add(0, 'line', GREEN, [[.55, .462], [.59, .460]], .002, dash=[.006, .004], cap='butt')
l.hand(1, '#FFFFFF', [[.335, .5705], [.40, .571]], .018, kind='eraser', press=False)

l = Layer('117', 'conductor', 'holy-holy-holy-full-score')
l.ring(0, RED, .426, .112, .022, .016, .003).text(0, RED, .50, .061, 'in 4 – don’t drag', .020, font='Sans Bold')
l.hi(0, YEL, .42, .47, .284, .014).hi(0, YEL, .42, .47, .335, .014)
l.text(0, BLUE, .40, .903, 'strings tacet to B', .020).add(0, 'rectangle', BLUE, [[.15, .665], [.935, .895]], .002, fill=.06)
l.ring(2, RED, .155, .655, .020, .014).hairpin(2, BLUE, .12, .38, .908, .006).text(2, BLUE, .40, .899, 'grow to C', .018)
l.text(2, RED, .52, .205, 'p ! diction', .020, font='Sans Italic').hand(2, RED, [[.52, .223], [.60, .226]], .002)
l.hand(5, RED, [[.03, .26], [.022, .27], [.022, .42], [.03, .43]], .003).text(5, RED, .12, .0225, 'TUTTI – stand, eyes up', .021, font='Sans Bold')
l.hi(5, PINK, .10, .92, .058, .008)
l = Layer('104', 'bowings', 'holy-holy-holy-full-score')
for i, x in enumerate((.165, .255, .345, .415)): (l.down if i % 2 == 0 else l.up)(2, BLUE, x, .630)
l.text(2, BLUE, .62, .608, 'upper half, light', .017, font='Serif Italic').hand(2, BLUE, [[.53, .630], [.70, .628]], .0016)

l = Layer('104', 'fingering', 'piano-album')
for x, f in ((.122, '2'), (.147, '1'), (.197, '4'), (.53, '3'), (.63, '3')): l.text(0, PENCIL, x, .827, f, .017)
l.ring(0, GREY, .15, .200, .016, .011).text(0, PENCIL, .42, .118, 'sing the top line', .019, font='Serif Italic')
l.text(0, PENCIL, .60, .254, 'echo – una corda', .017).ring(0, GREY, .522, .315, .020, .012).text(0, PENCIL, .50, .710, 'left hand quiet, even!', .017)
l.hairpin(0, PENCIL, .10, .50, .535, .005).hairpin(0, PENCIL, .53, .92, .535, .005, False)
l.text(5, RED, .50, .103, 'sing this', .021, font='Sans Italic').hand(5, RED, [[.50, .131], [.70, .124], [.90, .130]], .0022)
l.hi(5, YEL, .13, .40, .131, .018).ring(5, BLUE, .234, .698, .026, .020).text(5, BLUE, .27, .705, 'low A – lean', .019)
l.hairpin(5, RED, .20, .52, .552, .006).add(5, 'ellipse', RED, [[.795, .795], [.935, .925]], .0026).text(5, RED, .70, .935, 'one pedal', .019)

l = Layer('117', 'band leader', 'saints-chord-chart', asp=.7067)
l.hi(0, YEL, .098, .30, .229, .022).hi(0, YEL, .098, .30, .617, .022).text(0, RED, .62, .195, 'clap 2 + 4', .026, font='Sans Bold')
l.ring(0, RED, .500, .330, .024, .014).text(0, RED, .54, .322, 'dim instead!', .021).hand(0, BLUE, [[.64, .44], [.66, .455], [.66, .57], [.64, .585]], .003).text(0, BLUE, .68, .503, 'Ben solo', .024)
l.text(1, RED, .62, .150, '2 choruses each', .024).hi(1, PINK, .095, .27, .732, .020)
l = Layer('117', 'rehearsal', 'chorale-tunes-rotated')
l.breath(1, RED, .865, .155).breath(1, RED, .845, .320).ring(1, BLUE, .75, .498, .025, .014).text(1, BLUE, .60, .468, 'hold, then on together', .018)
l.hi(1, YEL, .06, .85, .194, .013).hairpin(1, RED, .10, .40, .800, .005, False).text(1, RED, .42, .792, 'dim. to the end', .018)
l = Layer('104', 'pencil', 'old-songbook-scan')
for x, f in ((.207, '1'), (.292, '3'), (.378, '2')): l.text(0, GREY, x, .190, f, .017)
l.hand(0, PENCIL, [[.12, .410], [.30, .406], [.50, .412]], .002).text(0, PENCIL, .58, .345-.012, 'slower here', .022, font='Serif Italic')
l.breath(0, PENCIL, .480, .245).hairpin(0, GREY, .25, .55, .595-.012, .005).add(0, 'ellipse', GREY, [[.84, .600], [.93, .685]], .0025).text(0, GREY, .74, .70, 'fine', .024, font='Serif Italic')

for l in LAYERS:
    d = l.d; f = '%s--%s--%s.json' % (d['chart'], d['person_id'], d['name'].replace(' ', '-'))
    with open(os.path.join(out, f), 'w', encoding='utf-8') as o:
        head = {k: v for k, v in d.items() if k != 'marks'}
        o.write(json.dumps(head, ensure_ascii=False)[:-1] + ', "marks": [\n' + ',\n'.join(json.dumps(m, ensure_ascii=False, separators=(',', ':')) for m in d['marks']) + '\n]}\n')
