import Testing

@testable import CommandLine

@Suite(.timeLimit(.minutes(5)))
struct TextTableTests {
    @Test func columnsLineUp() {
        var table = TextTable(["chart", "pages", "state"], alignments: [.left, .right])
        table.add(["Amazing Grace", "2", "ready"])
        table.add(["Été", "10", ""])
        #expect(
            table.lines() == [
                "chart          pages  state",
                "Amazing Grace      2  ready",
                "Été               10",
            ])
    }

    @Test(arguments: [
        ("abc", 3), ("é", 1), ("e\u{301}", 1), ("e\u{301}\u{323}", 1), ("讃美歌", 6), ("한국", 4), ("ｱ", 1), ("Ａ", 2), ("𝄞", 1), ("👍🏽", 2),
        ("👨‍👩‍👧", 2), ("🇩🇪", 2), ("❤️", 2), ("a\u{200B}b", 2), ("", 0), ("ß…", 2),
    ])
    func widthIsThatOfTheTerminal(_ text: String, _ width: Int) {
        #expect(DisplayWidth.of(text) == width)
    }

    @Test func wideTextLinesUp() {
        var table = TextTable()
        table.add(["讃美歌", "x"])
        table.add(["e\u{301}te\u{301}", "y"])
        #expect(table.lines() == ["讃美歌  x", "e\u{301}te\u{301}     y"])
    }

    @Test func linesAreCutToTheTerminal() {
        var table = TextTable()
        table.add(["left", "a long text that does not fit", "more"])
        table.add(["讃美歌讃美歌", "x", "y"])
        for width in 1...60 {
            for line in table.lines(width: width) { #expect(DisplayWidth.of(line) <= width) }
        }
        #expect(table.lines(width: 20) == ["left    a lon…  more", "讃美…   x       y"], "the widest columns give way, none is gone")
        #expect(DisplayWidth.cut("讃美歌", to: 4) == "讃…")
        #expect(DisplayWidth.cut("abc", to: 3) == "abc")
    }

    @Test func colourTakesNoRoom() {
        var table = TextTable(["a", "b"])
        table.add([.init("x", .green), "y"])
        #expect(table.lines(width: 80, colored: true) == ["\u{1B}[1ma\u{1B}[0m  \u{1B}[1mb\u{1B}[0m", "\u{1B}[32mx\u{1B}[0m  y"])
        #expect(table.lines(width: 80, colored: false)[1] == "x  y")
    }

    @Test func hostileTitlesAreTamed() {
        var table = TextTable()
        table.add([.init("a\u{1B}]0;b\u{7}\n\u{202E}c"), "d"])
        #expect(table.lines() == ["a ]0;b   c  d"])
    }
}
