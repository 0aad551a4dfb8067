import JSON
public import Model

/// An item's song, of which a chart can be drawn here in any key.
public struct ViewerSong: Hashable, Sendable {
    /// A key that it can sound in.
    public struct Key: Hashable, Sendable {
        public var name: String
        /// The keys that a guitar plays in with a capo at each fret, from 0 on.
        public var shapes: [String]

        public init(name: String, shapes: [String]) { (self.name, self.shapes) = (name, shapes) }
    }

    public enum Scope: String, Hashable, Sendable {
        case plan, everywhere
    }

    public var id: SongID
    /// The keys in a row; empty if it cannot be transposed.
    public var keys: [Key]
    /// Why there are no other keys.
    public var reason: String?
    /// The key that its chords are written in, and the plan's key, each by its name in the row.
    public var written: String?
    public var wanted: String?
    /// How it is drawn; `nil` if it is not.
    public var view: SongView?
    /// The key in which it sounds as it is drawn, by its name in the row; `nil` if it was not transposed to one of them.
    public var sounding: String?
    /// Remarks on its text that could not be understood or followed, in sentences.
    public var remarks: [String]
    /// The plans for which the musician chose that; `nil` without a choice.
    public var scope: Scope?

    public init(
        _ id: SongID, keys: [Key], reason: String? = nil, written: String? = nil, wanted: String? = nil, view: SongView? = nil,
        sounding: String? = nil, scope: Scope? = nil, remarks: [String] = []
    ) {
        (self.id, self.keys, self.reason, self.written, self.wanted) = (id, keys, reason, written, wanted)
        (self.view, self.sounding, self.scope, self.remarks) = (view, sounding, scope, remarks)
    }

    var json: JSONText {
        [
            "id": .text(id.text), "chart": .text(AttachmentID(drawnFrom: id).text), "written": .maybe(written), "wanted": .maybe(wanted),
            "keys": .list(keys.map { ["name": .text($0.name), "shapes": .texts($0.shapes)] }), "reason": .maybe(reason),
            "sounding": .maybe(sounding), "remarks": .texts(remarks), "scope": .maybe(scope?.rawValue), "view": view?.json ?? .null,
        ]
    }
}

extension SongView {
    var json: JSONText { ["key": .maybe(key), "capo": .integer(capo), "writing": .maybe(writing?.rawValue)] }
}
