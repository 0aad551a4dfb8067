/// Which of a plan's PDFs are charts for this musician: a drummer does not want thirty parts. By default, all are.
public struct ChartChoice: Hashable, Sendable {
    /// What an attachment can belong to.
    public enum Owner: String, CaseIterable, Hashable, Sendable {
        case song, arrangement, key, item, plan
    }

    /// What the service generates as PDFs by itself.
    public enum Generated: String, CaseIterable, Hashable, Sendable {
        case chordChart = "chord-chart"
        case lyricChart = "lyric-chart"
        case chordChartPro = "chord-chart-pro"
    }

    /// The rules for one service type.
    public struct Rules: Hashable, Sendable {
        /// If there are any, only files that match one of them are charts.
        public var include: [FilenamePattern]
        /// Files that match one of them are not charts, whatever the other rules say.
        public var exclude: [FilenamePattern]
        /// Whose files are charts.
        public var owners: Set<Owner>
        /// Which kinds of generated files are charts. Their file names have to fit as well.
        public var generated: Set<Generated>

        /// Makes rules; the defaults leave nothing out.
        public init(
            include: [FilenamePattern] = [], exclude: [FilenamePattern] = [], owners: Set<Owner> = Set(Owner.allCases),
            generated: Set<Generated> = Set(Generated.allCases)
        ) {
            self.include = include
            self.exclude = exclude
            self.owners = owners
            self.generated = generated
        }

        /// All rules in words; equal rules give equal words.
        public var text: String {
            [
                "include \(include.map(\.text))", "exclude \(exclude.map(\.text))", "owners \(owners.map(\.rawValue).sorted())",
                "generated \(generated.map(\.rawValue).sorted())",
            ].joined(separator: " ")
        }

        /// The rule that leaves a file out, in words; `nil` for a chart. `owners` are all that it belongs to, at least one.
        public func ruleAgainst(filename: String, owners: Set<Owner>, generated: Generated?) -> String? {
            if let generated, !self.generated.contains(generated) { return "no generated charts of the kind \(generated.rawValue)" }
            if self.owners.isDisjoint(with: owners) {
                let names = Owner.allCases.filter { owners.contains($0) }.map(\.rawValue)
                return "no files of the owner \(names.joined(separator: ", "))"
            }
            if let pattern = exclude.first(where: { $0.matches(filename) }) { return "exclude \(pattern)" }
            if !include.isEmpty, !include.contains(where: { $0.matches(filename) }) {
                return "include \(include.map(\.text).joined(separator: ", "))"
            }
            return nil
        }
    }

    /// The rules for service types without rules of their own.
    public var usual: Rules
    /// The rules for a service type, instead of `usual`.
    public var byServiceType: [ServiceTypeID: Rules]

    /// Makes a choice; the default is every PDF.
    public init(usual: Rules = Rules(), byServiceType: [ServiceTypeID: Rules] = [:]) {
        self.usual = usual
        self.byServiceType = byServiceType
    }

    /// The rules for a service type.
    public func rules(for serviceType: ServiceTypeID) -> Rules { byServiceType[serviceType] ?? usual }
}
