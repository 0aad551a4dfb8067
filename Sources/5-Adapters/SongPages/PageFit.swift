import Model

/// The area of the columns on the pages, in points.
struct PageFrame: Hashable {
    var width: Double
    var height: Double
    /// The top of the song's columns, on the first page and then on later pages.
    var firstTop: Double
    var top: Double
    /// The bottom of the columns, on the first page and then on later pages.
    var firstBottom: Double
    var bottom: Double
    static let side = 34.0
    static let columnGap = 20.0

    var textWidth: Double { width - 2 * Self.side }

    func columnWidth(_ columns: Int) -> Double { columns == 1 ? textWidth : (textWidth - Self.columnGap) / 2 }

    func columnStart(_ column: Int, of columns: Int) -> Double { Self.side + Double(column) * (columnWidth(columns) + Self.columnGap) }
}

/// Chooses the size of a song's letters and the number of columns: first as few pages as possible, then letters as large as possible.
struct PageFit {
    let size: Double
    let columns: Int
    private(set) var places: [ColumnFlow.Place]

    var pages: Int { (places.last?.page ?? 0) + 1 }

    /// The usual sizes, from the smallest that is legible on a music stand to the largest that still looks like a song. A text may
    /// set others.
    static let sizes = 10.0...20.0
    /// How much wrapped lines count against a size: with all lines wrapped, a size counts only as a fifth of itself (1 − 0.8), so
    /// smaller letters with whole lines may win.
    private static let wrapping = 0.8

    /// How much larger letters must become before a line that is much longer than the rest is wrapped for it.
    private static let gain = 1.2

    /// How much smaller letters may become so that fewer words stand alone on a row, and how far below the smallest size.
    private static let step = (of: 0.9, below: 0.95)

    private struct Candidate {
        let fit: PageFit
        let score: Double
        /// The share of the lines that are wrapped before their last word.
        let orphans: Double
    }

