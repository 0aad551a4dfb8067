import Catalogue
import Glibc
import Model
import Platform
import TestSupport
import Testing

@testable import Library

/// Files of marks that the user reports as permanently gone.
@Suite(.onLoop)
struct GoneFilesTests {
    private let home = TemporaryFolder()
    private let disk = TemporaryFolder()
    private let a = Samples.attachment("a")

    @LoopActor private func library(_ paths: [String], marks: Int = 2) throws -> Library {
        let library = try Library(folder: home.path)
        try library.plans.update([Samples.contents("1", attachments: [a])], at: Samples.monday)
        let drawn = (0..<marks).map { Mark(id: "\($0)", page: PageIndex(0), kind: .pen, points: [.init(x: 0.5, y: 0.5)]) }
        try library.markFiles.store(
            paths.map {
                LocalFile(
                    path: $0, stamp: FileStamp(device: 1, inode: 2, size: 3, modified: 4), firstSeen: Samples.monday, attachment: a.id,
                    content: MarkFile(name: nil, reference: .init(), marks: drawn))
            })
        return library
    }

    @Test @LoopActor func onlyThoseThatAreNotThereGo() throws {
        let folder = disk.path("marks")
        try Folder.create(folder)
        try AtomicFile.write("x", to: folder + "/there.xopp")
        let beside = [folder + "0.xopp", folder + ".xopp", disk.path("other/gone.xopp"), folder]
        let library = try library([folder + "/there.xopp", folder + "/gone.xopp", folder + "/deep/gone.xopp"] + beside)
        let outcome = try MarkFileStore.letGo(ofFilesBelow: folder, inLibraryAt: home.path, at: Samples.monday)
        // A file of marks that is recorded at the folder's own path counts as well.
        #expect(outcome.count == 2 && outcome.kept == 2)
        #expect(outcome.charts == [.init(attachment: a.id, filename: a.filename, marks: 4)])
        #expect(try Set(library.markFiles.all().map(\.path)) == Set(beside + [folder + "/there.xopp"]))
        #expect(try MarkFileStore.letGo(ofFilesBelow: folder, inLibraryAt: home.path, at: Samples.monday).count == 0)
        #expect(try MarkFileStore.letGo(ofFilesBelow: "/", inLibraryAt: home.path, at: Samples.monday).count == 3)
        #expect(try library.markFiles.all().map(\.path) == [folder, folder + "/there.xopp"])
    }

    @Test @LoopActor func aFileCanBeNamedItself() throws {
        let paths = [disk.path("gone.xopp"), disk.path("gone.xopp.xopp")]
        let library = try library(paths)
        #expect(try MarkFileStore.letGo(ofFilesBelow: paths[0], inLibraryAt: home.path, at: Samples.monday).count == 1)
        #expect(try library.markFiles.all().map(\.path) == [paths[1]])
    }

    @Test @LoopActor func whatWasLetGoStaysInTheHistory() throws {
        let library = try library([disk.path("gone.xopp")])
        #expect(try MarkFileStore.letGo(ofFilesBelow: disk.path, inLibraryAt: home.path, at: Samples.monday).count == 1)
        let state = try #require(try library.markFiles.history(of: a.id).first)
        #expect(try library.markFiles.missingMarks(of: state.number, on: a.id)?.marks.count == 2)
    }

    /// A file lost its marks, they were restored to another file, and then both files were let go of.
    @Test @LoopActor func whatWasLetGoIsNotAskedAboutUnderAnotherName() throws {
        let paths = [disk.path("grace.xopp"), disk.path("grace.restored.marks.json")]
        let library = try library([paths[0]], marks: 12)
        let file = try #require(try library.markFiles.file(at: paths[0]))
        let history = MarkHistory(now: Samples.monday)
        var (empty, restored) = (file, file)
        empty.content?.marks = []
        restored.path = paths[1]
        try library.markFiles.store(written: [WrittenFile(empty)], history: history)
        #expect(try library.markFiles.vanishedMarks()[a.id]?.map(\.missing) == [12])
        try library.markFiles.store(written: [WrittenFile(restored)], history: history)
        #expect(try library.markFiles.vanishedMarks().isEmpty)
        #expect(try MarkFileStore.letGo(ofFilesBelow: disk.path, inLibraryAt: home.path, at: Samples.monday).count == 2)
        #expect(try library.markFiles.vanishedMarks().isEmpty)
        #expect(try library.markFiles.vanishedMarks(goneSince: Samples.monday)[a.id]?.map(\.path) == [paths[1]])
    }

    @Test @LoopActor func aFileThatComesBackIsAsOldAsItWas() throws {
        let path = disk.path("gone.xopp")
        let library = try library([path])
        #expect(try MarkFileStore.letGo(ofFilesBelow: disk.path, inLibraryAt: home.path, at: Samples.monday).count == 1)
        var file = LocalFile(
            path: path, stamp: FileStamp(device: 1, inode: 2, size: 3, modified: 4), firstSeen: Samples.monday + .seconds(9))
        file.fault = "is empty"
        try library.markFiles.store([file])
        file.firstSeen = Samples.monday
        #expect(try library.markFiles.file(at: path) == file)
    }

    @Test @LoopActor func aHiddenFileThatIsGoneForGoodIsHiddenNoMore() throws {
        let path = disk.path("gone.xopp")
        let library = try library([path])
        let file = try library.markFiles.file(at: path)
        try library.drawings.setHidden(true, layer: LocalFile.layerID(ofFile: path), of: a.id)
        #expect(try library.drawings.filesHiddenByChoice() == [a.id: [path]])
        _ = try MarkFileStore.letGo(ofFilesBelow: disk.path, inLibraryAt: home.path, at: Samples.monday)
        try library.markFiles.store([file].compactMap { $0 })
        #expect(try library.drawings.hiddenLayers(of: a.id) == [])
    }

    @Test @LoopActor func whatCannotBeLookedAtStays() throws {
        // A path below a file cannot exist, so `file/in.xopp` is gone. A path that is too long to be checked may exist.
        try AtomicFile.write("x", to: disk.path("file"))
        let long = disk.path(String(repeating: "x", count: 300) + ".xopp")
        let library = try library([disk.path("file/in.xopp"), long])
        let outcome = try MarkFileStore.letGo(ofFilesBelow: disk.path, inLibraryAt: home.path, at: Samples.monday)
        #expect(outcome.count == 1 && outcome.kept == 1)
        #expect(try library.markFiles.all().map(\.path) == [long])
    }

    @Test @LoopActor func withoutALibraryNothingIsMade() {
        #expect(throws: LibraryError.missing(path: home.path("catalogue.sqlite"))) {
            try MarkFileStore.letGo(ofFilesBelow: "/", inLibraryAt: home.path, at: Samples.monday)
        }
    }
}
