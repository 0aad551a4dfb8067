import Testing

@testable import CommandLine

@Suite(.timeLimit(.minutes(5)))
struct ScreenTests {
    @Test func onlyRowsThatDifferAreDrawnAgain() {
        var screen = ScreenUpdate()
        #expect(
            screen.text(for: ["a", "b", "c"], rows: 5, columns: 80)
                == "\u{1B}[2J\u{1B}[1;1Ha\u{1B}[K\u{1B}[2;1Hb\u{1B}[K\u{1B}[3;1Hc\u{1B}[K")
        #expect(screen.text(for: ["a", "b", "c"], rows: 5, columns: 80) == "")
        #expect(screen.text(for: ["a", "x"], rows: 5, columns: 80) == "\u{1B}[2;1Hx\u{1B}[K\u{1B}[3;1H\u{1B}[K")
        #expect(screen.text(for: ["a", "x"], rows: 1, columns: 80) == "\u{1B}[2J\u{1B}[1;1H… and 2 more lines\u{1B}[K")
        #expect(screen.text(for: ["a"], rows: 1, columns: 80) == "\u{1B}[1;1Ha\u{1B}[K")
    }

    @Test func textIsBrokenBetweenWords() {
        #expect(WrappedText.lines("one two three", width: 9, first: "- ") == ["- one two", "  three"])
        #expect(WrappedText.lines("one /a/path/too/long two", width: 9) == ["one", "/a/path/too/long", "two"])
        #expect(WrappedText.lines("one two", width: nil, first: "- ") == ["- one two"])
        #expect(WrappedText.lines("", width: 9) == [""])
    }

    @Test(arguments: [
        (0, "less than a minute"), (59, "less than a minute"), (60, "1 min"), (7199, "119 min"), (7200, "2 h"), (172_800, "2 days"),
    ])
    func spansAreSaidInOneUnit(seconds: Int, text: String) {
        #expect(TimeText.span(.seconds(seconds)) == text)
    }
}
