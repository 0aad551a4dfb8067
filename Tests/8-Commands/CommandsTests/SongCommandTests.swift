import Model
import Testing

@testable import Commands

@Suite(.timeLimit(.minutes(5)))
struct SongCommandTests {
    @Test func aFileIsNamedAfterTheKeyOnlyIfItIsInOne() {
        var sheet = SongSheet(SongText("[G]La", title: "Grace", key: "G"))
        #expect(sheet.usualName(isText: false) == "Grace in G")
        sheet.view.capo = 2
        #expect(sheet.usualName(isText: false) == "Grace in G, capo 2")
        sheet.view.writing = .numbers
        #expect(sheet.usualName(isText: false) == "Grace in numbers, capo 2")
        #expect(sheet.usualName(isText: true) == "Grace in G, capo 2", "ChordPro is written in letters")
    }
}
