import Catalogue
import Glibc
import Model
import Platform
import TestSupport
import Testing

@testable import Library
@testable import Marks

/// Missing files with something else in their place: another disk, or a placeholder.
@Suite(.onLoop)
struct OtherDiskTests {
    private let folder = TemporaryFolder()
    private var root: String { folder.path("music") }

    /// The way in which a keeper detects that a file is missing.
    enum Way: CaseIterable {
        case anEvent, aLook, aNewBeginning
    }

    private func path(_ name: String) -> String { root + "/\(name).marks.json" }

    private func write(_ names: String...) throws {
        try Folder.create(root)
        for (place, name) in names.enumerated() {
            let text = MarkText.native("1a", [MarkText.Dot(page: 0, x: Double(place + 1) / 8)])
            try AtomicFile.write(text, to: path(name))
        }
    }

    @LoopActor private func start() async throws -> MarkHome { try await MarkHome(MarkRoots([root]), in: folder) }

    @LoopActor private func known(_ home: MarkHome) throws -> [String] {
        try home.library.markFiles.localLayers(of: AttachmentID("1a")).map(\.name)
    }

    /// Changes the catalogue as if all files had been read from a disk with another number.
    @LoopActor private func renumber(_ home: MarkHome) throws {
        try home.library.database.run("UPDATE local_files SET device = device + 1")
    }

    @LoopActor private func follow(_ way: Way, without name: String, _ home: MarkHome) async throws -> MarkHome {
        switch way {
        case .anEvent: home.events.send(.removed(path(name)))
        case .aLook: home.events.send(.rescan(root))
        case .aNewBeginning:
            home.end()
            return try await start()
        }
        await home.settle()
        return home
    }

    @Test(arguments: Way.allCases) @LoopActor func whatAnOlderCopyOnAnotherDiskLacksIsAway(way: Way) async throws {
        try write("x", "y", "z")
        var home = try await start()
        try renumber(home)
        // The copies have the same content as the originals.
        try write("x", "y")
        unlink(path("z"))
        home = try await follow(way, without: "z", home)
        #expect(try known(home) == ["x.marks", "y.marks", "z.marks"])
        #expect(try home.library.markFiles.filesAway() == [path("z")])
        await home.lookAgain()
        #expect(try known(home) == ["x.marks", "y.marks", "z.marks"], "it is no other at the next look")
        #expect(home.keeper.folders.entries.contains { $0.path == root && $0.trouble == .unmounted(files: 1) })
        #expect(home.logged.contains { $0.contains("missing; its marks are kept") && $0.contains("accept --gone") }, "\(home.logged)")
        // Once a person gives the file up, it is forgotten.
        #expect(try MarkFileStore.letGo(ofFilesBelow: root, inLibraryAt: home.library.folder, at: Samples.monday).count == 1)
        await home.lookAgain()
        #expect(try known(home) == ["x.marks", "y.marks"])
        #expect(home.keeper.folders.troubles.isEmpty)
        home.end()
    }

    /// In the file's place is a cloud folder's placeholder, or the file itself under a backup's name.
    @Test(arguments: [".nextcloud", ".owncloud", ".bak", "_old"], Way.allCases)
    @LoopActor func aFileWithAPlaceholderIsAway(ending: String, way: Way) async throws {
        try write("x", "y")
        var home = try await start()
        let (path, placeholder) = (path("x"), path("x") + ending)
        #expect(rename(path, placeholder) == 0)
        for way in [way, .aLook] {
            home = try await follow(way, without: "x", home)
            #expect(try known(home) == ["x.marks", "y.marks"])
            #expect(home.keeper.folders.entries.contains { $0.path == path && $0.trouble == .replaced(by: placeholder) })
        }
        #expect(home.logged.count { $0.contains("\(path) is missing, while \(placeholder) is there; its marks are kept") } == 1)
        #expect(rename(placeholder, path) == 0)
        home.events.send(.written(path))
        await home.settle()
        #expect(try known(home) == ["x.marks", "y.marks"] && home.keeper.folders.troubles.isEmpty)
        // Once a person gives the file up, it is forgotten.
        #expect(rename(path, placeholder) == 0)
        home = try await follow(.anEvent, without: "x", home)
        #expect(try MarkFileStore.letGo(ofFilesBelow: root, inLibraryAt: home.library.folder, at: Samples.monday).count == 1)
        await home.lookAgain()
        #expect(try known(home) == ["y.marks"] && home.keeper.folders.troubles.isEmpty)
        home.end()
    }

    @Test @LoopActor func theOnlyFileFromAnotherDiskIsAwayWhateverElseIsThere() async throws {
        try write("x")
        try Folder.create(root + "/Sunday Morning")
        var home = try await start()
        try renumber(home)
        home.end()
        unlink(path("x"))
        home = try await start()
        #expect(try known(home) == ["x.marks"])
        #expect(try home.library.markFiles.filesAway() == [path("x")])
        home.end()
    }

    /// The remaining files are the very same, so a deletion was meant.
    @Test @LoopActor func aDiskThatOnlyGotAnotherNumberIsNoOtherDisk() async throws {
        try write("x", "y", "z")
        var home = try await start()
        try renumber(home)
        unlink(path("z"))
        home.events.send(.removed(path("z")))
        await home.settle()
        #expect(try known(home) == ["x.marks", "y.marks"])
        home.end()

        try write("z")
        home = try await start()
        try renumber(home)
        home.end()
        unlink(path("z"))
        home = try await start()
        #expect(try known(home) == ["x.marks", "y.marks"])
        #expect(home.keeper.folders.troubles.isEmpty)
        home.end()
    }
}
