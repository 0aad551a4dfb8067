import CPoppler
import Model

extension MarkPainter {
    /// The columns and rows of pixels that a mark can leave ink on. Too many is better than too few: what is above or below is cut off.
    func area(of mark: Mark) -> (columns: Range<Int>, rows: Range<Int>) {
        guard mark.isDrawn, let (xs, ys) = reach(of: mark) else { return (0..<0, 0..<0) }
        return (pixels(xs, within: width), pixels(ys, within: height))
    }

    private func pixels(_ reach: ClosedRange<Double>, within side: Double) -> Range<Int> {
        // A line's edge is softened into the next pixels.
        let first = max((reach.lowerBound - 2).rounded(.down), 0)
        let end = min((reach.upperBound + 2).rounded(.up), side)
        return first < end ? Int(first)..<Int(end) : 0..<0
    }

    private func reach(of mark: Mark) -> (xs: ClosedRange<Double>, ys: ClosedRange<Double>)? {
        if mark.kind == .text { return reach(ofText: mark) }
        let isBox = [.rectangle, .ellipse, .image].contains(mark.kind)
        let points = isBox ? mark.points.prefix(2) : mark.points[...]
        let (xs, ys) = (points.map { place($0).x }, points.map { place($0).y })
        guard let left = xs.min(), let right = xs.max(), let top = ys.min(), let bottom = ys.max() else { return nil }
        // The corner of a square cap reaches out farther than half the width.
        let width = points.reduce(mark.width) { max($0, $1.width ?? 0) }
        var (across, along) = (length(width) * 0.75, length(width) * 0.75)
        if mark.kind == .image {
            // Half of one of the picture's own pixels, where its edge fades out.
            let size = mark.image.flatMap(Picture.pixels)
            across = size.map { (right - left) / Double(max($0.width, 1)) } ?? 0
            along = size.map { (bottom - top) / Double(max($0.height, 1)) } ?? 0
        }
        return (left - across...right + across, top - along...bottom + along)
    }
}

extension Mark {
    /// Whether all its ink is certainly gray. A picture says so in its header; text may contain pictures, like emoji.
    var isGrayInk: Bool {
        switch kind {
        case .eraser: true
        // Formulas are usually black; one that is not is noticed when it is painted.
        case .image: imageForm == .pdf || (image.map(Self.isGrayPicture) ?? true)
        case .text: color.isGray && !(text ?? "").unicodeScalars.contains { $0.value > 0xff && $0.properties.isEmoji }
        default: color.isGray
        }
    }

    private static func isGrayPicture(_ base64: String) -> Bool {
        // The header's colour type is the 26th byte; 36 digits hold 27 bytes.
        guard base64.utf8.count >= 36 else { return false }
        var count: gsize = 0
        guard let bytes = g_base64_decode(String(base64.prefix(36)), &count) else { return false }
        defer { g_free(bytes) }
        return count >= 26 && (bytes[25] == 0 || bytes[25] == 4)
    }
}
