/// Decides whether a text has German names of notes.
///
/// Only an H reveals them. The text's B then means B♭, since B natural has just one name. If the text has a B♭ as well, H is a misprint.
enum GermanNames {
    /// `above` states whether chords may be on lines above the words.
    static func naming(of lines: [ArraySlice<Unicode.Scalar>], above: Bool) -> Naming {
        let isGerman = lines.contains { line in line.contains("H") && (inBrackets(line) || above && isAbove(line)) }
        return isGerman && !lines.contains(where: hasBFlat) ? .german : .english
    }

    private static func hasBFlat(_ line: ArraySlice<Unicode.Scalar>) -> Bool {
        guard line.contains("[") else { return false }
        var open: Set<WordLine.Style> = []
        return InlineReader(line, .english, open: &open).line.chords.contains { placed in
            placed.chord.chords.contains { ["Bb", "B♭"].contains(where: $0.written.hasPrefix) }
        }
    }

    private static func inBrackets(_ line: ArraySlice<Unicode.Scalar>) -> Bool {
        guard line.contains("[") else { return false }
        var open: Set<WordLine.Style> = []
        return InlineReader(line, .german, open: &open).line.chords.contains { $0.chord.chords.contains(where: isNamed) }
    }

    /// Without another chord, `Hm hm` may be sung words, so the line must also have a chord that is not H.
    private static func isAbove(_ line: ArraySlice<Unicode.Scalar>) -> Bool {
        guard let chords = LooseChords(line, .german).whole?.names else { return false }
        return chords.contains(where: isNamed) && !chords.allSatisfy(isNamed)
    }

    private static func isNamed(_ chord: Chord) -> Bool {
        chord.written.unicodeScalars.first == "H" || chord.written.hasSuffix("/H")
    }
}
