#!/usr/bin/env python3
"""Small PDF writer for what an engraver does not make.  Only the Python standard library.
  pdftool.py plain  in.txt out.pdf            text chart in Courier/Helvetica, fonts not embedded
  pdftool.py images out.pdf dpi f.jpg|f.g4:WxH ...   one image per page, no text
  pdftool.py rotate in.pdf out.pdf PAGE        store PAGE lying on its side with /Rotate 90
  pdftool.py crop   in.pdf out.pdf PAGE L B R T    give PAGE a crop box (points cut off each side)"""
import re, sys
def write(path, objs):
    out, off = b'%PDF-1.4\n%\xe2\xe3\xcf\xd3\n', []
    for i, o in enumerate(objs, 1):
        off.append(len(out)); out += b'%d 0 obj\n' % i + o + b'\nendobj\n'
    x = len(out); out += b'xref\n0 %d\n0000000000 65535 f \n' % (len(objs) + 1)
    out += b''.join(b'%010d 00000 n \n' % o for o in off)
    out += b'trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n' % (len(objs) + 1, x)
    open(path, 'wb').write(out)
def stream(d, data): return b'<< ' + d.encode() + b' /Length %d >>\nstream\n' % len(data) + data + b'\nendstream'
def plain(src, dst):
    c, y = ['BT'], 780
    for i, ln in enumerate(open(src).read().rstrip().split('\n')):
        font, size = ('/F2', 15) if i == 0 else ('/F3', 13) if re.match(r'CHORUS|VERSE', ln) else ('/F1', 11.5)
        chord = i > 4 and ln.strip() and all(re.fullmatch(r'[A-G]b?7?', w) for w in ln.split())
        if i == 0: t = re.split(r'\s{5,}', ln); ln = t[0]; c.append(f'1 0 0 1 430 {y} Tm /F3 12 Tf ({t[1]}) Tj')
        c.append(f'{".6 0 0 rg" if chord else "0 g"} 1 0 0 1 64 {y} Tm {"/F4" if chord else font} {size} Tf ({ln.replace("(", chr(92)+"(").replace(")", chr(92)+")")}) Tj')
        y -= 14.5
    c.append('ET'); f = lambda n: b'<< /Type /Font /Subtype /Type1 /BaseFont /%s /Encoding /WinAnsiEncoding >>' % n
    write(dst, [b'<< /Type /Catalog /Pages 2 0 R >>', b'<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
      b'<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R /F2 6 0 R /F3 7 0 R /F4 8 0 R >> >> >>',
      stream('', '\n'.join(c).encode()), f(b'Courier'), f(b'Helvetica-Bold'), f(b'Helvetica'), f(b'Courier-Bold')])
def images(dst, dpi, *files):
    objs, kids = [b'<< /Type /Catalog /Pages 2 0 R >>', b''], []
    for f in files:
        if ':' in f:
            f, wh = f.split(':'); w, h = map(int, wh.split('x')); data = open(f, 'rb').read()
            d = f'/ColorSpace /DeviceGray /BitsPerComponent 1 /Filter /CCITTFaxDecode /DecodeParms << /K -1 /Columns {w} /Rows {h} >>'
        else:
            data = open(f, 'rb').read(); m = re.search(rb'\xff[\xc0-\xc2]..\x08(..)(..)(.)', data, re.S)
            h, w = (int.from_bytes(m[i], 'big') for i in (1, 2)); d = '/ColorSpace /%s /BitsPerComponent 8 /Filter /DCTDecode' % ('DeviceGray' if m[3] == b'\1' else 'DeviceRGB')
        W, H, n = w * 72 / float(dpi), h * 72 / float(dpi), len(objs) + 1; kids.append(n)
        objs += [f'<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {W:.2f} {H:.2f}] /Contents {n+1} 0 R /Resources << /XObject << /I {n+2} 0 R >> >> >>'.encode(),
                 stream('', f'q {W:.2f} 0 0 {H:.2f} 0 0 cm /I Do Q'.encode()), stream(f'/Type /XObject /Subtype /Image /Width {w} /Height {h} {d}', data)]
    objs[1] = ('<< /Type /Pages /Kids [%s] /Count %d >>' % (' '.join(f'{k} 0 R' for k in kids), len(kids))).encode(); write(dst, objs)
def edit(src, dst, page, change):
    b = open(src, 'rb').read(); start = int(re.findall(rb'startxref\s+(\d+)', b)[-1])
    kids = re.search(rb'/Kids\s*\[(.*?)\]', b, re.S)[1]; num = int(re.findall(rb'(\d+) 0 R', kids)[int(page) - 1])
    body = re.search(rb'[\r\n]%d 0 obj\s*(<<.*?)endobj' % num, b, re.S)[1].strip()
    size = int(re.findall(rb'/Size (\d+)', b)[-1]); root = re.findall(rb'/Root (\d+) 0 R', b)[-1]
    info = re.findall(rb'/Info (\d+) 0 R', b)
    new = {num: None}; new[num], extra = change(body, size); new.update(extra); out = b.rstrip() + b'\n'; x = b''
    for n, o in sorted(new.items()): x += b'%d 1\n%010d 00000 n \n' % (n, len(out)); out += b'%d 0 obj\n' % n + o + b'\nendobj\n'
    at = len(out); out += b'xref\n' + x + b'trailer\n<< /Size %d /Root %s 0 R %s/Prev %d >>\nstartxref\n%d\n%%%%EOF\n' % (
        size + len(extra), root, b'/Info %s 0 R ' % info[-1] if info else b'', start, at)
    open(dst, 'wb').write(out)
box = lambda p: [float(v) for v in re.search(rb'/MediaBox\s*\[(.*?)\]', p)[1].split()]
def rotate(src, dst, page):
    def ch(p, n):
        _, _, w, h = box(p); c = re.search(rb'/Contents (\d+ 0 R)', p)[1]
        p = re.sub(rb'/Contents \d+ 0 R', b'/Contents [%d 0 R %s %d 0 R]' % (n, c, n + 1), p); p = re.sub(rb'/Rotate \d+', b'', p)
        p = re.sub(rb'/MediaBox\s*\[.*?\]', b'/Rotate 90 /MediaBox [0 0 %g %g]' % (h, w), p)
        return p, {n: stream('', b'q 0 1 -1 0 %g 0 cm\n' % h), n + 1: stream('', b'\nQ')}
    edit(src, dst, page, ch)
def crop(src, dst, page, l, b, r, t):
    def ch(p, n):
        _, _, w, h = box(p)
        return re.sub(rb'(/MediaBox\s*\[.*?\])', rb'\1 /CropBox [%g %g %g %g]' % (float(l), float(b), w - float(r), h - float(t)), p), {}
    edit(src, dst, page, ch)
globals()[sys.argv[1]](*sys.argv[2:])
