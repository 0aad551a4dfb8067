import JSON
public import Model

/// An item's song, whose chart Woodshed can draw in any key.
public struct ViewerSong: Hashable, Sendable {
    /// A key that the song can sound in.
    public struct Key: Hashable, Sendable {
        public var name: String
        /// For each fret from 0 on, the key that a guitar plays with a capo there.
        public var shapes: [String]

        public init(name: String, shapes: [String]) { (self.name, self.shapes) = (name, shapes) }
    }

    public struct Likely: Hashable, Sendable {
        public var key: String
        public var reason: String

        public init(key: String, reason: String) { (self.key, self.reason) = (key, reason) }
    }

    public enum Scope: String, Hashable, Sendable {
        case plan, everywhere
    }

    public var id: SongID
    /// The plan that the chart is taken from, and in which a choice applies: a browser may have opened the chart outside any plan.
    public var plan: PlanID
    /// The notation used without a choice, if the item then has only other charts; `nil` if it has the drawn one.
    public var usualWriting: SongView.Writing?
    /// The available keys in order; empty if the song cannot be transposed.
    public var keys: [Key]
    /// Why the song cannot be transposed.
    public var reason: String?
    /// A key that the song may be written in, if nobody says which, and the reason in words.
    public var likely: Likely?
    /// The key of the written chords, and the plan's key; both are names from `keys`.
    public var written: String?
    public var wanted: String?
    /// The musician's view; `nil` if the chart is not drawn.
    public var view: SongView?
    /// The key in which the drawn chart sounds, from `keys`; `nil` if the chart was not transposed to one of them.
    public var sounding: String?
    /// Sentences about parts of the text that Woodshed could not understand or follow.
    public var remarks: [String]
    /// The plans for which the musician chose the view; `nil` without a choice.
    public var scope: Scope?

    public init(
        _ id: SongID, in plan: PlanID, usualWriting writing: SongView.Writing? = nil, keys: [Key], reason: String? = nil,
        written: String? = nil, wanted: String? = nil, view: SongView? = nil,
        sounding: String? = nil, scope: Scope? = nil, remarks: [String] = [], likely: Likely? = nil
    ) {
        (self.plan, usualWriting) = (plan, writing)
        (self.id, self.keys, self.reason, self.written, self.wanted) = (id, keys, reason, written, wanted)
        (self.view, self.sounding, self.scope, self.remarks) = (view, sounding, scope, remarks)
        self.likely = likely
    }

    var json: JSONText {
        [
            "id": .text(id.text), "chart": .text(AttachmentID(drawnFrom: id).text), "plan": .text(plan.text),
            "usualWriting": .maybe(usualWriting?.rawValue), "written": .maybe(written), "wanted": .maybe(wanted),
            "keys": .list(keys.map { ["name": .text($0.name), "shapes": .texts($0.shapes)] }), "reason": .maybe(reason),
            "likely": likely.map { ["key": .text($0.key), "reason": .text($0.reason)] } ?? .null,
            "sounding": .maybe(sounding), "remarks": .texts(remarks), "scope": .maybe(scope?.rawValue), "view": view?.json ?? .null,
        ]
    }
}

extension SongView {
    var json: JSONText { ["key": .maybe(key), "from": .maybe(from), "capo": .integer(capo), "writing": .maybe(writing?.rawValue)] }
}
