import Sets
import TestSupport
import Testing

/// What the names of folders and lists say.
@Suite(.timeLimit(.minutes(5)))
struct SetNameTests {
    @Test(arguments: [
        ("2026-11-29", "2026-11-29 - "), ("20261129", "2026-11-29 - "), ("2026-11-29 1030", "2026-11-29 630 "),
        ("2026-11-29 10:30 Sunday", "2026-11-29 630 Sunday"), ("2026-11-29T1030", "2026-11-29 630 "),
        ("2026-11-29 Sunday morning", "2026-11-29 - Sunday morning"), ("2026_11_29_Sunday_morning", "2026-11-29 - Sunday morning"),
        ("2026-11-29 - Communion", "2026-11-29 - Communion"), ("2026.11.29", "2026-11-29 - "), ("2026-11-29 Team", "2026-11-29 - Team"),
        ("2026-11-29 2460", "2026-11-29 - 2460"), ("2026-11-29 100 years", "2026-11-29 - 100 years"), ("2024-02-29", "2024-02-29 - "),
        ("2026-11-29 99 Luftballons", "2026-11-29 - 99 Luftballons"),
    ])
    func aNameThatBeginsWithADateIsASet(name: String, expected: String) {
        guard case .set(let set) = SetName.read(name) else {
            Issue.record("\(name) is no set")
            return
        }
        let month = set.month < 10 ? "0\(set.month)" : "\(set.month)"
        #expect("\(set.year)-\(month)-\(set.day) \(set.minute.map(String.init) ?? "-") \(set.title)" == expected)
    }

    @Test(arguments: ["2026-02-29", "2026-13-01 Sunday", "20261131", "2026-00-10"])
    func aDayThatTheCalendarLacksIsNamed(name: String) {
        guard case .noSuchDay(let day) = SetName.read(name) else {
            Issue.record("\(name) is read as \(SetName.read(name))")
            return
        }
        #expect(name.hasPrefix(day))
    }

