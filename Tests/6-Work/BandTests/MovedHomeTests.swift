import Band
import BandLayout
import Catalogue
import Library
import Platform
import TestSupport
import Testing

/// A home that was moved to another laptop, while the former one still runs.
@Suite(.onLoop)
struct MovedHomeTests {
    @Test @LoopActor func whoeverItWasMovedToIsTheDeviceAndTheFormerOneBecomesAnother() async throws {
        let duo = try Duo()
        defer { duo.end() }
        try await duo.draw("a")
        let device = duo.anna.device
        let new = try duo.anna.clone("Cleo", data: duo.folder.path("cleo"), place: duo.anna.place, .moved)
        defer { new.close() }
        try new.edit("c", on: "1a", x: 0.3)
        _ = try await new.round()
        try await duo.draw("b")
        #expect(new.device == device && duo.anna.device != device && HomeID(in: duo.anna.data).all.contains(device.text))
        #expect(try duo.ben.shown(of: device) == ["1a": ["a": 0.5, "c": 0.3]])
        #expect(try duo.seen == ["1a": ["a": 0.5, "b": 0.5]])
    }

    /// The check whether all marks are out must not count files that are already gone.
    @Test @LoopActor func nothingIsLeftToTakeAwayOnceALeaveIsSaid() async throws {
        let duo = try Duo()
        defer { duo.end() }
        try await duo.draw("a")
        try duo.anna.setLeft(true)
        _ = try await duo.anna.round()
        #expect(try duo.names() == ["head.json"] && duo.anna.writer.word.dropped().isEmpty)
    }

    /// Both homes then write as the same device. If each replaced the other's head with its own, they would go on for ever.
    @Test @LoopActor func twoThatLeftAsTheSameDeviceSayItOnce() async throws {
        let duo = try Duo()
        defer { duo.end() }
        try await duo.draw("a")
        let new = try duo.anna.clone("Cleo", data: duo.folder.path("cleo"), place: duo.anna.place, .moved)
        defer { new.close() }
        try new.setLeft(true)
        _ = try await new.round()
        _ = try await duo.anna.round()
        #expect(try duo.anna.library.band.shares().haveEnded && duo.anna.device == new.device)
        _ = try await new.round()
        let word = FileTree.read(duo.path("head.json"))
        _ = try await duo.anna.round()
        _ = try await new.round()
        #expect(FileTree.read(duo.path("head.json")) == word)
        #expect(try duo.said.hasLeft && duo.names() == ["head.json"])
    }
}
