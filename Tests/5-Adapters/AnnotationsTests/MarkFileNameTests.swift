import Annotations
import Testing

/// Which file names belong to files of marks.
@Suite(.timeLimit(.minutes(5)))
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
    ])
    func aNameThatIsAlmostOneIsKnown(name: String, ending: String) {
        #expect(!Array(name.utf8).withUnsafeBytes(MarkFileName.isOfMarks))
        #expect(intended(name) == ending)
    }

    /// Names that these programs give to conflicting copies: Syncthing, Nextcloud, ownCloud, Dropbox, Maestral, rclone (two versions),
    /// Google Drive, Seafile, Proton, OneDrive.
    @Test(arguments: [
        "a k.marks.sync-conflict-20261122-101500-ABCDEFG.json", "a k.marks (conflicted copy 2018-04-10 093612).json",
        "a k.marks_conflict-20180410-093612.json", "a k.marks (Anna's conflicted copy 2026-10-05).json",
        "a k.marks (Ada's conflicted copy 2026-10-05) 1.JSON", "a k.marks.json.conflict1", "a k.marks.json..path2",
        "a k.marks (1).json", "a k.Marks (SFConflict ada@example.org 2026-10-05-10-11-12).json",
        "a k.marks (# Edit conflict 2026-10-05 aBcDefC #).json", "a k.marks-DESKTOP-A1B2C3D.json",
    ])
    func whatAProgramCallsASecondStateIsKnown(name: String) {
        #expect(Array(name.utf8).withUnsafeBytes(MarkFileName.isOfMarks) && MarkFileName.isOfPartAlone(name))
        #expect(!MarkFileName.isNative(name) && intended(name) == nil)
    }

    /// Names of other files, including backups and the files that Xournal++ puts beside its journals.
    @Test(arguments: [
        "", "a", ".xopp", ".marks.json", "marks.json", "a.xopp~", "a.xopp.bg.pdf", "a.xopp.bg_1.png", ".a.autosave.xopp~", "a.marks.json~",
        "a.marks.json.bak", "a.marksheet.json", ".marks (1).json", "a.json", "a.pdf", "a.marks", "a.txt", ".txt", "a.gz",
    ])
    func othersAreNone(name: String) {
        #expect(!Array(name.utf8).withUnsafeBytes(MarkFileName.isOfMarks))
        #expect(intended(name) == nil)
    }
}
