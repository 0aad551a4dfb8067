/// What became of a mark when its chart was replaced.
public struct FollowedMark: Hashable, Sendable, Codable {
    public enum Fate: String, Sendable, Codable {
        /// The mark is drawn where its music is now: that is certain, or a person put it there.
        case moved
        /// The mark is drawn where it was made.
        case kept
        /// A person left the mark out.
        case left
        /// It is not certain where the mark belongs. Until a person decides, the mark is listed instead of drawn.
        case open
    }

    /// The mark's `placeSum`. A mark that was changed since has another one, and is drawn where it is.
    public let sum: String
    public var fate: Fate
    /// Where the mark is or, if it is open, probably belongs.
    public var place: MarkPlace?
    /// The chart that the mark was made on, if that is not the chart that its layer was made on.
    public var former: String?

    public init(_ sum: String, _ fate: Fate, at place: MarkPlace? = nil, former: ChartHash? = nil) {
        (self.sum, self.fate, self.place, self.former) = (sum, fate, place, former?.digest.hex)
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
    /// The chart on which the marks were made or last accepted.
    public let former: ChartHash
    /// The version of the method that found the places.
    public let method: Int
    /// Whether a person wants to see all marks where they were made.
    public var isTakenBack = false
    /// An entry for each mark that the layer had when it was followed, by its sum.
    public var marks: [String: FollowedMark]

    /// A layer as it is stored.
    package init(
        layer: LayerID, chart: ChartHash, former: ChartHash, method: Int, isTakenBack: Bool = false, marks: [FollowedMark]
    ) {
        (self.layer, self.chart, self.former, self.method, self.isTakenBack) = (layer, chart, former, method, isTakenBack)
        self.marks = Dictionary(marks.map { ($0.sum, $0) }) { first, _ in first }
    }

    /// A layer whose marks were followed just now. If none is sure of its place, it is other music, and all stay where they are.
    public init(layer: LayerID, chart: ChartHash, former: ChartHash, method: Int, found marks: [FollowedMark]) {
        let isSame = marks.contains { $0.fate == .moved }
        let judged = marks.map { $0.fate == .open && !isSame ? FollowedMark($0.sum, .kept, former: $0.chart) : $0 }
        self.init(layer: layer, chart: chart, former: former, method: method, marks: judged)
    }

    /// Whether any mark is drawn elsewhere, or not at all.
    public var isMoving: Bool { !isTakenBack && marks.values.contains { $0.fate != .kept } }
}

extension FollowedMark {
    /// The chart that the mark was made on, if it is another one than its layer's.
    public var chart: ChartHash? { former.flatMap { Digest(hex: $0) }.map { ChartHash($0) } }
}

/// What became of the marks on a chart that replaced the one they were made on, for people.
public struct MovedMarks: Hashable, Sendable {
    /// A mark that is not drawn, because it is not certain where it belongs.
    public struct Open: Hashable, Sendable {
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
