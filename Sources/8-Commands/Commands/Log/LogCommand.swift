import CommandLine
import Configuration
import Host
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
        json: ChangeLog.form,
        examples: [
            Example("woodshed log --since yesterday", "Print what changed yesterday and today."),
            Example("woodshed log --since 2026-11-01 --json", "Print the changes since a date, as JSON."),
        ],
        settings: Options.flags,
        run: { invocation, context in
            var since: Timestamp?
            if let text: String = invocation.value("since") {
                do throws(Trouble) {
                    since = try PointInTime.parse(text, now: context.clock.timestamp)
                } catch {
                    throw CommandFailure(.usage, "--since: \(error)")
                }
            }
            let library = try OpenHome.library(try await context.configurationToRead(invocation), reportingTo: context)
            defer { library.close() }
            return context.give(ChangeLog(entries: try library.journal.entries(since: since), isWhole: since == nil), to: invocation)
        })
}

/// The changes at the service.
struct ChangeLog: Answer {
    let entries: [JournalEntry]
    /// Whether these are all entries of the log, without a limit on their age.
    let isWhole: Bool

    static let form = JSONForm<ChangeLog>([
        .list(
            "entries", "the changes, the newest last",
            of: JSONForm<JournalEntry>([
                .init("time", "when it was noticed", \.time), .object("change", of: LibraryChange.form()) { $0.change },
            ]), \.entries)
    ])

    func print(on output: Output) {
        for line in lines { output.result(line) }
        if entries.isEmpty { output.message(isWhole ? "Nothing has changed yet." : "Nothing has changed since then.") }
    }

    /// A heading for each day, then a line for each change.
    var lines: [String] {
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
