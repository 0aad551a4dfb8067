import Model

/// A song, and remarks about the parts of its text that were not understood.
public struct SongReading: Hashable, Sendable {
    public let song: Song
    /// The remarks. Of several with the same reason and text, only the first is kept.
    public let remarks: [SongRemark]
    /// The version of the layout from which on the lines are read as they are now: chords without brackets were words in the first one.
    public let layout: Int

    init(song: Song, remarks: [SongRemark], layout: Int = 1) {
        (self.song, self.remarks, self.layout) = (song, remarks, layout)
    }
}

/// A part of the text that was not understood and is kept as written.
public struct SongRemark: Hashable, Sendable, CustomStringConvertible {
    public enum Reason: Hashable, Sendable {
        case noChord, maybeChords, fingering, inTab, solfege, noKeyWord, noNumber, unknownDirective, leftOut, notDrawn, notBegun, notEnded
        case spelling, anotherCapo
        /// The chords are in this key, and the stated one is the key that sounds behind the capo.
        case soundingKey(String)
    }

    public let reason: Reason
    /// The text that the remark concerns.
    public let text: String
    /// The number of the line, counted from 1.
    public let line: Int

    /// Whether a reader may take the text for a chord, and would play it in the wrong key if the others were moved.
    public var isUnmovedChord: Bool {
        let scalars = Array(text.unicodeScalars)
        guard reason == .noChord, let first = scalars.first, ("A"..."H").contains(first) else {
            return reason == .maybeChords || reason == .fingering || reason == .inTab
        }
        return scalars.dropFirst().first.map { "b♭#♯".unicodeScalars.contains($0) } ?? false || scalars.contains { $0.isDigit || $0 == "/" }
    }

    public var description: String {
        let place = "Line \(line): '\(text)'"
        return switch reason {
        case .noChord: "\(place) is no known chord, and is the same in every key."
        case .maybeChords: "\(place) may be chords or words, and is the same in every key; write chords in brackets, as in [G]."
        case .fingering: "\(place) says how chords are held, and is the same in every key."
        case .inTab: "\(place) stands in a part that is drawn as written, and is the same in every key."
        case .solfege: "\(place) and the other chords are written as Do, Re, Mi, and are not moved; write them as C, D, E."
        case .leftOut: "\(place) is for some players only, and is left out; charts.parts in the configuration names your parts."
        case .notDrawn: "\(place) needs another program to become music, and is left out."
        case .soundingKey(let key): "\(place) is taken for the key that sounds behind the capo, since the chords are in \(key)."
        case .anotherCapo: "\(place) is another capo, and the chords are for the first one; write {transpose} where the key changes."
        case .noKeyWord: "\(place) has no effect; to change the key, write KEY after the first word."
        case .noNumber: "\(place) has no effect, since it does not say by how many semitones, such as +2."
        case .unknownDirective: "\(place) is meant for other programs, and is not shown."
        case .notBegun: "\(place) ends a part that did not begin, and has no effect."
        case .notEnded: "\(place) begins a part that nothing ends; it goes on to the next one."
        case .spelling: "\(place) asks for sharps or flats; here they follow the key."
        }
    }
}

/// The most text that is read as a song.
public struct SongLimits: Hashable, Sendable {
    public var bytes = 1 << 20
    public var lines = 20_000
    public var chords = 100_000
    /// The most letters of a line.
    public var line = 1 << 20

    public init() {}
}

/// The common part of both readers: it collects lines and remarks, and enforces limits.
struct SongBuilder {
    let naming: Naming
    private(set) var remarks: [SongRemark] = []
    private(set) var sections: [Song.Section] = []
    private var reported: Set<[String]> = []
    private var heading: Song.Heading?
    private var lines: [Song.Line] = []
    private var chords = 0
    private var solfege = Solfege()
    /// Whether a part, words or chords have begun. Only earlier details concern the whole song.
    private(set) var hasBegun = false
    private var layout = 1
    private let limits: SongLimits

    init(naming: Naming, limits: SongLimits) { (self.naming, self.limits) = (naming, limits) }

    /// The lines of a text. Throws if the text is too long.
    static func lines(of text: String, _ limits: SongLimits) throws(Trouble) -> [ArraySlice<Unicode.Scalar>] {
        let bytes = text.utf8.count
        guard bytes <= limits.bytes else {
            throw Trouble("the song's text has \(bytes) bytes, and at most \(limits.bytes) are read; is it a song?")
        }
        let lines = text.songLines()
        guard lines.count <= limits.lines else {
            throw Trouble("the song's text has \(lines.count) lines, and at most \(limits.lines) are read; make several songs of it")
        }
        if let long = lines.firstIndex(where: { $0.count > limits.line }) {
            throw Trouble("line \(long + 1) has \(lines[long].count) letters, and at most \(limits.line) are read; is it a song?")
        }
        return lines
    }

    mutating func remark(_ reason: SongRemark.Reason, _ text: String, line: Int) {
        // Nobody sees the chords of a part that is left out.
        if heading?.isLeftOut == true, [.noChord, .maybeChords, .fingering, .inTab].contains(reason) { return }
        guard reported.insert(["\(reason)", text]).inserted else { return }
        remarks.append(SongRemark(reason: reason, text: text, line: line))
    }

