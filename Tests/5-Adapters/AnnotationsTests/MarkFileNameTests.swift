import Annotations
import Testing

/// What the name of a file says of whether it holds marks.
@Suite(.timeLimit(.minutes(60)))
struct MarkFileNameTests {
    private func intended(_ name: String) -> String? { Array(name.utf8).withUnsafeBytes(MarkFileName.intendedEnding) }

    @Test(arguments: ["a.xopp", "a.XOPP", "a.Xoj", "b.marks.json", "b.MARKS.Json", "a.xopp.xopp"])
    func aFileOfMarksIsKnownInEitherCase(name: String) {
        #expect(Array(name.utf8).withUnsafeBytes(MarkFileName.isOfMarks))
        #expect(MarkFileName.isOfXournal(name) != MarkFileName.isNative(name))
        #expect(intended(name) == nil)
    }

    @Test(arguments: [
        ("a.xopp.txt", ".xopp"), ("a.XOPP.gz", ".xopp"), ("a.xoj.xml", ".xoj"), ("a.marks.json.TXT", ".marks.json"),
        ("a.marks (1).json", ".marks.json"), ("a.marks.sync-conflict-20261122-101500-ABCDEFG.json", ".marks.json"),
        ("a.Marks (Ada's copy).JSON", ".marks.json"),
    ])
    func aNameThatIsAlmostOneIsKnown(name: String, ending: String) {
        #expect(!Array(name.utf8).withUnsafeBytes(MarkFileName.isOfMarks))
        #expect(intended(name) == ending)
    }

    /// Among them what Xournal++ itself puts beside its files, and backups.
    @Test(arguments: [
        "", "a", ".xopp", ".marks.json", "marks.json", "a.xopp~", "a.xopp.bg.pdf", "a.xopp.bg_1.png", ".a.autosave.xopp~", "a.marks.json~",
        "a.marks.json.bak", "a.marksheet.json", ".marks (1).json", "a.json", "a.pdf", "a.marks", "a.txt", ".txt", "a.gz",
    ])
    func othersAreNone(name: String) {
        #expect(!Array(name.utf8).withUnsafeBytes(MarkFileName.isOfMarks))
        #expect(intended(name) == nil)
    }
}
