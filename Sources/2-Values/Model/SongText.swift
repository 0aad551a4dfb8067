/// A song's words and chords as text, and its author's wishes for the layout: the source of a chart that is drawn here.
public struct SongText: Hashable, Sendable, Codable {
    /// The format of the text: how it marks chords, notes and headings.
    public enum Dialect: String, Hashable, Sendable, Codable {
        case service
        case chordPro = "chordpro"
    }

    public enum Paper: String, Hashable, Sendable, Codable {
        case a4, letter
    }

    public var text: String
    public var dialect: Dialect
    public var title: String
    /// The key that its chords are written in; `nil` if it is unknown, and then it cannot be transposed.
    public var key: String?
    public var author: String?
    public var copyright: String?
    /// In beats per minute.
    public var tempo: Int?
    /// As in `4/4`.
    public var meter: String?
    /// The order in which its parts are played, in the service's words.
    public var order: [String]
    /// 1 or 2; `nil` for as many as fit best.
    public var columns: Int?
    /// The size of its words, in points; `nil` for as large as fits.
    public var size: Int?
    public var paper: Paper

    public init(
        _ text: String, dialect: Dialect = .service, title: String, key: String? = nil, author: String? = nil, copyright: String? = nil,
        tempo: Int? = nil, meter: String? = nil, order: [String] = [], columns: Int? = nil, size: Int? = nil, paper: Paper = .a4
    ) {
        (self.text, self.dialect, self.title, self.key, self.author) = (text, dialect, title, key, author)
        (self.copyright, self.tempo, self.meter, self.order) = (copyright, tempo, meter, order)
        (self.columns, self.size, self.paper) = (columns, size, paper)
    }

    /// Identifies all of it.
    public var digest: Digest {
        let fields: [String?] = [
            text, dialect.rawValue, title, key, author, copyright, tempo.map(String.init), meter, columns.map(String.init),
            size.map(String.init), paper.rawValue,
        ]
        // Each with its length, so that no two lists of fields look alike.
        return SHA256.digest(of: (fields + order).map { field in field.map { "\($0.utf8.count):\($0)" } ?? "-" }.joined())
    }
}

/// How a musician reads a song: the key that it sounds in, the capo, and how the chords are written.
public struct SongView: Hashable, Sendable, Codable {
    public enum Writing: String, CaseIterable, Hashable, Sendable, Codable {
        case letters
        /// With H for what others call B, and B for B flat.
        case german
        /// By their place in the scale: 1 4 5, where a minor key's own chord is 6-.
        case numbers
        /// As above, where a minor key's own chord is 1-.
        case minorNumbers = "minor-numbers"
    }

    /// `nil` for the key that it is written in.
    public var key: String?
    /// 0 for none.
    public var capo: Int
    /// `nil` for the settings' choice.
    public var writing: Writing?

    public init(key: String? = nil, capo: Int = 0, writing: Writing? = nil) {
        (self.key, self.capo, self.writing) = (key, capo, writing)
    }

    /// The frets to choose from.
    public static let frets = 0...9
}

/// The contents of one chart that is drawn here.
public struct SongSheet: Hashable, Sendable, Codable {
    public var song: SongText
    public var view: SongView

    /// Goes up when the same song is drawn differently.
    public static let layoutVersion = 1

    public init(_ song: SongText, _ view: SongView = SongView()) { (self.song, self.view) = (song, view) }

    /// Equal for all sheets that have each word at the same place: in whatever key, and whatever the order of its parts, which always gets
    /// the same room.
    public var placing: Digest {
        var song = song
        if !song.order.isEmpty { song.order = ["as this plan has it"] }
        return SHA256.digest(of: "sheet \(Self.layoutVersion) \(song.digest.hex)")
    }
}
