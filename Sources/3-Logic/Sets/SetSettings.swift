public import Model

/// Where the musician's own sets are, which of their files are charts, and how their songs are drawn.
public struct SetSettings: Hashable, Sendable {
    public let folders: [String]
    public let rules: ChartChoice.Rules

    public init(_ folders: [String], _ rules: ChartChoice.Rules = ChartChoice.Rules()) { (self.folders, self.rules) = (folders, rules) }
}
