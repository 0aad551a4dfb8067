import Exporting
import Model
import Platform
import TestSupport
import Testing

/// What becomes of a plan's PDF that a disk does not take.
@Suite(.onLoop)
struct PDFDiskTests {
    private static let reason: Comment = "this system does not let a plain user mount a small disk of his own"

    private func wanted(_ key: String) -> PDFShelf.Wanted {
        PDFShelf.Wanted(plan: PlanID("1"), name: "plan.pdf", key: SHA256.digest(of: key), end: nil)
    }

    private func made(_ bytes: Int, in folder: TemporaryFolder) throws -> TemporaryFile {
        let file = try TemporaryFile.create(inFolderOf: folder.path("plan.pdf"))
        try [UInt8](repeating: 7, count: bytes).withUnsafeBytes { try file.write($0) }
        return file
    }

    @Test(.enabled(if: SmallDisk.canMount, reason))
    @LoopActor func onAFullDiskTheFormerFileStaysWholeAndNothingElse() async throws {
        let (folder, home) = (TemporaryFolder(), TemporaryFolder())
        let disk = try await SmallDisk.mount(on: folder.path, "size=64k")
        defer { disk.unmount() }
        var shelf = PDFShelf(disk.path, recordedAt: home.path("exports.json"))
        #expect(try shelf.place(made(20_000, in: home), as: wanted("a")))
        #expect(Folder.mountPoint(of: disk.path) == disk.path)
        do {
            _ = try shelf.place(made(100_000, in: home), as: wanted("b"))
            Issue.record("there is room")
        } catch {
            #expect((error as? SystemError)?.isDiskFull == true)
        }
        #expect(try Folder.names(in: disk.path) == ["plan.pdf"])
        #expect(try shelf.state(wanted("a")) == .right && shelf.state(wanted("b")) == .old)
        var again = PDFShelf(disk.path, recordedAt: home.path("exports.json"))
        #expect(try again.state(wanted("a")) == .right)
    }
}