    @Test(arguments: [
        "Songbook", "", "2026", "202611291", "123456789012", "1234-12-12", "2026-11", "2026-11-2", "2026-1129", "A 2026-11-29",
        "2026-11-29x",
    ])
    func otherNamesAreNoSets(name: String) { #expect(SetName.read(name) == .other) }

    @Test(arguments: [
        ("05.12.2026 x", "2026-12-05"), ("5.12.26", "2026-12-05"), ("05-12-2026 Gig", "2026-12-05 or 2026-05-12"),
        ("12-25-2026", "2026-12-25"), ("2026-11-2", "2026-11-02"), ("2026 11 29", "2026-11-29"), ("29. November", "2026-11-29"),
        ("Nov 29th, 2026", "2026-11-29"), ("3 Juni 2026", "2026-06-03"), ("24. Dezember Christvesper", "2026-11-29"),
    ])
    func whoWritesADateInAnotherFormIsToldHow(name: String, form: String) throws {
        let advice = try #require(SetName.advice(for: name))
        #expect(advice.hasSuffix(" \(form)"))
    }

    @Test(arguments: [
        "Songbook", "", "2026", "1.2.3", "10,000 Reasons", "Marching 4", "01 Grace", "Advent 2026", "42. November", "2026-11-29 Sunday",
        "November", "12 10 songs",
    ])
    func otherNamesAskForNothing(name: String) { #expect(SetName.advice(for: name) == nil) }

    @Test func theTimeIsThatOfTheClockOnTheDay() {
        guard case .set(let early) = SetName.read("1970-01-02 0001"), case .set(let leap) = SetName.read("2024-03-01") else {
            Issue.record("these are sets")
            return
        }
        #expect(early.wallTime == (86_400 + 60) * 1_000_000_000)
        #expect(leap.wallTime == 1_709_251_200 * 1_000_000_000)
        #expect(leap.endOfDay == (1_709_251_200 + 86_340) * 1_000_000_000)
    }
}

/// The titles that people write, with keys and capos behind them.
@Suite(.timeLimit(.minutes(5)))
struct SongTitleTests {
    @Test(arguments: [
        ("Amazing Grace (G)", "Amazing Grace/G/-"), ("Be Thou My Vision - D, capo 2", "Be Thou My Vision/D/2"),
        ("Amazing Grace", "Amazing Grace/-/-"), ("Holy, Holy, Holy", "Holy, Holy, Holy/-/-"), ("Abide With Me [Eb]", "Abide With Me/Eb/-"),
        ("Abide With Me in F# minor", "Abide With Me/F#m/-"), ("Blessed Assurance (Bb, capo 3)", "Blessed Assurance/Bb/3"),
        ("Be Still (My Soul)", "Be Still (My Soul)/-/-"), ("Be Still (My Soul) - F", "Be Still (My Soul)/F/-"),
        ("Crown Him, capo 0", "Crown Him/-/0"), ("Away in a Manger", "Away in a Manger/-/-"), ("Song - A", "Song/A/-"),
        ("Abide\tC", "Abide/C/-"), ("(G)", "(G)/-/-"), ("Song (capo 12)", "Song (capo 12)/-/-"), ("Song (key of A)", "Song/A/-"),
        ("Grace (E) capo 3", "Grace/E/3"), ("Grace Capo 3", "Grace/-/3"), ("Grace (capo3, D)", "Grace/D/3"), ("Grace: G", "Grace/G/-"),
        ("Grace / Bb", "Grace/Bb/-"), ("Old\tGrace\t\tG\tcapo 2", "Old Grace/G/2"), ("Vitamin C capo 2", "Vitamin C/-/2"),
    ])
    func keysAndCaposBehindATitleAreRead(text: String, expected: String) {
        let title = SongTitle(text)
        #expect("\(title.title)/\(title.key ?? "-")/\(title.capo.map(String.init) ?? "-")" == expected)
    }

    @Test(arguments: [
        ("01 Amazing Grace.pdf", "Amazing Grace"), ("2. Abide With Me.cho", "Abide With Me"),
        ("10_be_thou_my_vision.pdf", "be thou my vision"),
        ("10,000 Reasons.pdf", "10,000 Reasons"), ("07.pdf", "07"), ("Amazing Grace (G).pdf", "Amazing Grace"), ("1999.pdf", "1999"),
        ("Op. 68 No. 1.pdf", "Op. 68 No. 1"),
    ])
    func aLeadingNumberOfAFileIsOrder(name: String, title: String) { #expect(SongTitle(ofFile: name).title == title) }

    @Test func namesAreInTheOrderInWhichPeopleCount() {
        let names = ["10 b", "2 a", "1 c", "02 b", "a10", "a9", "Ä", "b"]
        #expect(names.shuffled().sorted(by: precedesAsCounted) == ["1 c", "2 a", "02 b", "10 b", "Ä", "a9", "a10", "b"])
    }
}

/// Lists of songs as people type them.
@Suite(.timeLimit(.minutes(5)))
struct SetListTests {
    private func shown(_ text: String) -> [String] {
        SetList(text).entries.map { entry in
            switch entry.line {
            case .song(let title): "\(entry.number) \(title.title)" + (title.key.map { " in \($0)" } ?? "")
            case .remark(let words): "\(entry.number) # \(words)"
            case .pause: "\(entry.number) -"
            }
        }
    }

    @Test func aLineIsASongARemarkOrAPause() {
        let text = "\n# bring the capo\r\n1. Amazing Grace (G)\n- Abide With Me\n\n\n• Be Thou My Vision - D\n#\n\n"
        #expect(shown(text) == ["2 # bring the capo", "3 Amazing Grace in G", "4 Abide With Me", "6 -", "7 Be Thou My Vision in D"])
    }

    @Test func aTableIsAList() {
        #expect(shown("1\tAmazing Grace\tG\n12\tAbide With Me\n— Vision") == ["1 Amazing Grace in G", "2 Abide With Me", "3 Vision"])
    }

    @Test func aListThatIsSomethingElseIsCut() {
        let list = SetList(String(repeating: "Song\n", count: 20_000))
        #expect(list.entries.count == SetList.mostEntries)
        #expect(list.isCut)
    }

    @Test func nothingInALineControlsATerminal() {
        #expect(shown("Ab\u{1B}[31mide\u{202E} \u{7}\u{200B}With Me") == ["1 Ab[31mide With Me"])
    }
}
