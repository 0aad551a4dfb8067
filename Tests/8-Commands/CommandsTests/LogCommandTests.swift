import Library
import Model
import Platform
import TestSupport
import Testing

@testable import CommandLine
@testable import Commands

@Suite(.timeLimit(.minutes(5)))
struct LogCommandTests {
    private static func time(_ text: String) throws -> Timestamp { try #require(Timestamp(text)) }

    @Test func everyDayHasAHeadingAndEveryChangeALine() throws {
        let plan = Plan(id: PlanID("7"), serviceType: ServiceTypeID("1"), title: "Harvest\u{1B}[2J")
        let change = LibraryChange.planAdded(.init(plan))
        let midnight = try PointInTime.parse("2026-11-21", now: Self.time("2026-11-21T10:00:00Z"))
        let entries = [
            JournalEntry(time: midnight + .seconds(-1), change: change), JournalEntry(time: midnight, change: change),
            JournalEntry(time: midnight + .seconds(34_200), change: change),
        ]
        let sentence = change.sentence.printable
        #expect(
            ChangeLog(entries: entries, isWhole: true).lines
                == ["2026-11-20", "  23:59  \(sentence)", "2026-11-21", "  00:00  \(sentence)", "  09:30  \(sentence)"])
        #expect(!sentence.contains("\u{1B}"))
        #expect(ChangeLog(entries: [], isWhole: true).lines == [])
    }

    @Test func yesterdayBeginsAtMidnight() throws {
        let now = try Self.time("2026-11-21T10:00:00Z")
        let today = try PointInTime.parse(TimeText.date(now), now: now)
        #expect(try PointInTime.parse("today", now: now) == today)
        let yesterday = try PointInTime.parse("yesterday", now: now)
        #expect(yesterday < today && TimeText.date(yesterday) != TimeText.date(today) && TimeText.clock(yesterday) == "00:00")
        let fault = #expect(throws: Trouble.self) { try PointInTime.parse("lately", now: now) }
        #expect(fault?.description.contains("'yesterday'") == true)
    }
}
