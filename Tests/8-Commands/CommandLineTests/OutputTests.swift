import CommandTestSupport
import Glibc
import Model
import Platform
import TestSupport
import Testing

@testable import CommandLine

@Suite(.timeLimit(.minutes(5)))
struct OutputTests {
    @Test func resultsAndMessagesGoTheirOwnWays() {
        let captured = CapturedOutput()
        captured.output.result("one")
        captured.output.message("two")
        captured.output.result((1, "x\"\n"), as: JSONForm(schema: 3, [.init("a", "a number", \.0), .init("b", "a text", \.1)]))
        captured.output.warning("three")
        captured.output.error("four")
        #expect(captured.results == "one\n{\"schema\":3,\"a\":1,\"b\":\"x\\\"\\n\"}\n")
        #expect(captured.messages == "two\nwarning: three\nwoodshed: four\n")
    }

    @Test(arguments: [40, 80]) func sentencesAreBrokenBetweenWordsOnNarrowTerminals(columns: Int) {
        let captured = CapturedOutput(terminal: Terminal(showsResults: true, showsMessages: true) { columns })
        captured.output.message("This asks a few questions and then writes\n  1  a new token")
        let lines = captured.messages.split(separator: "\n")
        let first = "This asks a few questions and then" + (columns == 40 ? "" : " writes")
        #expect(lines.first.map(String.init) == first && lines.last == "  1  a new token", "\(lines)")
    }

    /// A title may be any text from the service or any file name, so it may contain control characters.
    @Test func noTextControlsATerminal() {
        let captured = CapturedOutput(terminal: Terminal(showsResults: true, showsMessages: true))
        let title = "Grace\u{1B}]0;owned\u{7}\u{9B}2J\u{8}\r\u{202E}\tx\n\u{1B}[8mgone"
        let harmless = "Grace ]0;owned  2J   \tx\n [8mgone"
        captured.output.result(title)
        captured.output.result(captured.output.paint(title, .red, on: .results))
        captured.output.warning(title)
        captured.output.setLiveLine(title)
        captured.output.endLiveLine()
        #expect(captured.results == "\(harmless)\n\u{1B}[31m\(harmless)\u{1B}[0m\n")
        #expect(
            captured.messages == "\u{1B}[33mwarning:\u{1B}[0m \(harmless)\n\r\(harmless)\u{1B}[K\r\u{1B}[K")
        var screen = ScreenUpdate()
        #expect(screen.text(for: ["a\u{1B}[2Jb"], rows: 1, columns: 9) == "\u{1B}[2J\u{1B}[1;1Ha [2Jb\u{1B}[K")
        let json = CapturedOutput()
        json.output.result("\u{1B}\u{202E}", as: JSONForm(schema: 1, [.init("a", "a text", \.self)]))
        #expect(json.results == "{\"schema\":1,\"a\":\"\\u001b\\u202e\"}\n")
    }

    @Test(arguments: [
        ("", "", true, true), ("NO_COLOR", "1", true, false), ("NO_COLOR", "", true, true), ("TERM", "dumb", true, false),
        ("", "", false, false),
    ])
    func colourNeedsATerminalAndConsent(_ name: String, _ value: String, _ isTerminal: Bool, _ expected: Bool) {
        let environment = Environment([name: value])
        let terminal = Terminal(showsResults: isTerminal, showsMessages: isTerminal, environment: environment)
        let output = CapturedOutput(terminal: terminal).output
        #expect(output.paint("x", .red, on: .results) == (expected ? "\u{1B}[31mx\u{1B}[0m" : "x"))
    }

    @Test func eachStreamHasItsOwnColour() {
        let terminal = Terminal(showsResults: false, showsMessages: true)
        #expect(!terminal.hasColor(.results))
        #expect(terminal.hasColor(.messages))
        #expect(terminal.width == nil)
        #expect(terminal.liveWidth == 80)
        #expect(Terminal(showsResults: true, showsMessages: true, environment: ["TERM": "dumb"]).liveWidth == nil)
    }

    @Test func readerThatWentAwayIsNoFailure() throws {
        signal(SIGPIPE, SIG_IGN)
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        close(ends[0])
        defer { close(ends[1]) }
        let output = Output(terminal: Terminal(showsResults: false, showsMessages: false), results: ends[1], messages: ends[1])
        output.result("into the void")
        output.message("likewise")
        #expect(output.failure == nil)
    }

    @Test func fullDiskIsAFailure() throws {
        let full = open("/dev/full", O_WRONLY)
        try #require(full >= 0)
        defer { close(full) }
        let messages = CapturedOutput()
        let output = Output(terminal: messages.output.terminal, results: full, messages: full)
        output.result("lost")
        #expect(output.failure?.code == ENOSPC)
    }

    @Test func nonBlockingPipeLosesNothing() async throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { close(ends[0]) }
        let (source, target) = (ends[0], ends[1])
        _ = fcntl(target, F_SETFL, O_NONBLOCK)
        // This is more than a pipe holds, so the writer has to wait for the reader.
        let text = String(repeating: "0123456789", count: 50_000)
        async let received: [UInt8] = {
            let reader = Descriptor(owning: dup(source))
            return try reader.readAll(limit: 1 << 20)
        }()
        Output(terminal: Terminal(showsResults: false, showsMessages: false), results: target).result(text: text)
        close(target)
        #expect(try await received.count == text.utf8.count)
    }

    @Test func logKeepsItsLevelAndCannotSteerTheTerminal() {
        let captured = CapturedOutput()
        let log = captured.output.log(from: .info)
        log.debug("hidden")
        log.info("a\u{1B}[2Jb\nc")
        log.error("bad")
        #expect(captured.messages == "a [2Jb c\nerror: bad\n")
    }
}
