/// A former state of one of the user's mark files, kept because it had marks that were in none of the chart's files afterwards.
public struct FormerMarks: Hashable, Sendable {
    /// What it is called by; newer states have higher numbers.
    public let number: Int
    public let path: String
    /// When it was noticed that marks had vanished.
    public let vanishedAt: Timestamp
    /// How many marks it had.
    public let marks: Int
    /// How many of them are in none of the chart's files now.
    public let missing: Int

    /// Describes a state.
    public init(number: Int, path: String, vanishedAt: Timestamp, marks: Int, missing: Int) {
        self.number = number
        self.path = path
        self.vanishedAt = vanishedAt
        self.marks = marks
        self.missing = missing
    }

    /// The file's name without its folder.
    public var filename: String { Self.filename(ofFile: path) }

    static func filename(ofFile path: String) -> String {
        path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? path
    }
}
