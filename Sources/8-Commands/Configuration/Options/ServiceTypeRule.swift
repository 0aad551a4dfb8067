import CommandLine
import Model

/// A rule for choosing the charts of one service type, as in `501002 exclude=*drum*` or `501002 owners=song+key`.
struct ServiceTypeRule: Hashable, Sendable {
    /// Each kind works like the setting of the same name under `charts`.
    enum Kind: String, CaseIterable {
        case include, exclude, owners, generated
    }

    let serviceType: ServiceTypeID
    let kind: Kind
    /// For `include` and `exclude`, a single pattern. For the other kinds, the names that `+` joined; empty for `none`.
    let values: [String]

    /// Reads a rule. The error describes the mistake.
    init(_ text: String) throws(Trouble) {
        let example = "as in '501002 exclude=*drum*' or '501002 owners=song+key'"
        let words = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
        let parts = (words.count == 2 ? words[1] : "").split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[1].isEmpty else {
            throw Trouble("'\(text.printable)' is not a rule for a service type; write its id, a rule and a value, \(example)")
        }
        guard let kind = Kind(rawValue: String(parts[0])) else {
            let names = Kind.allCases.map(\.rawValue)
            throw Trouble(
                "'\(String(parts[0]).printable)' is none of \(names.joined(separator: ", "))\(Suggestion.text(for: String(parts[0]), among: names))"
            )
        }
        serviceType = ServiceTypeID(String(words[0]))
        self.kind = kind
        switch kind {
        case .include, .exclude: values = [String(parts[1])]
        case .owners: values = try Self.names(parts[1], of: Options.Charts.allOwners)
        case .generated: values = try Self.names(parts[1], of: Options.Charts.allGenerated)
        }
    }

    /// Throws unless the text is a valid rule.
    @Sendable static func check(_ text: String) throws(Trouble) { _ = try ServiceTypeRule(text) }

    private static func names(_ text: Substring, of known: [String]) throws(Trouble) -> [String] {
        guard text != "none" else { return [] }
        let names = text.split(separator: "+", omittingEmptySubsequences: false).map(String.init)
        for name in names where !known.contains(name) {
            throw Trouble("'\(name.printable)' is none of \(known.joined(separator: ", "))\(Suggestion.text(for: name, among: known))")
        }
        return names
    }
}
