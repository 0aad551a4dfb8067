public import Model
import Platform

extension TimeWords {
    /// As they are where this machine is: for everything that a person reads.
    public static let local = TimeWords(day: day, minute: { "\(day($0)) \(LocalTime.clock(nanosecondsSinceEpoch: $0.nanoseconds))" })

    @Sendable private static func day(_ time: Timestamp) -> String { LocalTime.date(nanosecondsSinceEpoch: time.nanoseconds) }
}

extension LibraryChange {
    /// The change in plain words, with times as they are where this machine is.
    public var localSentence: String { sentence(telling: .local) }
}