    /// `layout` is the version. The first one let words stand alone on a row, and left two columns unequally long. The second one read all
    /// lines from the left, counted very long lines like any other, and rather added a page than divide a part. The third one broke tablature
    /// or squeezed it into half of the page, and preferred letters that were barely larger to words in company.
    init(
        _ song: SongLines, of text: SongText, on frame: PageFrame, measure: any TextMeasure, layout: Int = SongSheet.layoutVersion
    ) {
        let hasColumns = song.parts.contains { $0.contains { if case .newColumn = $0 { true } else { false } } }
        let columns = text.columns.map { [min(max($0, 1), 2)] } ?? (hasColumns ? [2] : [1, 2])
        // A size given in the text is an upper limit: rather than add a page, use a smaller size, down to `sizes.lowerBound`.
        let largest = text.size.map { min(max(Double($0), 6), 40) } ?? Self.sizes.upperBound
        let sizes = stride(from: largest, through: min(largest, Self.sizes.lowerBound), by: -0.5).map(\.self)
        let (isCareful, isPresent) = (layout > 1, layout > 2)
        let long = isPresent ? Self.longLines(of: song, measure, layout) : []
        let mayGoAcross = layout > 3 && !hasColumns && columns.contains(2) && song.hasVerbatim
        var (isAcross, mayGrow) = (mayGoAcross, false)
        func songRows(_ size: Double, _ columns: Int) -> SongRows {
            SongRows(
                song, width: frame.columnWidth(columns) / size,
                across: isAcross && columns > 1 ? VerbatimLines.Page(width: frame.textWidth, size: size) : nil, measure: measure,
                long: long, layout: layout, mayGrow: mayGrow)
        }
        func fit(_ size: Double, _ columns: Int, isDense: Bool) -> Candidate {
            let rows = songRows(size, columns)
            let flow = ColumnFlow(
                rows.flow, columns: columns, firstHeight: (frame.firstBottom - frame.firstTop) / size,
                height: (frame.bottom - frame.top) / size, isDense: isDense)
            let torn = rows.wrapped + (isCareful ? rows.orphans : 0)
            var worth = 1 - Self.wrapping * torn
            if !long.isEmpty { worth = max(worth, (1 - Self.wrapping * rows.tornOthers) / Self.gain) }
            let fit = PageFit(size: size, columns: columns, places: flow.places)
            return Candidate(fit: fit, score: size * worth, orphans: rows.orphans)
        }
        // With the smallest letters allowed, find out how few pages are possible.
        var isDense = false
        var fewest = columns.map { fit(sizes[sizes.count - 1], $0, isDense: false) }
        var pages = fewest.map(\.fit.pages).min() ?? 1
        if mayGoAcross {
            // Lines across the page are for the eyes, but no reason to turn it. Rather are the words a step smaller.
            isAcross = false
            let narrow = columns.map { fit(sizes[sizes.count - 1], $0, isDense: false) }
            let least = narrow.map(\.fit.pages).min() ?? 1
            isAcross = true
            let smaller = stride(from: 1, through: least < pages ? Self.step.of : 1, by: -0.05).lazy.map { part in
                columns.map { fit(sizes[sizes.count - 1] * part, $0, isDense: false) }
            }
            if let found = smaller.first(where: { $0.contains { $0.fit.pages <= least } }) {
                (fewest, pages) = (found, found.map(\.fit.pages).min() ?? 1)
            } else {
                (fewest, pages, isAcross) = (narrow, least, false)
            }
        }
        if isPresent, pages > 1 {
            // Better divide a part than make somebody turn the page.
            let wasAcross = isAcross
            isAcross = false
            let dense = columns.map { fit(sizes[sizes.count - 1], $0, isDense: true) }
            if dense.contains(where: { $0.fit.pages == 1 }) { (isDense, fewest, pages) = (true, dense, 1) } else { isAcross = wasAcross }
        }
        let least = Self.leastHeight(song, measure)
        let (first, rest) = (frame.firstBottom - frame.firstTop, frame.bottom - frame.top)
        var best = fewest.filter { $0.fit.pages == pages }.max { $0.score < $1.score }!
        for size in sizes.dropLast() where size > best.score {
            for columns in columns where least * size <= Double(columns) * (first + Double(pages - 1) * rest) {
                let other = fit(size, columns, isDense: isDense)
                if other.fit.pages <= pages, other.score > best.score { best = other }
            }
        }
        if layout > 3, best.orphans > 0 {
            // A few words in company are worth a small step of the letters.
            let (largest, lowest) = (best.fit.size - 0.5, max(best.fit.size * Self.step.of, sizes[sizes.count - 1] * Self.step.below))
            let smaller = stride(from: largest, through: lowest, by: -0.5).flatMap { size in
                columns.map { fit(size, $0, isDense: isDense) }
            }
            let enough = best.orphans / 2
            let others = smaller.filter { $0.fit.pages == best.fit.pages && $0.orphans <= enough }
            if let other = others.min(by: { ($0.orphans, -$0.score) < ($1.orphans, -$1.score) }) { best = other }
        }
        if layout > 3, best.orphans > 0 {
            // Where the page has room for it, a word that stands alone is given company even if that brings a chord along.
            mayGrow = true
            let grown = fit(best.fit.size, best.fit.columns, isDense: isDense)
            if grown.fit.pages > best.fit.pages { mayGrow = false } else { best = grown }
        }
        self = best.fit
        guard isCareful, self.columns == 2, self.pages == 1, !hasColumns, !isDense else { return }
        let flow = songRows(size, 2).flow
        guard !flow.contains(where: \.isAcross) else { return }
        let height = (frame.firstBottom - frame.firstTop) / size
        places = ColumnFlow.balanced(flow, within: height, least: height / 4)?.places ?? places
    }

    /// The numbers of the lines of words that are much longer than the rest, if they are one or few.
    private static func longLines(of song: SongLines, _ measure: any TextMeasure, _ layout: Int) -> Set<Int> {
        let setter = RowSetter(measure: measure, slots: song.slots, width: 1e6, layout: layout)
        let lengths = song.parts.joined().compactMap { line -> Double? in
            guard case .words(let pieces) = line else { return nil }
            return setter.rows(of: pieces).first?.end ?? 0
        }
        guard lengths.count > 1 else { return [] }
        let usual = lengths.sorted()[(lengths.count - 1) / 2]
        let long = lengths.indices.filter { lengths[$0] > usual * 1.5 }
        return long.count == 1 || long.count * 4 <= lengths.count ? Set(long) : []
    }

    /// The least height of the song in ems. With it, sizes that are certainly too large can be skipped.
    private static func leastHeight(_ song: SongLines, _ measure: any TextMeasure) -> Double {
        SongRows(song, width: 1e6, measure: measure).flow.reduce(0) { height, step in
            guard case .part(let stanzas) = step else { return height }
            // Verbatim text can be set in smaller letters.
            return stanzas.joined().lazy.flatMap(\.rows).reduce(height) { $0 + $1.height * ($1.runs.first?.face.isMono == true ? 0.5 : 1) }
        }
    }

    func isSame(as other: PageFit) -> Bool { size == other.size && columns == other.columns && places == other.places }

    private init(size: Double, columns: Int, places: [ColumnFlow.Place]) {
        (self.size, self.columns, self.places) = (size, columns, places)
    }
}
