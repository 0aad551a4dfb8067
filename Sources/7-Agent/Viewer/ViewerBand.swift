import Band
import JSON
import Model

/// The others' reports on a plan, for its page: ready members first. Contains nothing that changes every minute, since each
/// difference redraws the page.
extension BandReadiness {
    var json: JSONText {
        .list(
            Self.groups.compactMap { state, beginning in
                let named = people.filter { $0.state == state }.map(\.named)
                return named.isEmpty
                    ? nil : ["state": .text(state.rawValue), "words": .text("\(beginning): \(named.joined(separator: ", ")).")]
            })
    }

    private static let groups: [(State, String)] = [
        (.ready, "Ready"), (.unready, "Not ready"), (.old, "Nothing said lately"), (.silent, "Nothing said"),
        (.without, "Without this plan"),
    ]
}

extension BandReadiness.Person {
    /// The most reasons that are given for one person: more would not fit into a line.
    private static var mostReasons: Int { 2 }

    fileprivate var named: String {
        guard state == .unready, !lacks.isEmpty else { return name }
        let more = lacks.count > Self.mostReasons ? "; and more" : ""
        return "\(name) (\(lacks.prefix(Self.mostReasons).joined(separator: "; "))\(more))"
    }
}
