/// What somebody accepted about a chart.
public struct AcceptedOfChart: OptionSet, Sendable {
    public let rawValue: Int

    /// Makes it from its bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Marks that were made on an older version.
    public static let marks = AcceptedOfChart(rawValue: 1)
    /// Pages with something missing.
    public static let pages = AcceptedOfChart(rawValue: 2)
    /// A newer version that was refused; the next sync downloads it.
    public static let newerVersion = AcceptedOfChart(rawValue: 4)
    /// That mark files lost marks.
    public static let vanishedMarks = AcceptedOfChart(rawValue: 8)
    /// That the service has older marks of others than those that are here; the next sync takes them.
    public static let olderMarks = AcceptedOfChart(rawValue: 16)
}
