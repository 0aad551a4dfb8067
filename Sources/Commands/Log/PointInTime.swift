import Model
import Platform

/// How people name a moment that is past: `2d` ago, a day, or a day and a time.
enum PointInTime {
    static func parse(_ text: String, now: Timestamp) throws(InputProblem) -> Timestamp {
        // A day begins at midnight in UTC, as the journal's times are printed.
        if let time = Timestamp(text) ?? Timestamp(text + "T00:00:00Z") { return time }
        do {
            let duration = try DurationText.parse(text)
            return now - min(duration, longest)
        } catch {
            throw InputProblem("'\(text.printable)' is no moment; write how long ago, as in '2d', or a day, as in '2026-11-01'")
        }
    }

    /// A hundred years; more would be before what a timestamp can hold.
    private static let longest = Duration.seconds(100 * 365 * 86400)
}
