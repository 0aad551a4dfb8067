/// How times are written in sentences. People want them in local time, which plain values do not know.
public struct TimeWords: Sendable {
    /// The day on which a time falls, as in `2026-11-22`.
    public let day: @Sendable (Timestamp) -> String
    /// The day and the time of day, as in `2026-11-22 09:30`.
    public let minute: @Sendable (Timestamp) -> String

    /// Writes times in this way.
    public init(day: @escaping @Sendable (Timestamp) -> String, minute: @escaping @Sendable (Timestamp) -> String) {
        self.day = day
        self.minute = minute
    }

    /// The same on every machine; not for people to read.
    public static let utc = TimeWords(
        day: \.date, minute: { "\($0.date) \($0.description.dropFirst($0.date.count + 1).prefix(5)) UTC" })
}
