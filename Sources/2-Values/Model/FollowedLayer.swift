/// What became of a mark when its chart was replaced.
public struct FollowedMark: Hashable, Sendable, Codable {
    public enum Fate: String, Sendable, Codable {
        /// The mark is drawn where its music is now: that is certain, or a person put it there.
        case moved
        /// The mark is drawn where it was made.
        case kept
        /// A person left the mark out.
        case left
        /// It is not certain where the mark belongs. Until a person decides, it is not drawn, but listed.
        case open
    }

    public enum Word: String, Sendable, Codable {
        /// The mark was there when its chart was replaced, and its music was not looked for since.
        case known
        /// A person decided it.
        case decided
    }

    /// The mark's `placeKey`. A mark that was changed since has another one, and is drawn where it is.
    public let sum: String
    public var fate: Fate
    /// Where the mark is or, if it is open, probably belongs.
    public var place: MarkPlace?
    /// The chart that the mark was made on; `nil` if that is the chart that its layer was made on.
    public var former: String?
    public var word: Word?

    public init(_ key: String, _ fate: Fate, at place: MarkPlace? = nil, former: ChartHash? = nil, word: Word? = nil) {
        (self.sum, self.fate, self.place, self.former, self.word) = (key, fate, place, former?.digest.hex, word)
    }

    /// The mark as it is drawn now; `nil` if it is not drawn.
    public func drawn(_ mark: Mark) -> Mark? {
        switch fate {
        case .moved: place.map { mark.moved(to: $0) } ?? mark
        case .kept: mark
        case .left, .open: nil
        }
    }
}

/// What became of the marks of a layer when their chart was replaced.
public struct FollowedLayer: Hashable, Sendable {
    public let layer: LayerID
    public let chart: ChartHash
    /// The chart on which the marks were made, unless their entries say otherwise.
    public let former: ChartHash
    /// The version of the method that found the places.
    public var method: Int
    /// Whether a person wants to see all marks where they were made.
    public var isTakenBack = false
    /// Entries by their marks' keys. A mark without one is drawn where it is.
    private var entries: [String: FollowedMark]

    public init(
        layer: LayerID, chart: ChartHash, former: ChartHash, method: Int = 0, isTakenBack: Bool = false, marks: [FollowedMark] = []
    ) {
        (self.layer, self.chart, self.former, self.method, self.isTakenBack) = (layer, chart, former, method, isTakenBack)
        entries = Dictionary(marks.map { ($0.sum, $0) }) { first, _ in first }
    }

    /// What is stored of a mark.
    public subscript(key: String) -> FollowedMark? {
        get { entries[key] }
        set { entries[key] = newValue }
    }

    /// The entries as they are stored. A mark that is not sure stays so, since marks that are found later may show that it is the same music.
    public var stored: [FollowedMark] { entries.values.sorted { $0.sum < $1.sum } }

    /// What became of each mark. If no mark that was made on the same chart is sure of its place, it is other music, and all stay.
    public var marks: [String: FollowedMark] {
        let same = Set(entries.values.filter { $0.fate == .moved }.map(\.former))
        return entries.mapValues { mark in
            var mark = mark
            if mark.fate == .open, !same.contains(mark.former) { mark.fate = .kept }
            return mark
        }
    }

    /// Whether any mark is drawn elsewhere, or not at all.
    public var isMoving: Bool { !isTakenBack && marks.values.contains { $0.fate != .kept } }

    /// The chart that the mark of an entry was made on.
    public func chart(of mark: FollowedMark) -> ChartHash {
        mark.former.flatMap { Digest(hex: $0) }.map { ChartHash($0) } ?? former
    }

    /// Adds the places that a method found, except of marks that a person decided about.
    public mutating func add(_ found: [FollowedMark], method: Int) {
        self.method = method
        for mark in found where entries[mark.sum]?.word != .decided { entries[mark.sum] = mark }
    }

    /// Notes that a person accepts marks that were made on `former` as they are drawn; those that are not drawn, where they were made.
    public mutating func accept(_ keys: some Sequence<String>, madeOn former: ChartHash?) {
        let fates = marks
        for key in keys {
            var mark = fates[key] ?? FollowedMark(key, .kept, former: former)
            if mark.fate == .open { mark.fate = .kept }
            mark.word = .decided
            entries[key] = mark
        }
    }
}

/// What became of the marks on a chart that replaced the one they were made on, for people.
public struct MovedMarks: Hashable, Sendable {
    /// A mark that is not drawn, because it is not certain where it belongs.
    public struct Open: Hashable, Sendable {
        /// What places of the layer are stored under.
        public let layer: LayerID
        /// The mark on the chart that it was made on.
        public let mark: Mark
        public let former: ChartHash
        /// The mark where it probably belongs; `nil` if no place was found.
        public let proposed: Mark?

        public init(layer: LayerID, mark: Mark, former: ChartHash, proposed: Mark?) {
            (self.layer, self.mark, self.former, self.proposed) = (layer, mark, former, proposed)
        }
    }

    /// How many marks are, or would be, where their music is.
    public let moved: Int
    /// Whether all marks are drawn where they were made, since a person wants that.
    public let isTakenBack: Bool
    /// Whether a person has accepted the marks.
    public let isAccepted: Bool
    public let open: [Open]

    public init(moved: Int, isTakenBack: Bool, isAccepted: Bool, open: [Open]) {
        (self.moved, self.isTakenBack, self.isAccepted, self.open) = (moved, isTakenBack, isAccepted, open)
    }
}

/// What a person decides of the marks that were made on another version of a chart.
public enum OlderMarksAnswer: Hashable, Sendable {
    /// The marks are right as they are drawn, those that are not placed are where they were made, or the layers are hidden.
    case right, hide
    /// All marks are drawn where they were made, or where their music is.
    case were, moved
}
