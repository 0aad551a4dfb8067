import JSON
import Model
package import Platform

/// A progress bar on one line of a terminal, redrawn in place on standard error. Without a terminal, nothing is shown. With
/// `--json`, lines of the result show the progress instead.
///
/// The bar has no timer. An update redraws the bar at most ten times a second. Where only programs read it, the end is always printed.
@LoopActor
package final class ProgressBar {
    private let output: Output
    private let clock: any TimeKeeper
    private let label: String
    private let unit: Unit
    /// The form of the command's result if `--json` was given.
    private let form: (any PrintedForm)?
    private var lastLine: ProgressLine?
    private let start: Moment
    private var startedAt: Int?
    private var lastDrawn: Moment?
    private static let shortestPause = Duration.milliseconds(100)
    /// How long the work must have taken before a rate and the time left are told.
    private let settling: Duration

    package enum Unit: Hashable, Sendable, ExpressibleByStringLiteral {
        /// Items with this plural name, as in "pages".
        case things(String)
        case bytes

        package init(stringLiteral name: String) { self = .things(name) }
    }

    /// A bar that counts `unit`. If `form` is given, progress is printed as JSON lines instead. No time left is told before `settling`.
    package init(
        _ label: String, unit: Unit, for form: (any PrintedForm)? = nil, settling: Duration = .seconds(3), output: Output,
        clock: any TimeKeeper
    ) {
        (self.label, self.unit, self.form, self.output, self.clock) = (label, unit, form, output, clock)
        self.settling = settling
        start = clock.now
    }

    package func update(done: Int, total: Int) {
        // Work done before the bar began must not count towards the rate.
        let startedAt = startedAt ?? done
        self.startedAt = startedAt
        guard form != nil || output.terminal.liveWidth != nil else { return }
        let now = clock.now
        if let lastDrawn, now - lastDrawn < Self.shortestPause, form == nil || done < total { return }
        lastDrawn = now
        if let form {
            let line = ProgressLine(label: label, done: done, total: total, unit: unit)
            if line != lastLine { output.result(asItIs: line.json(in: form).line + "\n") }
            return lastLine = line
        }
        guard let width = output.terminal.liveWidth else { return }
        let elapsed = now - start
        let progress = Progress(done: done, total: total, sinceStart: elapsed < settling ? 0 : done - startedAt, elapsed: elapsed)
        // Leave the last column empty, since a full line makes some terminals wrap.
        output.setLiveLine(Self.line(label: label, unit: unit, progress, width: width - 1))
    }

    /// Removes the bar.
    package func finish() { output.endLiveLine() }

    package struct Progress: Sendable {
        package var done: Int
        package var total: Int
        /// The part of `done` completed within `elapsed`.
        var sinceStart: Int
        var elapsed: Duration
    }

    /// The text of the line: label, bar, count and, once known, rate and time left. The bar is left out if `width` is too small for it.
    package nonisolated static func line(label: String, unit: Unit, _ progress: Progress, width: Int) -> String {
        var facts = [count(progress, unit)]
        let seconds = progress.elapsed.inSeconds
        if progress.sinceStart > 0, seconds > 0 {
            let rate = Double(progress.sinceStart) / seconds
            facts.append(text(rate: rate, unit) + "/s")
            let left = Double(progress.total - progress.done) / rate
            if left > 0, left < 1e6 { facts.append("\(time(Int(left.rounded(.up)))) left") }
        }
        let label = label.printable
        let text = facts.joined(separator: ", ")
        let room = width - DisplayWidth.of(label) - DisplayWidth.of(text) - 4
        guard room >= 8 else { return DisplayWidth.cut("\(label)  \(text)", to: width) }
        let columns = min(room, 40)
        let filled = progress.total > 0 ? min(columns, max(0, progress.done * columns / progress.total)) : 0
        let bar = String(repeating: "#", count: filled) + String(repeating: "-", count: columns - filled)
        return "\(label) [\(bar)] \(text)"
    }

    private nonisolated static func count(_ progress: Progress, _ unit: Unit) -> String {
        switch unit {
        case .things(let name): "\(progress.done)/\(progress.total) \(name)"
        case .bytes: "\(ByteCount(progress.done)) of \(ByteCount(progress.total))"
        }
    }

    private nonisolated static func text(rate: Double, _ unit: Unit) -> String {
        if unit == .bytes { return "\(ByteCount(Int(min(rate, 1e15))))" }
        let tenths = Int(min((rate * 10).rounded(), 1e9))
        return "\(tenths / 10).\(tenths % 10)"
    }

    private nonisolated static func time(_ seconds: Int) -> String {
        if seconds < 60 { return "\(seconds) s" }
        return seconds < 3600 ? "\(seconds / 60) min \(seconds % 60) s" : "\(seconds / 3600) h \(seconds % 3600 / 60) min"
    }
}
