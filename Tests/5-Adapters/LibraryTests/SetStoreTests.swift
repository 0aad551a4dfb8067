import Library
import Model
import Platform
import Sets
import TestSupport
import Testing

/// What is known of the musician's own sets.
@Suite(.onLoop) struct SetStoreTests {
    @Test @LoopActor func whatIsKnownIsReadAsItWasWritten() throws {
        let folder = TemporaryFolder()
        let library = try Library(folder: folder.path("data"))
        let number = DiskNumber(device: .max, inode: 1 << 63)
        var known = ["/m/a": KnownSet(plan: .ofSet("a"), number: number), "/m/b": KnownSet(plan: .ofSet("b"), number: nil)]
        try library.sets.note(known, files: [:])
        #expect(try library.sets.known() == known)
        // After a start, the disk has another number.
        known["/m/a"] = KnownSet(plan: .ofSet("a"), number: DiskNumber(device: 2, inode: number.inode))
        known["/m/b"] = nil
        try library.sets.note(known, files: [:])
        #expect(try library.sets.known() == known)
    }
}
