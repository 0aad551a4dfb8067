import Testing

@testable import Marks

/// Which files may be files of marks.
@Suite(.timeLimit(.minutes(5)))
struct MarkRootsTests {
    private let roots = MarkRoots(["/home/ann/Music", "/data/annotations", "/home/ann/Music/Woodshed"])

    @Test func foldersWithinOthersAreLookedThroughOnce() {
        #expect(roots.folders == ["/data/annotations", "/home/ann/Music"])
    }

    @Test func marksBesideChartsAreReadAndMayBeForNoPlan() {
        let roots = MarkRoots(["/music", "/home/ann/Both"], charts: ["/home/ann/Sets", "/home/ann/Both"])
        #expect(roots.folders == ["/home/ann/Both", "/home/ann/Sets", "/music"])
        #expect(roots.optional == ["/home/ann/Sets"], "another one says if it is missing")
        let paths = ["/home/ann/Sets/2026-11-29/Grace.xopp", "/home/ann/Both/Grace.xopp", "/music/Grace.xopp"]
        #expect(paths.map(roots.isBesideCharts) == [true, false, false], "what a folder of marks has is missed")
    }

    @Test(arguments: [
        "/home/ann/Music/x.xopp", "/home/ann/Music/a/b/x.xoj", "/data/annotations/song.marks.json", "/home/ann/Music/a b/ä\n.xopp",
        "/home/ann/Music/x.XOPP", "/home/ann/Music/x.Xoj", "/data/annotations/song.MARKS.json",
    ])
    func filesOfMarksAreAdmitted(path: String) {
        #expect(roots.admits(path: path))
    }

    @Test(arguments: [
        "/home/ann/Music/x.pdf", "/home/ann/Music/x.xopp~", "/home/ann/Music/.x.autosave.xopp", "/home/ann/Music/.xopp",
        "/home/ann/Music/.git/x.xopp", "/home/ann/x.xopp", "/home/ann/Musical/x.xopp", "/data/annotations", "/home/ann/Music/x.xopp.swap",
        "/home/ann/Music/marks.json", "/home/ann/Music/.XOPP", "/home/ann/Music/x.XOPP~",
    ])
    func othersArePassedOver(path: String) {
        #expect(!roots.admits(path: path))
    }

    /// Some letters take several bytes, or combine with the slash before them. Paths must be split at their slashes all the same.
    @Test(arguments: ["x.xopp", "ä/x.xopp", "\u{301}.xopp", "\u{301}/x.marks.json"])
    func filesInFoldersOfOtherLettersAreAdmitted(name: String) {
        let roots = MarkRoots(["/home/björn/Música", "/home/bjo\u{308}rn/音楽"])
        for folder in roots.folders {
            #expect(roots.root(of: folder + "/" + name) == folder)
            #expect(roots.admits(path: folder + "/" + name))
            #expect(!roots.admits(path: folder + "/.a/" + name))
        }
    }

    @Test func whatConcernsTheFolders() {
        #expect(roots.concerns("/home/ann/Music"))
        #expect(roots.concerns("/home/ann/Music/a"))
        #expect(roots.concerns("/home/ann"))
        #expect(roots.concerns("/"))
        #expect(!roots.concerns("/home/bob"))
        #expect(!roots.concerns("/home/ann/Musical"))
    }
}
