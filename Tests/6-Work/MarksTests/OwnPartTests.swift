import Annotations
import Catalogue
import LayerJoin
import Library
import Model
import Platform
import TestSupport
import Testing

@testable import Marks

/// The fate of the file that this home writes for a layer, if others write it, too, or restore an older state.
@Suite(.onLoop)
struct OwnPartTests {
    private let folder = TemporaryFolder()
    private var root: String { folder.path("marks") }
    private let hash = ChartHash(SHA256.digest(of: "chart"))

    @LoopActor
    private func layers(home: String) -> OwnLayers {
        OwnLayers([root], ours: root, roots: MarkRoots([root]), home: self.home(home), side: SideThread(inline: true))
    }

    private func home(_ name: String) -> HomeID { HomeID(in: folder.path(name)) }

    private func chart() -> OwnLayers.Chart { OwnLayers.Chart(AttachmentID("a1"), hash, title: "Grace", pages: 2) }

    private func request(_ id: String, by device: String = "d", _ number: Int = 1) -> [UInt8] {
        Array(#"{"marks":[{"id":"\#(id)","page":0,"kind":"pen","points":[[0.\#(number),0.5]],"v":{"\#(device)":\#(number)}}]}"#.utf8)
    }

    /// The catalogue may lack the file: while the file is still being written to the disk, after a kill, or if the catalogue is old.
    @Test(arguments: [true, false])
    @LoopActor func whatThisHomeWroteIsItsOwnEvenIfTheCatalogueLacksIt(isFirst: Bool) async throws {
        try Folder.create(root)
        let home = try await MarkHome(MarkRoots([root]), charts: ["a1"], in: folder)
        let layers = layers(home: "data")
        if !isFirst {
            home.keeper.receive(try #require(try await layers.add(request("m"), to: chart()).reading))
            await home.settle()
        }
        _ = try await layers.add(request("n", 2), to: chart())
        home.keeper.follow(.written("\(root)/\(try #require(try Folder.names(in: root).first))"))
        await home.settle()
        #expect(try self.home("data").all.count == 1 && Folder.names(in: root).count == 1, "\(home.logged)")
        #expect(!home.logged.contains { $0.contains("copy") }, "\(home.logged)")
        home.end()
    }

    /// Marks drawn here vanish only if a person erases them, so no accident is suspected, on however many charts.
    @Test @LoopActor func whatIsErasedHasNotVanished() async throws {
        let machine = try await SyncedMachine("tab")
        let charts = ["1a", "1b"]
        for chart in charts {
            for (mark, x) in [("m", 0.25), ("n", 0.5)] { _ = try await machine.edit(mark, on: chart, x: x) }
        }
        for chart in charts { _ = try await machine.edit("m", on: chart, x: nil) }
        _ = try await machine.edit("o", on: "1a", x: 0.75)
        let library = machine.home.library
        #expect(try charts.map { try library.drawings.visibleLayers(of: AttachmentID($0)).flatMap(\.marks).count } == [2, 1])
        #expect(try charts.allSatisfy { try library.markFiles.history(of: AttachmentID($0)).isEmpty })
        machine.end()
    }

    /// The other home may come from an image of this home's disk: only the written file distinguishes the two.
    @Test @LoopActor func whatAnotherHomeWroteUnderItsIdGivesItANewOne() async throws {
        try Folder.create(root)
        let home = try await MarkHome(MarkRoots([root]), charts: ["a1"], in: folder)
        let layers = layers(home: "data")
        home.keeper.receive(try #require(try await layers.add(request("m"), to: chart()).reading))
        await home.settle()
        let (id, path) = (self.home("data").current, "\(root)/\(try #require(try Folder.names(in: root).first))")
        var document = try #require(try LayerFile.read(path)).document
        #expect(document.join(try LayerEdits.read(request("n", by: "e"), pages: 2), by: "somebody's word"))
        try AtomicFile.write(String(decoding: document.bytes(), as: UTF8.self), to: path)
        home.keeper.follow(.written(path))
        await home.settle()
        #expect(self.home("data").all.dropFirst() == [id])
        #expect(home.logged.contains { $0.contains("\(path) was written by a copy of this home") }, "\(home.logged)")
        home.end()
    }

    /// Somebody may have put such a file beside the charts of a set.
    @Test @LoopActor func nothingIsMendedInAFolderOfSets() async throws {
        try Folder.create(root)
        let home = try await MarkHome(MarkRoots([folder.path("other")], charts: [root]), charts: ["a1"], in: folder)
        let layers = layers(home: "data")
        home.keeper.receive(try #require(try await layers.add(request("m"), to: chart()).reading))
        let path = "\(root)/\(try #require(try Folder.names(in: root).first))"
        let older = try AtomicFile.read(path, limit: 10_000)
        home.keeper.receive(try #require(try await layers.add(request("n", 2), to: chart()).reading))
        await home.settle()
        try AtomicFile.write(String(decoding: older, as: UTF8.self), to: path)
        home.keeper.follow(.written(path))
        await home.settle()
        #expect(try AtomicFile.read(path, limit: 10_000) == older, "\(home.logged)")
        home.end()
    }

    /// The file is repaired each time that another program restores an older state, but with pauses between the repairs.
    @Test @LoopActor func whatIsPutBackAgainAndAgainIsMendedEachTimeInTheEnd() async throws {
        try Folder.create(root)
        let home = try await MarkHome(MarkRoots([root]), charts: ["a1"], in: folder)
        let layers = layers(home: "data")
        home.keeper.receive(try #require(try await layers.add(request("m"), to: chart()).reading))
        let path = "\(root)/\(try #require(try Folder.names(in: root).first))"
        let older = try AtomicFile.read(path, limit: 10_000)
        home.keeper.receive(try #require(try await layers.add(request("n", 2), to: chart()).reading))
        await home.settle()
        func putBack() async throws {
            try AtomicFile.write(String(decoding: older, as: UTF8.self), to: path)
            home.keeper.follow(.written(path))
            await home.settle()
        }
        func isWhole() throws -> Bool { try MarkFileReader.read(path: path).0.marks.count == 2 }
        try await putBack()
        #expect(try isWhole())
        for _ in 0..<20 {
            try await putBack()
            #expect(try !isWhole(), "not all the time")
            await home.wait(for: .seconds(61))
            await home.settle()
            #expect(try isWhole(), "\(home.logged)")
        }
        home.end()
    }
}