    /// Notes that something is read as no layout before this one had it.
    mutating func note(layout: Int) { self.layout = max(self.layout, layout) }

    /// Adds chords above the strings of a tablature, in their columns. As the frets stay, they are right only where they stand.
    mutating func add(aboveTab line: ArraySlice<Unicode.Scalar>, at number: Int) throws(Trouble) {
        note(layout: 5)
        remark(.inTab, line.trimmed().text, line: number)
        try add(.verbatim(ChordText(plain: line.text)), at: number)
    }

    /// Adds a line for the fingers as it stands.
    mutating func add(_ tablature: Tablature, _ line: ArraySlice<Unicode.Scalar>, at number: Int) throws(Trouble) {
        if line.contains("*") { note(layout: 5) }
        if tablature == .fingering { remark(.fingering, line.trimmed().text, line: number) }
        try add(.verbatim(ChordText(plain: line.text)), at: number)
    }

    /// Adds a line of chords that are not read, and the words below it, in their columns.
    mutating func add(
        _ unread: UnreadChords.Kind, _ line: ArraySlice<Unicode.Scalar>, words: ArraySlice<Unicode.Scalar>?, at number: Int
    ) throws(Trouble) {
        note(layout: 2)
        if unread == .small { remark(.maybeChords, line.trimmed().text, line: number) }
        try add(.verbatim(ChordText(plain: line.text)), at: number)
        if let words { try add(.verbatim(ChordText(plain: words.text)), at: number + 1) }
    }

    /// Names what in a note may be chords, where none are read.
    mutating func remark(note text: ArraySlice<Unicode.Scalar>, _ line: WordLine, _ loose: LooseChords, at number: Int) {
        if line.chords.isEmpty, loose.isToBeNamed { remark(.maybeChords, text.text, line: number) }
        if Tablature(text) == .fingering { remark(.fingering, text.trimmed().text, line: number) }
    }

    /// Adds a line, with its line number in the text. Throws if the song then has too many chords.
    mutating func add(_ line: Song.Line, at number: Int) throws(Trouble) {
        for text in line.chordTexts {
            chords += max(1, text.chords.count)
            if case .verbatim = line { continue }
            let unknown = text.unknown
            if !unknown.isEmpty, text.chords.isEmpty, ChordText(text.written, naming: naming).namesParts {
                if !SectionHeading.saysPart(unknown) { remark(.maybeChords, text.written, line: number) }
                continue
            }
            for word in unknown { remark(.noChord, word, line: number) }
        }
        solfege.take(line, at: number)
        guard chords <= limits.chords else {
            throw Trouble("the song has more than the \(limits.chords) chords that are read; make several songs of it")
        }
        lines.append(line)
        hasBegun = hasBegun || line.isOfTheText
    }

    /// Adds a line of words, or a blank line if nothing of the line is visible.
    mutating func add(words line: WordLine, at number: Int) throws(Trouble) { try add(line.isBlank ? .blank : .words(line), at: number) }

    /// Ends the present part and begins another; `nil` begins one without a heading. Before words and chords, what is not `isOfTheText`
    /// leaves room for details of the whole song.
    mutating func begin(_ next: Song.Heading?, isOfTheText: Bool = true) {
        if heading != nil || !lines.isEmpty { sections.append(Song.Section(heading: heading, lines: lines)) }
        (heading, lines) = (next, [])
        hasBegun = hasBegun || isOfTheText
    }

    /// The kind of the present part, whether a directive or a comment began it.
    var kind: String? { heading?.kind }

    /// Gives the part that has just begun this name. Returns whether it is of the same kind, and has no name yet.
    mutating func name(_ named: Song.Heading) -> Bool {
        guard let own = heading, own.kind == named.kind, own.name == nil, own.written == nil, lines.isEmpty else { return false }
        heading = Song.Heading(kind: own.kind, name: named.name, selector: own.selector)
        return true
    }

    /// `keyLine` is the number of the line that states the key.
    mutating func reading(details: [Song.Detail], keyLine: Int = 1) -> SongReading {
        begin(nil)
        var song = Song(naming: naming, details: details, sections: sections)
        if let remark = solfege.remark {
            song.leaveChords()
            remarks.removeAll { $0.reason == .noChord && Solfege.isChord(Array($0.text.unicodeScalars)[...]) }
            remarks.append(remark)
        }
        if let written = song.keyBehindCapo {
            let stated = song.detail("key") ?? ""
            song.details = song.details.map { $0.name == "key" ? Song.Detail("key", written.name(in: naming)) : $0 }
            remarks.append(SongRemark(reason: .soundingKey(written.name(in: naming)), text: "{key: \(stated)}", line: keyLine))
        }
        return SongReading(song: song, remarks: remarks, layout: layout)
    }
}

extension Song.Line {
    /// Whether the line is sung or played, rather than a note for people or programs.
    fileprivate var isOfTheText: Bool {
        switch self {
        case .blank, .hidden, .directive, .change: false
        case .note(let line, _): !line.chords.isEmpty
        default: true
        }
    }
}
