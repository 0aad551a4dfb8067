/// A song's words and chords as text, with the author's wishes for the layout. It is the source of a chart that is drawn here.
public struct SongText: Hashable, Sendable, Codable {
    /// The format of the text: how chords, notes and headings are marked.
    public enum Dialect: String, Hashable, Sendable, Codable {
        case service
        case chordPro = "chordpro"
        /// One of the two, by what is in the text. A text that has neither directives nor chords is no song.
        case any
    }

    public enum Paper: String, Hashable, Sendable, Codable {
        case a4, letter
    }

    /// An instrument that diagrams show chords on.
    public enum Diagrams: String, CaseIterable, Hashable, Sendable, Codable {
        case guitar, ukulele, piano
    }

    public var text: String
    public var dialect: Dialect
    public var title: String
    /// The key that the chords are written in; `nil` if only the text itself may state the key. A song without a key cannot be transposed.
    public var key: String?
    public var author: String?
    public var copyright: String?
    /// The tempo in beats per minute.
    public var tempo: Int?
    /// The meter, as in `4/4`.
    public var meter: String?
    /// The order in which the parts are played, as the service states it.
    public var order: [String]
    /// The number of columns, 1 or 2; `nil` for the number that fits best.
    public var columns: Int?
    /// The size of the words in points, at most; `nil` for the largest that fits.
    public var size: Int?
    public var paper: Paper
    /// The players whose own parts are drawn, such as `guitar`; parts for others are left out.
    public var parts: [String]?
    /// The instrument whose diagrams of the song's chords are drawn; `nil` for none.
    public var diagrams: Diagrams?

    public init(
        _ text: String, dialect: Dialect = .service, title: String, key: String? = nil, author: String? = nil, copyright: String? = nil,
        tempo: Int? = nil, meter: String? = nil, order: [String] = [], columns: Int? = nil, size: Int? = nil, paper: Paper = .a4
    ) {
        (self.text, self.dialect, self.title, self.key, self.author) = (text, dialect, title, key, author)
        (self.copyright, self.tempo, self.meter, self.order) = (copyright, tempo, meter, order)
        (self.columns, self.size, self.paper) = (columns, size, paper)
    }

    /// Has the song drawn for the players, and with the diagrams, that the musician chose for songs in files.
    public mutating func follow(_ rules: ChartChoice.Rules?) {
        parts = rules.flatMap { $0.players.isEmpty ? nil : $0.players }
        diagrams = rules?.diagrams
    }

    /// Identifies the text with all its fields.
    public var digest: Digest {
        let fields: [String?] = [
            text, dialect.rawValue, title, key, author, copyright, tempo.map(String.init), meter, columns.map(String.init),
            size.map(String.init), paper.rawValue,
        ]
        let own = (parts.map { ["of players"] + $0 } ?? []) + (diagrams.map { ["with diagrams", $0.rawValue] } ?? [])
        // Each field is preceded by its length, so that different lists of fields never give the same text.
        return SHA256.digest(of: (fields + order + own).map { field in field.map { "\($0.utf8.count):\($0)" } ?? "-" }.joined())
    }
}

/// A musician's view of a song: the key that it sounds in, the capo, and the notation of chords.
public struct SongView: Hashable, Sendable, Codable {
    public enum Writing: String, CaseIterable, Hashable, Sendable, Codable {
        case letters
        /// With H for the English B, and B for B flat.
        case german
        /// With degrees of the scale: 1 4 5, where a minor key's tonic chord is 6-.
        case numbers
        /// With degrees of the scale, where a minor key's tonic chord is 1-.
        case minorNumbers = "minor-numbers"
    }

    /// The key that the song sounds in; `nil` for the key that it is written for.
    public var key: String?
    /// The key in which, according to the musician, the chords are written, for a text that states no key.
    public var from: String?
    /// Whether `from` overrides the text's own key, because somebody has just chosen it for this drawing.
    public var prevails: Bool?
    /// The fret of the capo; 0 for none.
    public var capo: Int
    /// The notation of chords; `nil` for the one in the settings.
    public var writing: Writing?

    public init(key: String? = nil, from: String? = nil, capo: Int = 0, writing: Writing? = nil) {
        (self.key, self.from, self.capo, self.writing) = (key, from, capo, writing)
    }

    /// The frets that can be chosen.
    public static let frets = 0...9
}

/// The facts that a song's text states, as read by the process that drew the song. No other process parses texts from elsewhere.
public struct SongFacts: Hashable, Sendable, Codable {
    /// The key that the chords are written in; `nil` if neither the text nor the musician states one.
    public var key: String?
    /// The fret of the capo that the chords are written for; 0 for none.
    public var capo: Int
    /// For a song without a key, a likely one, and the reason for it in words.
    public var likelyKey: String?
    public var likelyReason: String?
    /// The version of the layout that last moved a word of this song.
    public var layout: Int
    /// The instrument whose diagrams needed so much room that words moved for them; `nil` if none did.
    public var diagrams: SongText.Diagrams?

    public init(key: String?, capo: Int, likelyKey: String? = nil, likelyReason: String? = nil, layout: Int) {
        (self.key, self.capo, self.likelyKey, self.likelyReason, self.layout) = (key, capo, likelyKey, likelyReason, layout)
    }
}

/// The song and the view of one chart that is drawn here.
public struct SongSheet: Hashable, Sendable, Codable {
    public var song: SongText
    public var view: SongView

    /// The version of the layout. It must be raised whenever the same song is drawn differently. The sixth gave the heading of a chorus
    /// that is sung twice its name; the rows are those of the fifth.
    public static let layoutVersion = 6

    public init(_ song: SongText, _ view: SongView = SongView()) { (self.song, self.view) = (song, view) }

    /// Equal for all sheets with each word in the same position. Neither the view nor the order of the parts matters, since an
    /// order always gets the same room. `layout` is the version of the layout that last moved a word of this song, and `diagrams` the
    /// instrument whose diagrams moved one.
    public func placing(layout: Int, diagrams: SongText.Diagrams? = nil) -> Digest {
        var song = song
        song.diagrams = diagrams
        if !song.order.isEmpty { song.order = ["as this plan has it"] }
        return SHA256.digest(of: "sheet \(layout) \(song.digest.hex)")
    }
}
