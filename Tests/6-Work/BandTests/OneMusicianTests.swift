import Band
import BandLayout
import Library
import Model
import Platform
import TestSupport
import Testing

@testable import Marks

/// A musician with several devices is one to the band: what holds on one of them holds for all, also for those that never wake again.
@Suite(.onLoop)
struct OneMusicianTests {
    /// Anna with a second laptop, on which everything is that was on the first; Ben looks.
    @LoopActor private func trio(named: Bool = true) async throws -> (duo: Duo, other: Player) {
        let duo = try Duo()
        try await duo.draw("a")
        try await duo.draw("b", at: 0.2)
        let other = try duo.anna.clone("Anna", data: duo.folder.path("other"), place: duo.anna.place)
        if named { try duo.anna.library.band.setKin(other.device, true) }
        try other.library.band.setKin(duo.anna.device, true)
        for _ in 0..<3 {
            try await duo.look()
            _ = try await other.round()
        }
        return (duo, other)
    }

    /// What Ben sees of all of Anna's devices.
    @LoopActor private func seen(_ trio: (duo: Duo, other: Player), by player: Player? = nil) throws -> [Musician.Marks] {
        try [trio.duo.anna.device, trio.other.device].map { try (player ?? trio.duo.ben).shown(of: $0) }.filter { !$0.isEmpty }
    }

    @Test @LoopActor func whatIsErasedOnOneIsErasedThoughTheOtherSleeps() async throws {
        let trio = try await trio()
        defer {
            trio.duo.end()
            trio.other.close()
        }
        #expect(try seen(trio) == [["1a": ["a": 0.5, "b": 0.2]]], "one layer of both")
        try trio.duo.anna.edit("a", on: "1a", x: nil)
        try trio.duo.anna.edit("c", on: "1a", x: 0.9)
        for _ in 0..<2 { try await trio.duo.look() }
        #expect(try seen(trio) == [["1a": ["b": 0.2, "c": 0.9]]])
        for mark in ["b", "c"] { try trio.duo.anna.edit(mark, on: "1a", x: nil) }
        for _ in 0..<2 { try await trio.duo.look() }
        #expect(try seen(trio) == [], "nobody waits for what is erased everywhere")
        // What is drawn on the other one is seen with the rest.
        try trio.other.edit("d", on: "1a", x: 0.4)
        _ = try await trio.other.round()
        try await trio.duo.look()
        #expect(try seen(trio) == [["1a": ["d": 0.4]]])
    }

    @Test @LoopActor func nobodyIsAStrangerToHerself() async throws {
        let trio = try await trio()
        defer {
            trio.duo.end()
            trio.other.close()
        }
        #expect(try seen(trio, by: trio.duo.anna) == [] && seen(trio, by: trio.other) == [])
        #expect(try trio.duo.anna.members().filter(\.isKin).map(\.device) == [trio.other.device])
    }

    /// Anybody can say that somebody else's device is theirs.
    @Test @LoopActor func whoIsNamedByOneSideOnlyIsAnother() async throws {
        let trio = try await trio(named: false)
        defer {
            trio.duo.end()
            trio.other.close()
        }
        try trio.duo.anna.edit("a", on: "1a", x: nil)
        for _ in 0..<2 { try await trio.duo.look() }
        #expect(try seen(trio) == [["1a": ["b": 0.2]], ["1a": ["a": 0.5, "b": 0.2]]])
        try trio.other.share("1a", false)
        _ = try await trio.other.round()
        _ = try await trio.duo.ben.round()
        #expect(try seen(trio) == [["1a": ["b": 0.2]]], "nor does what is said on one hold for the other")
    }

    @Test(arguments: ["a chart", "all", "the band"]) @LoopActor func whatIsTakenBackOnOneIsTakenBackOnAll(what: String) async throws {
        let trio = try await trio()
        let newcomer = try Player("Cleo", data: trio.duo.folder.path("cleo"), place: trio.duo.anna.place)
        defer {
            trio.duo.end()
            trio.other.close()
            newcomer.close()
        }
        try trio.other.edit("d", on: "1a", x: 0.4)
        _ = try await trio.other.round()
        try await trio.duo.look()
        switch what {
        case "a chart": try trio.duo.anna.share("1a", false)
        case "all": try trio.duo.anna.shareAll(false)
        default: try trio.duo.anna.setLeft(true)
        }
        for _ in 0..<2 { try await trio.duo.look() }
        #expect(try seen(trio) == [], "though the other sleeps")
        _ = try await newcomer.round()
        #expect(try seen(trio, by: newcomer) == [])
        let objects = try Folder.names(in: trio.duo.folder.path("band/d/\(trio.other.device)")).filter { $0.hasPrefix("o-") }
        #expect(objects == [], "nothing of hers is there any more")
        for _ in 0..<2 { _ = try await trio.other.round() }
        try await trio.duo.look()
        #expect(try seen(trio) == [])
        #expect(try trio.other.library.band.shares().haveEnded == (what == "the band"))
        // What is said later on the other one holds again.
        try trio.other.share("1a", true)
        _ = try await trio.other.round()
        try await trio.duo.look()
        let shown = try seen(trio)
        #expect(shown.count == 1 && shown[0]["1a"]?["d"] == 0.4, "\(shown)")
    }

