import Annotations
import LayerJoin
import Model
import Platform
import TestSupport
import Testing

/// The fate of a layer that cannot be written to the disk.
@Suite(.onLoop, .needs(.otherPrograms))
struct InkDiskTests {
    private static let reason: Comment = "this system does not let a plain user mount a small disk of his own"

    private func mark(_ id: Int, points: Int) throws -> [LayerValue] {
        let path = (0..<points).map { "[0.\($0 + 1),0.5]" }.joined(separator: ",")
        let text = #"{"marks":[{"id":"\#(id)","page":0,"kind":"pen","points":[\#(path)],"v":{"d":\#(id)}}]}"#
        return try LayerEdits.read(Array(text.utf8), pages: 1)
    }

    private func fault(_ body: () throws -> Void) -> Trouble? { #expect(throws: Trouble.self) { try body() } }

    @Test(.enabled(if: SmallDisk.canMount, reason))
    @LoopActor func onAFullDiskTheOldFileStaysAndNothingElse() async throws {
        let folder = TemporaryFolder()
        let disk = try await SmallDisk.mount(on: folder.path, "size=64k")
        defer { disk.unmount() }
        let path = disk.path + "/own.marks.json"
        let fresh = LayerDocument(for: AttachmentID("a"), ChartHash(SHA256.digest(of: "a")), name: "mine")
        _ = try LayerFile.add(mark(1, points: 20), to: path, fresh: fresh)
        let before = try AtomicFile.read(path, limit: 1 << 20)
        let large = try mark(2, points: 9000)
        let full = fault { _ = try LayerFile.add(large, to: path, fresh: fresh) }
        #expect(full?.description.contains("Free some space") == true)
        #expect(try AtomicFile.read(path, limit: 1 << 20) == before)
        #expect(try Folder.names(in: disk.path) == ["own.marks.json"])
        #expect(try LayerFile.add(mark(3, points: 20), to: path, fresh: fresh).document.layer.marks.count == 2, "what still fits is kept")
    }

    @Test(.enabled(if: SmallDisk.canMount, reason))
    @LoopActor func onAReadOnlyDiskTheOldFileStays() async throws {
        let folder = TemporaryFolder()
        let disk = try await SmallDisk.mount(on: folder.path, "size=64k")
        defer { disk.unmount() }
        let path = disk.path + "/own.marks.json"
        let fresh = LayerDocument(for: AttachmentID("a"), ChartHash(SHA256.digest(of: "a")), name: "mine")
        _ = try LayerFile.add(mark(1, points: 20), to: path, fresh: fresh)
        let remounting = try disk.start(program: "/bin/mount", ["-o", "remount,ro", folder.path], environment: [])
        #expect(try await remounting.result().exit == .code(0))
        let values = try mark(2, points: 20)
        #expect(fault { _ = try LayerFile.add(values, to: path, fresh: fresh) }?.description.contains("Make that disk writable") == true)
        #expect(try LayerFile.read(path)?.document.layer.marks.count == 1)
    }
}
