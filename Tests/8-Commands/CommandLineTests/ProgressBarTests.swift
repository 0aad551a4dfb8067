import CommandTestSupport
import Platform
import TestSupport
import Testing

@testable import CommandLine

@Suite(.onLoop)
struct ProgressBarTests {
    private static func line(_ done: Int, of total: Int, seconds: Int, width: Int = 79) -> String {
        let progress = ProgressBar.Progress(done: done, total: total, sinceStart: done, elapsed: .seconds(seconds))
        return ProgressBar.line(label: "Rendering", unit: "pages", progress, width: width)
    }

    @Test func lineTellsCountRateAndTimeLeft() {
        #expect(Self.line(10, of: 40, seconds: 5, width: 60) == "Rendering [####--------------] 10/40 pages, 2.0/s, 15 s left")
        #expect(Self.line(0, of: 40, seconds: 0).hasSuffix("] 0/40 pages"))
        #expect(Self.line(40, of: 40, seconds: 8).hasSuffix("] 40/40 pages, 5.0/s"))
        #expect(Self.line(1, of: 4000, seconds: 2).hasSuffix("0.5/s, 2 h 13 min left"))
        #expect(Self.line(0, of: 0, seconds: 1).contains("0/0 pages"))
    }

    @Test func bytesAreToldAsPeopleReadThem() {
        let progress = ProgressBar.Progress(done: 12_300_000, total: 80_000_000, sinceStart: 12_300_000, elapsed: .seconds(6))
        let line = ProgressBar.line(label: "Downloading", unit: .bytes, progress, width: 79)
        #expect(line.hasSuffix("] 12.3 MB of 80 MB, 2.1 MB/s, 34 s left"))
    }

    @Test(arguments: 1...120)
    func lineFitsEveryWidth(_ width: Int) {
        for done in [0, 1, 20, 40, 50] { #expect(DisplayWidth.of(Self.line(done, of: 40, seconds: 3, width: width)) <= width) }
    }

    @Test @LoopActor func nothingIsDrawnWithoutATerminal() {
        for environment: Environment in [[:], ["TERM": "dumb"]] {
            let terminal = Terminal(showsResults: true, showsMessages: environment["TERM"] != nil, environment: environment)
            let captured = CapturedOutput(terminal: terminal)
            let bar = ProgressBar("Rendering", unit: "pages", output: captured.output, clock: HandClock())
            bar.update(done: 1, total: 2)
            bar.finish()
            #expect(captured.messages.isEmpty)
            #expect(captured.results.isEmpty)
        }
    }

    @Test @LoopActor func barIsDrawnAtMostTenTimesASecond() {
        let captured = CapturedOutput(terminal: Terminal(showsResults: false, showsMessages: true))
        let clock = HandClock()
        let bar = ProgressBar("Rendering", unit: "pages", output: captured.output, clock: clock)
        for done in 0..<100 {
            bar.update(done: done, total: 1000)
            clock.advance(by: .milliseconds(10))
        }
        #expect(captured.messages.split(separator: "\r").count == 10)
        // A total that grows with what is done is no reason to draw more often.
        for done in 100..<200 { bar.update(done: done, total: done) }
        #expect(captured.messages.split(separator: "\r").count == 11)
        #expect(!clock.hasTimers)
    }

    @Test @LoopActor func noTimeLeftIsToldBeforeItCanBeKnown() {
        let captured = CapturedOutput(terminal: Terminal(showsResults: false, showsMessages: true))
        let clock = HandClock()
        let bar = ProgressBar("Reading", unit: "plans", settling: .seconds(20), output: captured.output, clock: clock)
        for done in 0..<20 {
            bar.update(done: done, total: 100)
            clock.advance(by: .seconds(1))
        }
        #expect(!captured.messages.contains("left"), "\(captured.messages)")
        bar.update(done: 20, total: 100)
        #expect(captured.messages.contains("1 min 20 s left"), "\(captured.messages)")
    }

    @Test @LoopActor func programsReadLinesInsteadOfABar() {
        let captured = CapturedOutput(terminal: Terminal(showsResults: false, showsMessages: true))
        let form = JSONForm<Int>(schema: 4, tellsProgress: true, [])
        let bar = ProgressBar("Counting pages", unit: "charts", for: form, output: captured.output, clock: HandClock())
        for done in [0, 1, 2, 2] { bar.update(done: done, total: 2) }
        bar.finish()
        #expect(
            captured.results == """
                {"schema":4,"progress":{"step":"counting pages","done":0,"total":2,"unit":"charts"}}
                {"schema":4,"progress":{"step":"counting pages","done":2,"total":2,"unit":"charts"}}

                """)
        #expect(captured.messages.isEmpty, "\(captured.messages)")
        #expect(form.rows.map(\.path) == ["progress", "progress.step", "progress.done", "progress.total", "progress.unit"])
    }

    @Test @LoopActor func barGivesWayToMessagesAndClearsItself() {
        let captured = CapturedOutput(terminal: Terminal(showsResults: false, showsMessages: true, environment: ["NO_COLOR": "1"]))
        let bar = ProgressBar("R", unit: "pages", output: captured.output, clock: HandClock())
        bar.update(done: 0, total: 2)
        let line = "\rR [\(String(repeating: "-", count: 40))] 0/2 pages\u{1B}[K"
        #expect(captured.messages == line)
        captured.output.warning("careful")
        #expect(captured.messages == line + "\r\u{1B}[Kwarning: careful\n" + line)
        bar.finish()
        #expect(captured.messages.hasSuffix(line + "\r\u{1B}[K"))
        bar.finish()
        #expect(captured.messages.hasSuffix(line + "\r\u{1B}[K"), "cleared once")
    }
}
