package import Model
import Platform

/// How people name a moment in the past: `2d` ago, a day, or a day and a time.
package enum PointInTime {
    package static func parse(_ text: String, now: Timestamp) throws(InputProblem) -> Timestamp {
        // A day begins at local midnight, as in the journal's printed times.
        if let time = Timestamp(text) { return time }
        if let seconds = LocalTime.start(ofDay: text), Timestamp(text + "T00:00:00Z") != nil {
            return Timestamp(nanoseconds: Int64(seconds) * 1_000_000_000)
        }
        do {
            let duration = try DurationText.parse(text)
            return now - min(duration, longest)
        } catch {
            throw InputProblem("'\(text.printable)' is not a time; write how long ago, as in '2d', or a date, as in '2026-11-01'")
        }
    }

    /// A hundred years; more would be earlier than a timestamp can hold.
    private static let longest = Duration.seconds(100 * 365 * 86400)
}
