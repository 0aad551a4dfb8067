import CommandLine
import Configuration
import Library
import Model
import Platform

extension Command {
    static let log = Command(
        name: "log",
        summary: "Prints what changed at the service and when, newest last",
        details: "Reads only the library; an agent may be running. Times are local; in JSON they are UTC.",
        flags: [
            Flag("since", "WHEN", "only changes since then: today, yesterday, how long ago, as in 2d, or a date, as in 2026-11-01")
                .offering(.words(["today", "yesterday"]))
        ],
        json: JournalEntry.form,
        examples: [
            Example("woodshed log --since yesterday", "Print what changed yesterday and today."),
            Example("woodshed log --since 2026-11-01 --json", "Print the changes since a date, as JSON."),
        ],
        settings: Options.flags,
        run: LogCommand.run)
}

enum LogCommand {
    @LoopActor
    static func run(_ invocation: Invocation, _ context: CommandContext) async throws -> ExitCode {
        var since: Timestamp?
        if let text: String = invocation.value("since") {
            do throws(InputProblem) {
                since = try PointInTime.parse(text, now: context.clock.timestamp)
            } catch {
                throw CommandFailure(.usage, "--since: \(error.message)")
            }
        }
        let configuration = try context.configuration(invocation)
        let library = try OpenHome.library(configuration, telling: context)
        defer { library.close() }
        let entries = try library.journal.entries(since: since)
        context.tell(entries, as: JournalEntry.form, to: invocation) {
            for line in lines(entries) { context.output.result(line) }
            if entries.isEmpty { context.output.message(since == nil ? "Nothing has changed yet." : "Nothing has changed since then.") }
        }
        return .fine
    }

    /// A heading for each day, then a line for each change.
    static func lines(_ entries: [JournalEntry]) -> [String] {
        var lines: [String] = []
        var day = ""
        for entry in entries {
            let date = TimeText.date(entry.time)
            if date != day {
                day = date
                lines.append(day)
            }
            lines.append("  \(TimeText.clock(entry.time))  \(entry.change.localSentence.printable)")
        }
        return lines
    }
}
