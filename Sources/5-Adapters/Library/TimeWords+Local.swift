public import Model
import Platform

extension TimeWords {
    /// In this machine's time zone: for everything that a person reads.
    public static let local = TimeWords(day: day, minute: { "\(day($0)) \(LocalTime.clock(nanosecondsSinceEpoch: $0.nanoseconds))" })

    @Sendable private static func day(_ time: Timestamp) -> String { LocalTime.date(nanosecondsSinceEpoch: time.nanoseconds) }
}

extension LibraryChange {
    /// The change in plain words, with times in this machine's time zone.
    public var localSentence: String { sentence(telling: .local) }
}
