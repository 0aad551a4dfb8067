package import Model
import Platform

/// How people name a moment in the past: `2d` ago, `yesterday`, a day, or a day and a time.
package enum PointInTime {
    package static func parse(_ text: String, now: Timestamp) throws(InputProblem) -> Timestamp {
        if let time = Timestamp(text) { return time }
        let today = start(ofDay: TimeText.date(now))
        if text == "today", let today { return today }
        // An hour before midnight it is yesterday, even where a day has 23 hours or 25.
        if text == "yesterday", let today, let yesterday = start(ofDay: TimeText.date(today - .seconds(3600))) { return yesterday }
        if Timestamp(text + "T00:00:00Z") != nil, let day = start(ofDay: text) { return day }
        do {
            let duration = try DurationText.parse(text)
            return now - min(duration, longest)
        } catch {
            throw InputProblem(
                "'\(text.printable)' is not a time; write 'today', 'yesterday', how long ago, as in '2d', or a date, as in '2026-11-01'")
        }
    }

    /// A day begins at local midnight, as in the journal's printed times.
    private static func start(ofDay day: String) -> Timestamp? {
        LocalTime.start(ofDay: day).map { Timestamp(nanoseconds: Int64($0) * 1_000_000_000) }
    }

    /// A hundred years; more would be earlier than a timestamp can hold.
    private static let longest = Duration.seconds(100 * 365 * 86400)
}
