import Model
import Sets
import TestSupport
import Testing

/// Lists of songs as they are written to files.
@Suite(.timeLimit(.minutes(5)))
struct SetWritingTests {
    private func lines(_ text: String) -> [SetList.Line] { SetList(text).entries.map(\.line) }

    @Test(arguments: [
        "# bring the capo\nAmazing Grace (G)\n\nBe Thou My Vision (D, capo 2)\nAbide With Me\n", "Abide With Me (capo 3)\n",
        "\\Song - A\\\n\\# 1 Hit\\ (F#m)\n",
    ])
    func aListIsWrittenAsItIsRead(text: String) throws { #expect(try SetList.text(of: lines(text)) == text) }

    @Test func whatPeopleTypeInOtherFormsStaysTheSameList() throws {
        let read = lines("\n\n1. Grace - G\n#\n#softly\n\n\n- Abide With Me in F# minor\n• Vision | D, capo 2\n\n")
        #expect(try lines(SetList.text(of: read)) == read)
    }

    /// Titles of words that mean something elsewhere in a line, in all orders.
    @Test(arguments: [(nil, nil), ("Eb", nil), (nil, 3), ("F#m", 0)] as [(String?, Int?)])
    func everyTitleSurvives(key: String?, capo: Int?) throws {
        let words = ["#", "\\", "(G)", "G", "capo 2", "-", "1.", "in", "AC\\DC\\", "\\(D)", "Song,", "#\u{FE0F}\u{20E3}"]
        for first in words {
            for second in words {
                for third in words {
                    let song = SetList.Line.song(SongTitle(title: "\(first) \(second) \(third)", key: key, capo: capo))
                    #expect(try lines(SetList.text(of: [song])) == [song], "\(first) \(second) \(third)")
                }
            }
        }
    }

    @Test func aTitleStaysOnItsLine() throws {
        let song = SetList.Line.song(SongTitle(title: " Grace\n# \u{202E}Abide\u{7} ", key: nil, capo: nil))
        #expect(try SetList.text(of: [song]) == "Grace# Abide\n")
    }

    @Test(arguments: ["", " ", String(repeating: "n", count: 300)])
    func aTitleThatCannotBeReadAgainIsRefused(title: String) {
        #expect(throws: Trouble.self) { try SetList.text(of: [.song(SongTitle(title: title, key: "G", capo: nil))]) }
        #expect(throws: Trouble.self) { try SetList.text(of: [.remark(title)]) }
    }

    @Test func whatCannotBeWrittenIsTheFaultOfWhoeverAskedForIt() {
        func refusal(_ lines: [SetList.Line]) -> Trouble? {
            do throws(Trouble) {
                _ = try SetList.text(of: lines)
                return nil
            } catch {
                return error
            }
        }
        let song = SetList.Line.song(SongTitle(title: "Grace", key: nil, capo: nil))
        let untitled = SetList.Line.song(SongTitle(title: " ", key: "G", capo: nil))
        for lines in [[], [.remark("softly"), .pause], [untitled], Array(repeating: song, count: SetList.mostEntries + 1)] {
            #expect(refusal(lines)?.kind == .senseless(because: nil), "\(lines.count)")
        }
        #expect(refusal([song]) == nil)
        #expect(refusal([untitled])?.description == "A line has no title; give it one, or remove it.")
    }

    @Test func aLineThatIsTooLongCutsTheList() { #expect(SetList("Grace\n" + String(repeating: "n", count: 300)).isCut) }

    // MARK: - Names

    @Test(
        arguments: [
            ("10:30", "Advent", "2026-12-06 1030 Advent"), (nil, "Advent", "2026-12-06 Advent"), ("07:05", "", "2026-12-06 0705"),
            (nil, "../../etc/pass:wd", "2026-12-06 etcpasswd"), (nil, " .hidden", "2026-12-06 hidden"),
            (nil, "A\u{7}\u{202E}\nB", "2026-12-06 AB"),
            ("10:30", "1100 guests", "2026-12-06 1030 1100 guests"), (nil, "100 years", "2026-12-06 100 years"), (nil, "..", "2026-12-06"),
            (nil, "Was ist das?", "2026-12-06 Was ist das"), (nil, "Thanksgiving", "2026-12-06 Thanksgiving"),
        ] as [(String?, String, String)])
    func aNewSetIsNamedAfterItsDay(time: String?, title: String, name: String) throws {
        let new = try SetName.new(day: "2026-12-06", time: time, title: title)
        #expect(new.text == name)
        #expect(SetName.read(name) == .set(new))
    }

    @Test func aLongTitleIsCutToWhatDisksTake() throws {
        let name = try SetName.new(day: "2026-12-06", time: "10:30", title: String(repeating: "é", count: 300)).text
        #expect((150...190).contains(name.utf8.count))
    }

    @Test(
        arguments: [
            ("2026-02-30", nil, ""), ("", nil, ""), ("../2026-12-06", nil, ""), ("2026-12-06 10:30", nil, ""), ("2026-12-06", "25:00", ""),
            ("2026-12-06/x", nil, ""), ("2026-12-06", nil, "1030 Advent"), ("2026-12-06", nil, "T10:30"), ("2026-12-06", "10:30 x", ""),
        ] as [(String, String?, String)])
    func aNameThatWouldBeReadAsAnotherTimeIsRefused(day: String, time: String?, title: String) {
        do throws(Trouble) {
            Issue.record("it is called \(try SetName.new(day: day, time: time, title: title).text)")
        } catch {
            #expect(error.kind == .senseless(because: nil))
        }
    }
}