    @Test @LoopActor func whatIsHiddenStaysSoWhenAnotherOfHerDevicesComes() async throws {
        let duo = try Duo()
        defer { duo.end() }
        try await duo.draw("a")
        let layer = try #require(try duo.ben.library.layers.all(of: AttachmentID("1a")).first { BandStore.isOfBand($0.id) })
        try duo.ben.library.drawings.setHidden(true, layer: layer.id, of: AttachmentID("1a"))
        for number in 0..<6 {
            let other = try duo.anna.clone("Anna", data: duo.folder.path("other \(number)"), place: duo.anna.place)
            defer { other.close() }
            try duo.anna.library.band.setKin(other.device, true)
            try other.library.band.setKin(duo.anna.device, true)
            for _ in 0..<3 {
                _ = try await other.round()
                try await duo.look()
            }
        }
        let shown = try duo.ben.library.drawings.visibleLayers(of: AttachmentID("1a")).filter { BandStore.isOfBand($0.id) }
        #expect(shown.isEmpty, "\(shown)")
    }

    /// What was taken out of the place is nowhere; what is there is shown all the same.
    @Test @LoopActor func whatIsSharedAgainIsSeenThoughTheOtherSleeps() async throws {
        let trio = try await trio()
        defer {
            trio.duo.end()
            trio.other.close()
        }
        try trio.duo.anna.share("1a", false)
        for _ in 0..<2 { try await trio.duo.look() }
        try trio.duo.anna.share("1a", true)
        for _ in 0..<2 { try await trio.duo.look() }
        #expect(try seen(trio) == [["1a": ["a": 0.5, "b": 0.2]]])
        _ = try await trio.other.round()
        try await trio.duo.look()
        #expect(try seen(trio) == [["1a": ["a": 0.5, "b": 0.2]]])
    }

    @Test @LoopActor func whoTakesBackIsRightIfNeitherKnewOfTheOther() async throws {
        let trio = try await trio()
        defer {
            trio.duo.end()
            trio.other.close()
        }
        try trio.duo.anna.share("1a", true)
        try trio.other.share("1a", false)
        for _ in 0..<3 {
            try await trio.duo.look()
            _ = try await trio.other.round()
        }
        #expect(try seen(trio) == [])
        #expect(try !trio.duo.anna.library.band.shares().include(AttachmentID("1a")))
        // Of what was said later of a single chart, what was said of all before takes nothing.
        try trio.other.shareAll(false)
        _ = try await trio.other.round()
        try await trio.duo.look()
        try trio.duo.anna.share("1b", true)
        for _ in 0..<2 { try await trio.duo.look() }
        _ = try await trio.other.round()
        #expect(try trio.other.library.band.shares().include(AttachmentID("1b")))
        #expect(try !trio.duo.anna.library.band.shares().include(AttachmentID("1a")))
    }

    @Test @LoopActor func whoComesBackSharesNothingOnAnyDevice() async throws {
        let trio = try await trio()
        defer {
            trio.duo.end()
            trio.other.close()
        }
        try trio.duo.anna.setLeft(true)
        for _ in 0..<2 { try await trio.duo.look() }
        #expect(try trio.duo.ben.members().filter { !$0.hasLeft }.isEmpty, "the other one left with it")
        #expect(try trio.duo.ben.library.band.words().map(\.device) == [trio.duo.ben.device])
        try trio.duo.anna.setLeft(false)
        for _ in 0..<2 { try await trio.duo.look() }
        #expect(try seen(trio) == [])
        for _ in 0..<2 { _ = try await trio.other.round() }
        try await trio.duo.look()
        #expect(try seen(trio) == [])
    }
}
