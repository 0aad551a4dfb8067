public import Model

/// Where the musician's own sets are, which of their files are charts, and how their songs are drawn.
public struct SetSettings: Hashable, Sendable {
    public let folders: [String]
    /// Those of the folders that do not answer, as on a network that is gone. Nothing may touch them.
    public let silent: Set<String>
    public let rules: ChartChoice.Rules
    /// The folder of links to the charts, in which people may have songs of their own; `nil` if it is not looked into.
    public let music: String?

    public init(
        _ folders: [String], silent: Set<String> = [], _ rules: ChartChoice.Rules = ChartChoice.Rules(), music: String? = nil
    ) {
        (self.folders, self.silent, self.rules, self.music) = (folders, silent, rules, music)
    }
}
