import JSON
import Model
public import Readiness

/// What of a chart or plan is so until a person accepts it as it is.
public struct ViewerDoubts: Hashable, Sendable {
    /// All that ends when it is accepted.
    let sentences: [String]
    /// Identifies them, since only what was read is accepted.
    public let tag: String

    init?(_ lacks: [ReadinessLack], _ notes: [ReadinessNote], of hash: ChartHash? = nil) {
        guard lacks.contains(where: \.endsWhenAccepted) || notes.contains(where: \.endsWhenAccepted) else { return nil }
        sentences =
            lacks.filter { $0.endsWhenAccepted || $0.mayEndWhenAccepted }.map(\.sentence.asSentence)
            + notes.filter(\.endsWhenAccepted).map(\.withoutAdvice.asSentence)
            + notes.filter(\.isOlderMarks).map(\.withoutAdvice.asSentence)
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

    /// If the newer version was refused, it is fetched then.
    fileprivate var mayEndWhenAccepted: Bool { if case .outOfDate(.some) = self { true } else { false } }
}

extension ReadinessNote {
    fileprivate var endsWhenAccepted: Bool { if case .marksVanished = self { true } else { false } }
    var isOlderMarks: Bool { if case .olderMarks = self { true } else { false } }

    /// Commands follow a semicolon.
    fileprivate var withoutAdvice: String { sentence.split(separator: "; '").first.map(String.init) ?? sentence }
}
