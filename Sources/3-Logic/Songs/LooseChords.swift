/// Whether a line has chords without brackets, found in one pass.
enum LooseChords {
    /// Nothing but chords, perhaps after a word, as in `Intro: G C D`.
    case sure(ChordLine)
    /// Chords or words, as in `G C D twice`; with its chords if the line has nothing else, such as a single A.
    case perhaps(ChordLine?)
    case none

    /// With `orGerman`, German chords among words count as well, whatever the song's names of notes are.
    init(_ raw: ArraySlice<Unicode.Scalar>, _ naming: Naming, orGerman: Bool = true) {
        guard Tablature(raw) == nil, !Self.namesStrings(raw) else {
            self = .none
            return
        }
        if !raw.contains("[") {
            let line = raw.withoutTags { StyleTag($0, at: $1)?.end }
            let labelled = raw.count <= 400 ? ChordLine(labelled: line.trimmed(), naming) : nil
            if let labelled, labelled.isSure {
                self = .sure(labelled)
                return
            }
            if let chords = ChordLine(line, naming) {
                self = chords.isSure ? .sure(chords) : .perhaps(chords)
                return
            }
            if labelled != nil {
                self = .perhaps(nil)
                return
            }
        }
        self = Self.areAmongWords(raw, naming, orGerman) ? .perhaps(nil) : .none
    }

    /// The chords, if they cannot be words.
    var certain: ChordLine? {
        guard case .sure(let chords) = self else { return nil }
        return chords
    }

    /// The chords of a line that has nothing else, not even a word before them.
    var whole: ChordLine? {
        switch self {
        case .sure(let chords): chords.label.isEmpty ? chords : nil
        case .perhaps(let chords): chords
        case .none: nil
        }
    }

    var isNone: Bool {
        guard case .none = self else { return false }
        return true
    }

    /// Whether there may be several chords, where none are read.
    var isToBeNamed: Bool {
        switch self {
        case .sure(let chords): Set(chords.names.map(\.written)).count > 1
        case .perhaps(let chords): chords == nil
        case .none: false
        }
    }

    /// Whether the letters are the names of a guitar's strings.
    private static func namesStrings(_ raw: ArraySlice<Unicode.Scalar>) -> Bool {
        let line = raw.trimmed()
        return line.count > 7 && line.prefix(7).isFolded("tuning:")
    }

    private static func areAmongWords(_ raw: ArraySlice<Unicode.Scalar>, _ naming: Naming, _ orGerman: Bool) -> Bool {
        guard raw.count <= 400 else { return false }
        let all = withoutBrackets(raw).split(whereSeparator: \.isBlank)
        // Most lines are sung, and need no further look.
        guard all.count(where: { $0.first == "(" || ("A"..."H").contains($0.first!) }) > 1 else { return false }
        let words = all.filter { !ChordText.isFiller($0) }
        let chords = words.filter { ("A"..."H").contains($0.first!) && isChord($0, naming, orGerman) }
        // In German, small letters are minor chords. Only beside other chords are they taken for any.
        let small = words.filter { word in
            orGerman && ("a"..."h").contains(word.first!) && word.count < 3
                && isChord(([word.first!.uppedASCII] + word.dropFirst())[...], naming, orGerman)
        }
        let distinct = Set(chords.map(\.text))
        if (chords.count + small.count) * 2 >= words.count, distinct.count > 1 { return true }
        // Chords may be in round brackets among the words.
        return Set(words.filter { $0.first == "(" && isChord($0, naming, orGerman) }.map(\.text)).count > 1
    }

    /// The line without its square brackets and what is in them.
    private static func withoutBrackets(_ raw: ArraySlice<Unicode.Scalar>) -> ArraySlice<Unicode.Scalar> {
        guard raw.contains(where: { $0 == "[" || $0 == "]" }) else { return raw }
        var (plain, isInside): ([Unicode.Scalar], Bool) = ([], false)
        for scalar in raw {
            if scalar == "[" { isInside = true } else if scalar == "]" { isInside = false } else if !isInside { plain.append(scalar) }
        }
        return plain[...]
    }

    private static func isChord(_ word: ArraySlice<Unicode.Scalar>, _ naming: Naming, _ orGerman: Bool) -> Bool {
        !ChordText(word, naming).chords.isEmpty || orGerman && naming != .german && !ChordText(word, .german).chords.isEmpty
    }
}

extension WordLine {
    /// A note. Chords without brackets are chords if nothing in the note is a word.
    init(note raw: ArraySlice<Unicode.Scalar>, _ loose: LooseChords, _ naming: Naming) {
        if let chords = loose.certain {
            self = chords.line
        } else {
            var open: Set<Style> = []
            self = InlineReader(raw, naming, open: &open).line
        }
    }
}
