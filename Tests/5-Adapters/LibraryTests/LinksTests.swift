import Catalogue
import Glibc
import Model
import Platform
import TestSupport
import Testing

@testable import ChartFiles
@testable import Library

/// The folder with the links that people open, on a real disk.
@Suite(.onLoop)
struct LinksTests {
    private let home = TemporaryFolder()
    private var root: String { home.path("Music/Woodshed") }
    private let a = Samples.attachment("a")
    private let b = Samples.attachment("b")
    private var plan: PlanContents { Samples.contents("1", attachments: [a, b]) }
    private var folder: String { "\(root)/\(plan.plan.firstTime?.date ?? "") Plan 1" }

    @LoopActor private func library() throws -> Library {
        let library = try Library(folder: home.path("data"))
        try library.plans.update([plan], at: Samples.monday)
        try library.download(Samples.pdf("a"), for: a)
        try library.download(Samples.pdf("b"), for: b)
        return library
    }

    private func read(_ name: String) throws -> [UInt8] { try AtomicFile.read("\(folder)/\(name)", limit: 1000) }

    @Test @LoopActor func anyReaderOpensTheChartsByTheirNames() throws {
        let library = try library()
        let outcome = try library.linkCharts(into: root)
        #expect(outcome.made == ["\(folder)/01 Song 0.pdf", "\(folder)/02 Song 1.pdf"])
        #expect(outcome.failures == [])
        #expect(try read("01 Song 0.pdf") == Samples.pdf("a"))
        #expect(FolderListing.target(of: "\(folder)/02 Song 1.pdf") == library.charts.path(of: Samples.hash(Samples.pdf("b"))))

        let bytes = try library.diskBytes()
        #expect(try library.linkCharts(into: root) == LinkOutcome())
        #expect(try library.diskBytes() == bytes)
    }

    @Test @LoopActor func aReplacedChartKeepsItsNameAndItsMarks() throws {
        let library = try library()
        _ = try library.linkCharts(into: root)
        try AtomicFile.write("my marks", to: "\(folder)/01 Song 0.xopp")
        try library.download(Samples.pdf("new"), for: a)
        #expect(try library.linkCharts(into: root).retargeted == ["\(folder)/01 Song 0.pdf"])
        #expect(try read("01 Song 0.pdf") == Samples.pdf("new"))
        #expect(try read("01 Song 0.xopp") == Array("my marks".utf8))
        #expect(try Folder.names(in: folder) == ["01 Song 0.pdf", "01 Song 0.xopp", "02 Song 1.pdf"])
    }

    @Test @LoopActor func aLinkThatCannotBeChangedIsKnownToBeLeftBehind() throws {
        let library = try library()
        _ = try library.linkCharts(into: root)
        #expect(try library.links.linksLeftBehind().isEmpty)
        // Blocks the temporary name of a new link.
        let inTheWay = "\(folder)/.tmp-woodshed-link"
        mkdir(inTheWay, 0o700)
        try library.download(Samples.pdf("new"), for: a)
        #expect(try library.linkCharts(into: root).failures.count == 1)
        let link = "\(folder)/01 Song 0.pdf"
        #expect(try library.links.linksLeftBehind() == [a.id: [LinkLeftBehind(path: link, isThere: true)]])
        rmdir(inTheWay)
        #expect(try library.linkCharts(into: root).retargeted == [link])
        #expect(try library.links.linksLeftBehind().isEmpty)

        unlink(link)
        #expect(try library.links.linksLeftBehind() == [a.id: [LinkLeftBehind(path: link, isThere: false)]])
        // A link that somebody puts in the same place belongs to that person.
        symlink("/elsewhere.pdf", link)
        #expect(try library.links.linksLeftBehind().isEmpty)
        unlink(link)
        try AtomicFile.write("mine", to: link)
        #expect(try library.links.linksLeftBehind().isEmpty)
    }

