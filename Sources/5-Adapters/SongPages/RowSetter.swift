import Model

/// Breaks lines into rows and puts the chords over their words.
struct RowSetter {
    let measure: any TextMeasure
    let slots: [Slot]
    /// The width of a row, in ems.
    let width: Double
    /// The version of the layout. The first two read all lines from the left. Up to the third, one word could stand alone on a line's last
    /// row, a chord before a space made the next word give way, and words of two directions in a line had one order.
    var layout = SongSheet.layoutVersion
    /// Whether a line may become higher so that no word stands alone.
    var mayGrow = true

    /// The least gap between two chords.
    static let chordGap = 0.4
    /// The indentation of a line's second and later rows.
    static let hanging = 1.3
    /// The least width of a gap within a word. The gap must have room for a hyphen, which shows that the parts are one word.
    static let leastHyphen = 0.22

    func rows(of pieces: [Piece]) -> [Row] { broken(pieces).rows }

    /// The rows, and whether the last one would have a single word if the rows before it were full.
    func broken(_ pieces: [Piece]) -> (rows: [Row], isOrphaned: Bool) {
        let isFromRight = layout > 2 && pieces.areReadFromRight
        let words = words(of: isFromRight && layout > 3 ? pieces.markingWhatIsFromLeft : pieces)
        var rows: [OpenRow] = []
        // For each row, the number of its first word; `nil` after a word that is longer than a row.
        var firsts: [Int?] = [0]
        var row = OpenRow(self, from: 0)
        for (number, word) in words.enumerated() where !row.addIfItFits(word) {
            if !row.isEmpty {
                rows.append(row)
                firsts.append(number)
                row = OpenRow(self, from: Self.hanging)
            }
            if !row.addIfItFits(word) {
                takeLong(word, &row, &rows)
                firsts += [Int?](repeating: nil, count: max(0, rows.count + 1 - firsts.count))
            }
        }
        if !row.isEmpty { rows.append(row) }
        let isOrphaned = rows.count > 1 && rows[rows.count - 1].row.isOneWord
        if isOrphaned, layout > 3, let first = firsts[rows.count - 2], firsts[rows.count - 1] == words.count - 1 {
            accompany(words[first...], &rows)
        }
        return (rows.map { isFromRight ? $0.mirrored : $0.row }, isOrphaned)
    }

    /// Gives the word on the last row the one before it for company, if the row before it keeps two. `words` are those of both rows.
    private func accompany(_ words: ArraySlice<ArraySlice<Piece>>, _ rows: inout [OpenRow]) {
        guard words.count > 3 else { return }
        var (former, last) = (OpenRow(self, from: rows.count > 2 ? Self.hanging : 0), OpenRow(self, from: Self.hanging))
        for word in words.dropLast(2) { former.add(word: word) }
        guard words.suffix(2).allSatisfy({ last.addIfItFits($0) }) else { return }
        // A chord that came along may need room above the last row, which may be all that the page lacks.
        let height = rows.suffix(2).reduce(0) { $0 + $1.row.height }
        guard mayGrow || former.row.height + last.row.height <= height + 1e-9 else { return }
        rows.replaceSubrange((rows.count - 2)..., with: [former, last])
    }

    /// Adds a word that is longer than a row piece by piece. Pieces that are still too long are split.
    private func takeLong(_ word: ArraySlice<Piece>, _ row: inout OpenRow, _ rows: inout [OpenRow]) {
        for piece in word {
            for part in parts(of: piece) where !row.addIfItFits([part]) {
                if !row.isEmpty {
                    rows.append(row)
                    row = OpenRow(self, from: Self.hanging)
                }
                row.add(word: [part])
            }
        }
    }

    private func parts(of piece: Piece) -> [Piece] {
        if piece.chords.count > 1 {
            // Several chords over one place have no words between them. Each becomes a part, since there may be more of them than a
            // row has room for.
            var last = piece
            last.chords = [piece.chords[piece.chords.count - 1]]
            let others = piece.chords.dropLast().map {
                Piece(text: "", width: 0, face: piece.face, chords: [$0], isApart: true, isFromLeft: piece.isFromLeft)
            }
            return others + parts(of: last)
        }
        let most = width - Self.hanging
        guard piece.width > most, piece.text.count > 1 else { return [piece] }
        var (parts, letters): ([Piece], Substring) = ([], piece.text[...])
        while !letters.isEmpty {
            var count = min(letters.count, max(1, Int(Double(piece.text.count) * most / piece.width)))
            while count > 1, measure.width(of: String(letters.prefix(count)), in: piece.face) > most { count -= max(1, count / 8) }
            var part = piece
            part.text = String(letters.prefix(count))
            part.width = measure.width(of: part.text, in: piece.face)
            if !parts.isEmpty { (part.chords, part.followsBlank) = ([], false) }
            parts.append(part)
            letters = letters.dropFirst(count)
        }
        return parts
    }

    private func words(of pieces: [Piece]) -> [ArraySlice<Piece>] {
        var (words, start): ([ArraySlice<Piece>], Int) = ([], 0)
        for place in pieces.indices.dropFirst() where pieces[place].followsBlank {
            words.append(pieces[start..<place])
            start = place
        }
        return pieces.isEmpty ? [] : words + [pieces[start...]]
    }
}

