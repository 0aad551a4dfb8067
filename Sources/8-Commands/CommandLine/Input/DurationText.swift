/// Durations as people write them: `28 days`, `5 min`, `2h`, `90s`.
package enum DurationText {
    private static let units: [(names: [String], seconds: Int64)] = [
        (["s", "sec", "second", "seconds"], 1),
        (["m", "min", "minute", "minutes"], 60),
        (["h", "hour", "hours"], 3600),
        (["d", "day", "days"], 86400),
        (["w", "week", "weeks"], 7 * 86400),
    ]

    /// Reads a whole number and a unit, with or without a space between them.
    package static func parse(_ text: String) throws(InputProblem) -> Duration {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let unit = text.dropFirst(digits.count).drop { $0 == " " }
        guard let number = Int64(digits) else {
            throw InputProblem("'\(text.printable)' is not a duration; write a number and a unit, as in '28 days' or '90 s'")
        }
        guard !unit.isEmpty else { throw InputProblem("'\(text.printable)' has no unit; write '\(digits) s', 'min', 'h' or 'days'") }
        guard let seconds = units.first(where: { $0.names.contains(String(unit)) })?.seconds else {
            let hint = Suggestion.text(for: String(unit), among: units.flatMap(\.names))
            throw InputProblem("'\(String(unit).printable)' is not a unit of time\(hint)")
        }
        let (product, overflow) = number.multipliedReportingOverflow(by: seconds)
        guard !overflow else { throw InputProblem("'\(text.printable)' is too long") }
        return .seconds(product)
    }

    /// Writes a duration in the largest unit that is exact; fractions of a second are dropped.
    package static func text(of duration: Duration) -> String {
        let seconds = duration.components.seconds
        if seconds != 0, seconds % 86400 == 0 { return seconds == 86400 ? "1 day" : "\(seconds / 86400) days" }
        if seconds != 0, seconds % 3600 == 0 { return "\(seconds / 3600) h" }
        if seconds != 0, seconds % 60 == 0 { return "\(seconds / 60) min" }
        return "\(seconds) s"
    }
}