    /// The folder of the links was moved to a disk, and that is away.
    @Test @LoopActor func whereAllLinksAreAwayTheLinkToThemIsNamed() throws {
        let library = try library()
        _ = try library.linkCharts(into: root)
        rename(root, home.path("disk"))
        symlink("/nowhere/disk", root)
        let late = try library.links.linksLeftBehind()
        #expect(late.count > 1)
        for links in late.values { #expect(links == [LinkLeftBehind(path: root, isThere: false, away: "/nowhere/disk")]) }
    }

    @Test @LoopActor func aMovedPlanGetsNewLinksAndOldOnesStayOnlyBesideMarks() throws {
        let library = try library()
        _ = try library.linkCharts(into: root)
        try AtomicFile.write("my marks", to: "\(folder)/02 Song 1.xopp")
        try library.plans.update([Samples.contents("1", day: 7, attachments: [a, b])], at: Samples.monday)

        let outcome = try library.linkCharts(into: root)
        #expect(outcome.made.count == 2)
        #expect(outcome.removed == ["\(folder)/01 Song 0.pdf"])
        #expect(outcome.kept == ["\(folder)/02 Song 1.pdf"])
        #expect(try Folder.names(in: folder) == ["02 Song 1.pdf", "02 Song 1.xopp"])

        unlink("\(folder)/02 Song 1.xopp")
        #expect(try library.linkCharts(into: root).removed == ["\(folder)/02 Song 1.pdf", folder])
        #expect(try Folder.names(in: root).count == 1)
        #expect(try library.links.recordedLinks().count == 4)
        #expect(try library.linkCharts(into: root) == LinkOutcome())
    }

    @Test @LoopActor func whatCannotBeMadeElsewhereStaysWhereItWas() throws {
        let library = try library()
        let made = try library.linkCharts(into: root).made
        let other = home.path("Other")
        try AtomicFile.write("mine", to: other)
        let outcome = try library.linkCharts(into: other)
        #expect(outcome.failures.count == 1 && !outcome.hasChanges, "\(outcome)")
        #expect(made.allSatisfy { FolderListing.target(of: $0) != nil })

        unlink(other)
        let later = try library.linkCharts(into: other)
        #expect(later.made.count == 2 && later.removed == made + [folder], "\(later)")
    }

    @Test @LoopActor func whatTheUserPutInTheWayIsLeftAlone() throws {
        let library = try library()
        try Folder.create(folder)
        try AtomicFile.write("mine", to: "\(folder)/01 Song 0.pdf")
        var outcome = try library.linkCharts(into: root)
        #expect(outcome.inTheWay == ["\(folder)/01 Song 0.pdf"])
        #expect(outcome.made == ["\(folder)/02 Song 1.pdf"])

        // The user's own link replaces a link of ours.
        unlink("\(folder)/02 Song 1.pdf")
        symlink("/nowhere", "\(folder)/02 Song 1.pdf")
        try library.plans.update([Samples.contents("1", day: 7, attachments: [a, b])], at: Samples.monday)
        outcome = try library.linkCharts(into: root)
        #expect(outcome.removed == [])
        #expect(try read("01 Song 0.pdf") == Array("mine".utf8))
        #expect(FolderListing.target(of: "\(folder)/02 Song 1.pdf") == "/nowhere")
        #expect(try !library.linkCharts(into: root).hasChanges)
    }

    /// A library moves with its links if, for example, the account is renamed or the home is copied to another disk.
    @Test(arguments: [true, false]) @LoopActor func linksOfALibraryThatMovedAlongWithThemAreMended(isCopy: Bool) throws {
        let (former, present) = (home.path("old"), home.path("new"))
        var library = try Library(folder: former + "/data")
        try library.plans.update([plan, Samples.contents("2", day: 3, attachments: [a])], at: Samples.monday)
        try library.download(Samples.pdf("a"), for: a)
        try library.download(Samples.pdf("b"), for: b)
        let made = try library.linkCharts(into: former + "/Music").made
        let moved = made.map { present + $0.dropFirst(former.count) }
        try AtomicFile.write("my marks", to: made[1].replacing(".pdf", with: ".xopp"))
        library.close()
        if isCopy { try copyFolder(former, to: present) } else { #expect(rename(former, present) == 0) }
        // Whatever the user made stays: a link to another place, and a file.
        let mine = Folder.parent(of: moved[0]) + "/03 mine.pdf"
        symlink("/elsewhere/charts/mine.pdf", mine)

        library = try Library(folder: present + "/data")
        try library.plans.update([plan, Samples.contents("2", day: 9, attachments: [a])], at: Samples.monday)
        let outcome = try library.linkCharts(into: present + "/Music")
        #expect(outcome.retargeted == [moved[0], moved[1]] && outcome.inTheWay == [] && outcome.made.count == 1)
        #expect(outcome.removed.contains(moved[2]), "its plan was put off: \(outcome)")
        #expect(try AtomicFile.read(moved[0], limit: 1000) == Samples.pdf("a"))
        #expect(FolderListing.target(of: mine) == "/elsewhere/charts/mine.pdf")
        #expect(try AtomicFile.read(moved[1].replacing(".pdf", with: ".xopp"), limit: 1000) == Array("my marks".utf8))
        #expect(try library.links.linkedWithUserFiles(in: "").attachments.contains(b.id))
        #expect(try !library.linkCharts(into: present + "/Music").hasChanges)
        if isCopy { #expect(made.allSatisfy { FolderListing.target(of: $0)?.hasPrefix(former) == true }, "the other one's are left alone") }
    }

    @Test @LoopActor func linksOfALibraryThatHadAnotherMusicFolderBeforeAreMendedOnce() throws {
        let (former, present) = (home.path("old"), home.path("new"))
        var library = try Library(folder: former + "/data")
        try library.plans.update([plan], at: Samples.monday)
        try library.download(Samples.pdf("a"), for: a)
        try library.download(Samples.pdf("b"), for: b)
        for name in ["Songs", "Music"] { _ = try library.linkCharts(into: "\(former)/\(name)") }
        library.close()
        #expect(rename(former, present) == 0)
        library = try Library(folder: present + "/data")
        let outcome = try library.linkCharts(into: present + "/Music")
        #expect(outcome.retargeted.count == 2 && outcome.inTheWay == [], "\(outcome)")
        #expect(try !library.linkCharts(into: present + "/Music").hasChanges)
    }

    private func copyFolder(_ from: String, to: String) throws {
        try Folder.create(to)
        for name in try Folder.names(in: from) {
            let (old, new) = (from + "/" + name, to + "/" + name)
            if let target = FolderListing.target(of: old) {
                symlink(target, new)
            } else if let bytes = try? AtomicFile.read(old, limit: 1 << 24) {
                try bytes.withUnsafeBytes { try AtomicFile.write($0, to: new) }
            } else {
                try copyFolder(old, to: new)
            }
        }
    }

    @Test @LoopActor func aFolderThatTheUserRenamedIsTheUsers() throws {
        let library = try library()
        _ = try library.linkCharts(into: root)
        rename(folder, "\(root)/my set")
        #expect(try library.linkCharts(into: root).made.count == 2)
        #expect(try Folder.names(in: "\(root)/my set") == ["01 Song 0.pdf", "02 Song 1.pdf"])
        #expect(try !library.linkCharts(into: root).hasChanges)
    }

    @Test @LoopActor func aLinkThatAKilledProcessLeftOnItsWayIsCleared() throws {
        let library = try library()
        _ = try library.linkCharts(into: root)
        symlink("/nowhere", "\(folder)/.tmp-woodshed-link")
        try library.download(Samples.pdf("new"), for: a)
        #expect(try library.linkCharts(into: root).retargeted.count == 1)
        #expect(try Folder.names(in: folder) == ["01 Song 0.pdf", "02 Song 1.pdf"])
    }

    @Test @LoopActor func aPlaceThatIsNoFolderStopsNoOther() throws {
        let library = try library()
        try Folder.create(root)
        try AtomicFile.write("mine", to: folder)
        let other = Samples.contents("2", day: 3, attachments: [a])
        try library.plans.update([other], at: Samples.monday)
        let outcome = try library.linkCharts(into: root)
        #expect(outcome.inTheWay.count == 2)
        #expect(outcome.made == ["\(root)/\(other.plan.firstTime?.date ?? "") Plan 2/01 Song 0.pdf"])
    }

    /// Runs in a process of its own that gives up the rights of root, since root may write everywhere.
    @Test func aFolderThatMayNotBeWrittenStopsNoOther() async {
        chmod(home.path, 0o777)
        await #expect(processExitsWith: .exitCode(0)) { [path = home.path as String] in
            if geteuid() == 0 { _ = setuid(65534) }
            let code = Loop.shared.run { () -> Int32 in
                do {
                    let library = try Library(folder: path + "/data")
                    let plans = ["1", "2"].map { Samples.contents($0, attachments: [Samples.attachment("a")]) }
                    try library.plans.update(plans, at: Samples.monday)
                    try library.download(Samples.pdf("a"), for: Samples.attachment("a"))
                    let closed = "\(path)/music/\(plans[0].plan.firstTime?.date ?? "") Plan 1"
                    try Folder.create(closed, mode: 0o700)
                    chmod(closed, 0o500)
                    let outcome = try library.linkCharts(into: path + "/music")
                    let text = outcome.failures.map { LibraryError.system($0).description }.joined()
                    let isRight =
                        outcome.failures.count == 1 && text.contains(closed) && text.contains("permission to read and write")
                        && outcome.made.count == 1
                    chmod(closed, 0o700)
                    return try isRight && library.linkCharts(into: path + "/music").made.count == 1 ? 0 : 1
                } catch {
                    return 2
                }
            }
            exit(code)
        }
    }
}
