public import Model

/// Where the musician's own sets are, which of their files are charts, and how their songs are drawn.
public struct SetSettings: Hashable, Sendable {
    public let folders: [String]
    public let rules: ChartChoice.Rules
    /// The folder of links to the charts, in which people may have songs of their own; `nil` if it is not looked into.
    public let music: String?

    public init(_ folders: [String], _ rules: ChartChoice.Rules = ChartChoice.Rules(), music: String? = nil) {
        (self.folders, self.rules, self.music) = (folders, rules, music)
    }
}
