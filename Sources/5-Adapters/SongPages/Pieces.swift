import Songs

/// A part of a word, with the chords over its beginning.
struct Piece: Hashable {
    var text: String
    var width: Double
    var face: Face
    var isUnderlined = false
    /// The numbers of the chords' slots.
    var chords: [Int] = []
    /// Whether a space precedes the piece; a line may be broken there.
    var followsBlank = false
    /// Whether spaces are on both sides of the chords, so that they stand between words.
    var isApart = false
    /// Whether the chords, although they stand apart, are for the word behind a single space, as in `[G] word`.
    var leadsOn = false
    /// Whether the piece is read from the left, in a line that is read from the right.
    var isFromLeft = false
}

extension [Piece] {
    /// Whether the line is read from the right: its first letter is Hebrew, Arabic or of another script that is.
    var areReadFromRight: Bool {
        lazy.compactMap(\.isReadFromRight).first ?? false
    }

    /// The pieces of a line that is read from the right, with those marked that are not: words of other scripts, and what stands between
    /// two of them, such as a number.
    var markingWhatIsFromLeft: [Piece] {
        let areFromRight = map(\.isReadFromRight)
        var (pieces, former): ([Piece], Int?) = (self, nil)
        for (index, isFromRight) in areFromRight.enumerated() where isFromRight != nil {
            if isFromRight == false {
                for between in (former.flatMap { areFromRight[$0] == false ? $0 : nil } ?? index)...index {
                    pieces[between].isFromLeft = true
                }
            }
            former = index
        }
        return pieces
    }

}

extension Piece {
    /// Whether the first letter is Hebrew, Arabic or of another script that is read from the right; `nil` without letters.
    fileprivate var isReadFromRight: Bool? {
        text.unicodeScalars.first { $0.properties.isAlphabetic }.map { letter in Self.fromRight.contains { $0.contains(letter.value) } }
    }

    private static let fromRight: [ClosedRange<UInt32>] = [
        0x590...0x8FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFE, 0x10800...0x10FFF, 0x1E800...0x1EFFF,
    ]
}

/// Cuts lines of words into pieces.
struct PieceCutter {
    let measure: any TextMeasure

    private static let longest = 200

    /// Cuts a line into pieces: at spaces, chords and changes of style, and after 200 letters. `first` is the number of the line's
    /// first slot.
    func pieces(of line: WordLine, firstSlot first: Int, face: Face) -> [Piece] {
        let scalars = Array(line.text.plainLine.unicodeScalars)
        let places = ChordPlaces(scalars).places(of: line)
        var pieces: [Piece] = []
        var open: Piece?
        var isAfterBlank = true
        var (chord, letters, count) = (0, String.UnicodeScalarView(), 0)
        func close() {
            guard var piece = open else { return }
            piece.text = String(letters)
            piece.width = letters.isEmpty ? 0 : measure.width(of: piece.text, in: piece.face)
            pieces.append(piece)
            (open, letters, count) = (nil, String.UnicodeScalarView(), 0)
        }
        func isLetter(_ place: Int) -> Bool { place < scalars.count && scalars[place].properties.isAlphabetic }
        for place in 0...scalars.count {
            var here: [Int] = []
            while chord < places.count, places[chord] <= place {
                here.append(first + chord)
                chord += 1
            }
            let isBlank = place == scalars.count || scalars[place].properties.isWhitespace
            let (styled, isUnderlined) = line.look(at: place, face)
            if !here.isEmpty || open != nil && !isBlank && (open?.face != styled || open?.isUnderlined != isUnderlined) { close() }
            if !here.isEmpty {
                open = Piece(
                    text: "", width: 0, face: styled, isUnderlined: isUnderlined, chords: here, followsBlank: isAfterBlank,
                    isApart: isAfterBlank && isBlank,
                    leadsOn: isAfterBlank && isBlank && here.count == 1 && !line.hasChordsAbove && isLetter(place + 1))
                isAfterBlank = false
            }
            guard place < scalars.count else { break }
            if isBlank {
                close()
                isAfterBlank = true
                continue
            }
            if open == nil {
                open = Piece(text: "", width: 0, face: styled, isUnderlined: isUnderlined, followsBlank: isAfterBlank)
            }
            isAfterBlank = false
            letters.append(scalars[place])
            count += 1
            // Cut up a long text without spaces, instead of measuring it as a whole.
            if count == Self.longest { close() }
        }
        close()
        return pieces
    }
}

extension WordLine {
    fileprivate func look(at place: Int, _ face: Face) -> (Face, isUnderlined: Bool) {
        guard !styles.isEmpty else { return (face, false) }
        var (face, isUnderlined) = (face, false)
        for style in styles where style.range.contains(place) {
            switch style.style {
            case .bold: face.isBold = true
            // Notes are already italic, so italics in a note are upright.
            case .italic: face.isItalic.toggle()
            case .underlined: isUnderlined = true
            case .t: break
            }
        }
        return (face, isUnderlined)
    }
}
