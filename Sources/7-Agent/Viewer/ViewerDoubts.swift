import JSON
import Model
public import Readiness

/// The doubts about a chart or plan that a person can end by accepting it as it is.
public struct ViewerDoubts: Hashable, Sendable {
    /// The doubts that accepting would or may end, and the notes about marks of another version.
    let sentences: [String]
    /// Identifies the doubts: only doubts that the person has read are accepted.
    public let tag: String

    init?(_ lacks: [ReadinessLack], _ notes: [ReadinessNote], of hash: ChartHash? = nil) {
        guard lacks.contains(where: \.endsWhenAccepted) || notes.contains(where: \.endsWhenAccepted) else { return nil }
        sentences =
            lacks.filter { $0.endsWhenAccepted || $0.mayEndWhenAccepted }.map(\.sentence.asSentence)
            + notes.filter(\.endsWhenAccepted).map(\.sentence.asSentence)
            + notes.filter(\.isOlderMarks).map(\.sentence.asSentence)
        tag = SHA256.digest(of: JSONText.texts(sentences + [hash?.description ?? ""]).line).shortHex
    }

    var json: JSONText { ["of": .text(tag), "sentences": .texts(sentences)] }
}

extension ReadinessReport.Chart {
    public var doubts: ViewerDoubts? { ViewerDoubts(lacks, notes, of: hash) }
}

extension ReadinessReport.Plan {
    public var doubts: ViewerDoubts? { ViewerDoubts(lacks, notes) }
}

extension ReadinessLack {
    fileprivate var endsWhenAccepted: Bool {
        switch self {
        case .contentLost, .marksVanished, .nothingChosen, .marksLeftBehind: true
        case .layerDoubted(let doubt): doubt.reason.isOfThePast
        default: false
        }
    }

    /// Whether accepting may end this lack, because a refused newer version is then fetched.
    fileprivate var mayEndWhenAccepted: Bool { if case .outOfDate(.some) = self { true } else { false } }
}

extension ReadinessNote {
    fileprivate var endsWhenAccepted: Bool { if case .marksVanished = self { true } else { false } }
    var isOlderMarks: Bool { if case .olderMarks = self { true } else { false } }
}