/// A row that grows word by word.
private struct OpenRow {
    private(set) var row = Row()
    private let setter: RowSetter
    private let start: Double
    /// Where the words end so far, and where the chords end; `nil` without chords.
    private var wordEnd: Double
    private var chordEnd: Double?
    /// The stretches of words that are read from the left, in a row that is read from the right.
    private var fromLeft: [ClosedRange<Double>] = []
    private var isInStretch = false

    init(_ setter: RowSetter, from start: Double) {
        (self.setter, self.start, wordEnd) = (setter, start, start)
        row.end = start
    }

    var isEmpty: Bool { row.runs.isEmpty && row.chords.isEmpty }

    /// The row as it is read from the right.
    var mirrored: Row { row.mirrored(in: setter.width, setter.slots, fromLeft: fromLeft) }

    /// Adds a word and returns `true` if the row has room for it; otherwise returns `false` and changes nothing.
    mutating func addIfItFits(_ word: some Collection<Piece>) -> Bool {
        // A copy of the row for each word would take a row of ten thousand chords seconds.
        let (runs, chords, gaps, stretches) = (row.runs.count, row.chords.count, row.gaps.count, fromLeft.count)
        let (lastRun, lastStretch) = (row.runs.last, fromLeft.last)
        let (end, ends, wasInStretch) = (row.end, (wordEnd, chordEnd), isInStretch)
        add(word: word)
        guard row.end > setter.width else { return true }
        row.runs.removeLast(row.runs.count - runs)
        row.chords.removeLast(row.chords.count - chords)
        row.gaps.removeLast(row.gaps.count - gaps)
        fromLeft.removeLast(fromLeft.count - stretches)
        // A word may have made the last ones longer.
        if let lastRun { row.runs[runs - 1] = lastRun }
        if let lastStretch { fromLeft[stretches - 1] = lastStretch }
        (row.end, (wordEnd, chordEnd), isInStretch) = (end, ends, wasInStretch)
        return false
    }

    mutating func add(word: some Collection<Piece>) {
        for piece in word { add(piece) }
        row.end = max(wordEnd, chordEnd ?? start)
    }

    private mutating func add(_ piece: Piece) {
        let isFirst = isEmpty
        let isTurned = piece.isFromLeft != isInStretch
        if isTurned, let end = chordEnd {
            // In a stretch, the first chord is where the last one would be otherwise. So no chord goes beyond an end of it.
            wordEnd = max(wordEnd, end)
            chordEnd = wordEnd
        }
        let blank = piece.followsBlank && !isFirst ? setter.measure.width(of: " ", in: piece.face) : 0
        let natural = wordEnd + blank
        var x = natural
        if !piece.chords.isEmpty, let chordEnd { x = max(x, chordEnd + RowSetter.chordGap) }
        var textStart = x
        if x > natural, blank == 0, !isFirst, !piece.text.isEmpty, let last = row.runs.last, abs(last.x + last.width - wordEnd) < 1e-9 {
            if piece.text.contains(where: { $0.isLetter || $0.isNumber }) {
                x = max(x, natural + RowSetter.leastHyphen)
                textStart = x
                // If the writer put a hyphen here, no other hyphen is needed.
                if ![last.text.last, piece.text.first].contains(where: { $0.map("-‐–—".contains) ?? false }) {
                    row.gaps.append(Row.Gap(x: natural, width: x - natural))
                }
            } else {
                // A comma or other punctuation stays with the word before it, and the chord comes after that.
                textStart = natural
            }
        }
        var place = x
        for slot in piece.chords {
            let room = setter.slots[slot].room
            // A chord that is wider than a row is scaled down.
            let scale = min(1, (setter.width - RowSetter.hanging) / max(room, 0.01))
            row.chords.append(Row.Chord(x: place, slot: slot, scale: scale, isFromLeft: piece.isFromLeft))
            chordEnd = place + room * scale
            place = chordEnd! + RowSetter.chordGap
        }
        if !piece.text.isEmpty { addRun(piece, at: textStart, isJoined: textStart == natural && !isTurned, blank: blank) }
        wordEnd = textStart + piece.width
        if piece.isApart, !piece.leadsOn || setter.layout < 4 { wordEnd = max(wordEnd, chordEnd ?? wordEnd) }
        if piece.isFromLeft {
            let end = max(wordEnd, chordEnd ?? wordEnd)
            if isTurned { fromLeft.append(min(x, textStart)...end) } else { fromLeft[fromLeft.count - 1] = fromLeft.last!.lowerBound...end }
        }
        isInStretch = piece.isFromLeft
    }

    private mutating func addRun(_ piece: Piece, at x: Double, isJoined: Bool, blank: Double) {
        if isJoined, let last = row.runs.last, last.face == piece.face, last.isUnderlined == piece.isUnderlined,
            abs(last.x + last.width - wordEnd) < 1e-9
        {
            row.runs[row.runs.count - 1].text += (blank > 0 ? " " : "") + piece.text
            row.runs[row.runs.count - 1].width = x + piece.width - last.x
        } else {
            row.runs.append(
                Row.Run(
                    x: x, text: piece.text, width: piece.width, face: piece.face, isUnderlined: piece.isUnderlined,
                    isFromLeft: piece.isFromLeft))
        }
    }
}
