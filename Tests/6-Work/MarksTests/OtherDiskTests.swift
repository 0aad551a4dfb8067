import Catalogue
import Glibc
import Model
import Platform
import TestSupport
import Testing

@testable import Library
@testable import Marks

/// What is missing where another disk took the place of the one that the marks were read from.
@Suite(.onLoop)
struct OtherDiskTests {
    private let folder = TemporaryFolder()
    private var root: String { folder.path("music") }

    /// By which way a keeper learns that a file is not there.
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

    /// As far as the catalogue knows, everything was read from a disk with another number.
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
        // The copies say the same as what they were made from.
        try write("x", "y")
        unlink(path("z"))
        home = try await follow(way, without: "z", home)
        #expect(try known(home) == ["x.marks", "y.marks", "z.marks"])
        #expect(try home.library.markFiles.filesAway() == [path("z")])
        await home.lookAgain()
        #expect(try known(home) == ["x.marks", "y.marks", "z.marks"], "it is no other at the next look")
        #expect(home.keeper.folders.entries.contains { $0.path == root && $0.trouble == .unmounted(files: 1) })
        #expect(home.logged.contains { $0.contains("their marks are kept") && $0.contains("accept --gone") }, "\(home.logged)")
        // Whoever says that it is gone is believed.
        #expect(try MarkFileStore.letGo(ofFilesBelow: root, inLibraryAt: home.library.folder, at: Samples.monday).count == 1)
        await home.lookAgain()
        #expect(try known(home) == ["x.marks", "y.marks"])
        #expect(home.keeper.folders.troubles.isEmpty)
        home.end()
    }

    /// Its files are the very same ones, so whoever deleted one meant it.
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
