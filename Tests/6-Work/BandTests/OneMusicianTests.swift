import Band
import BandLayout
import Library
import Model
import Platform
import TestSupport
import Testing

@testable import Marks

/// A musician with several devices is one member: a choice on one device holds for all, even for devices that never run again.
@Suite(.onLoop)
struct OneMusicianTests {
    /// Anna with a second laptop, which has everything from the first; and Ben, who reads the band.
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

    /// The marks that Ben, or `player`, sees of Anna's devices: one entry for each device with visible marks.
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
        // A new mark from the other laptop is seen.
        try trio.other.edit("d", on: "1a", x: 0.4)
        _ = try await trio.other.round()
        try await trio.duo.look()
        #expect(try seen(trio) == [["1a": ["d": 0.4]]])
    }

    /// The statement that two devices belong to one musician arrives before the marks of both, and is not reported by itself.
    @Test @LoopActor func whatWasShownStaysUntilItIsShownAsOne() async throws {
        let trio = try await trio(named: false)
        defer {
            trio.duo.end()
            trio.other.close()
        }
        let (ben, both) = (trio.duo.ben, Musician.Marks(dictionaryLiteral: ("1a", ["a": 0.5, "b": 0.2])))
        #expect(try seen(trio) == [both, both])
        let told = try ben.library.journal.entries().count
        try trio.duo.anna.library.band.setKin(trio.other.device, true)
        ben.carrier.hasLateObjects = true
        for _ in 0..<3 {
            try await trio.duo.look()
            _ = try await trio.other.round()
            #expect(try seen(trio).contains(both))
        }
        ben.carrier.hasLateObjects = false
        for _ in 0..<2 { try await trio.duo.look() }
        #expect(try seen(trio) == [both])
        let news = try ben.library.journal.entries().dropFirst(told).map { $0.change.sentence(in: .utc) }
        #expect(news == [], "\(news)")
        // Anna is not notified that the other device's marks are her own now.
        let own = try trio.duo.anna.library.journal.entries().map { $0.change.sentence(in: .utc) }
        #expect(!own.contains { $0.contains("taken away") }, "\(own)")
        #expect(try seen(trio, by: trio.duo.anna) == [])
        // A withdrawn layer disappears immediately, with a notice.
        ben.carrier.hasLateObjects = true
        try trio.duo.anna.shareAll(false)
        for _ in 0..<2 { try await trio.duo.look() }
        #expect(try seen(trio) == [])
        #expect(try ben.library.journal.entries().last?.change.sentence(in: .utc).contains("taken away by their owner") == true)
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

    /// Anybody can claim somebody else's device as theirs, so a claim counts only if the other device makes it, too.
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
        // A later choice on the other laptop holds again.
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

    /// Marks that were removed from the place cannot be shown; marks that are still there are.
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

    @Test @LoopActor func whatWasSharedAgainIsTakenBackAgainThoughTheOtherSleeps() async throws {
        let trio = try await trio()
        defer {
            trio.duo.end()
            trio.other.close()
        }
        let folder = trio.duo.folder.path("band/d/\(trio.other.device)")
        for round in 0..<3 {
            try trio.duo.anna.share("1a", false)
            for _ in 0..<2 { try await trio.duo.look() }
            #expect(try Folder.names(in: folder).filter { $0.hasPrefix("o-") } == [], "round \(round)")
            try trio.duo.anna.share("1a", true)
            for _ in 0..<2 {
                try await trio.duo.look()
                _ = try await trio.other.round()
            }
            #expect(try Folder.names(in: folder).contains { $0.hasPrefix("o-") }, "round \(round)")
        }
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
        // An earlier choice for all charts does not undo a later choice for a single chart.
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
        #expect(try trio.duo.ben.writer.word.words().map(\.device) == [trio.duo.ben.device])
        try trio.duo.anna.setLeft(false)
        for _ in 0..<2 { try await trio.duo.look() }
        #expect(try seen(trio) == [])
        for _ in 0..<2 { _ = try await trio.other.round() }
        try await trio.duo.look()
        #expect(try seen(trio) == [])
    }

    @Test @LoopActor func whoIsLeftOutByADeviceIsSoWithAllOfTheirs() async throws {
        let trio = try await trio()
        defer {
            trio.duo.end()
            trio.other.close()
        }
        try trio.other.edit("d", on: "1a", x: 0.4)
        _ = try await trio.other.round()
        let band = trio.duo.ben.library.band
        // Only one of Anna's devices is left out: the marks of the other one are shown.
        try band.setLeftOut(true, .device(trio.other.device))
        try await trio.duo.look()
        #expect(try seen(trio) == [["1a": ["a": 0.5, "b": 0.2]]])
        #expect(try band.members().filter(\.isLeftOut).map(\.device) == [trio.other.device])
        try band.setLeftOut(false, .device(trio.other.device))
        // Anna is left out as a musician, by naming either of her devices; a device that comes later is left out, too.
        try band.setLeftOut(true, .musician(trio.other.device))
        try await trio.duo.look()
        #expect(try seen(trio) == [])
        let third = try trio.duo.anna.clone("Anne", data: trio.duo.folder.path("third"), place: trio.duo.anna.place)
        defer { third.close() }
        try third.edit("z", on: "1a", x: 0.8)
        _ = try await third.round()
        try await trio.duo.look()
        #expect(try !trio.duo.ben.shown(of: third.device).isEmpty, "nobody knows yet whose it is")
        for device in [trio.duo.anna, trio.other] {
            try device.library.band.setKin(third.device, true)
            try third.library.band.setKin(device.device, true)
        }
        for _ in 0..<3 {
            for device in [third, trio.other] { _ = try await device.round() }
            try await trio.duo.look()
        }
        #expect(try trio.duo.ben.shown(of: third.device).isEmpty && band.members().allSatisfy(\.isLeftOut))
        try band.setLeftOut(false, .musician(trio.other.device))
        try await trio.duo.look()
        #expect(try ([third, trio.other, trio.duo.anna].map { try trio.duo.ben.shown(of: $0.device) }.filter { !$0.isEmpty }).count == 1)
    }

    /// A musician may give a laptop away, or only leave the laptop at home, and go on with the other devices.
    @Test @LoopActor func whoLeavesWithOneDevicePlaysOnWithTheOthers() async throws {
        let trio = try await trio()
        defer {
            trio.duo.end()
            trio.other.close()
        }
        try trio.duo.anna.edit("x", on: "1b", x: 0.7)
        try trio.duo.anna.share("1b", true)
        try await trio.duo.look()
        try trio.duo.anna.library.band.setLeft(true, alone: true)
        for _ in 0..<2 {
            try await trio.duo.look()
            _ = try await trio.other.round()
        }
        #expect(try seen(trio) == [["1a": ["a": 0.5, "b": 0.2]]], "what the other one shares")
        let objects = try Folder.names(in: trio.duo.folder.path("band/d/\(trio.duo.anna.device)")).filter { $0.hasPrefix("o-") }
        #expect(objects == [])
        #expect(try !trio.other.library.band.shares().haveEnded)
        // A choice on the other laptop does not bring this one back; a choice on this one does.
        try trio.other.shareAll(true)
        for _ in 0..<2 {
            _ = try await trio.other.round()
            try await trio.duo.look()
        }
        #expect(try trio.duo.anna.library.band.shares().haveEnded)
        try trio.duo.anna.library.band.setLeft(false)
        #expect(try trio.duo.anna.library.band.shares().areAllShared, "as is said on all devices of hers")
        for _ in 0..<2 { try await trio.duo.look() }
        #expect(try seen(trio) == [["1a": ["a": 0.5, "b": 0.2], "1b": ["x": 0.7]]])
    }

    /// Hiding a layer is not an erasure, whether its marks were drawn here or are in another program's file: the marks are only not
    /// shared from this device. A mark that was erased stays erased.
    @Test @LoopActor func whatIsHiddenHereIsNotSharedButWhatWasErasedIsErased() async throws {
        let trio = try await trio()
        defer {
            trio.duo.end()
            trio.other.close()
        }
        try trio.duo.anna.edit("c", on: "1a", x: 0.9)
        try trio.duo.anna.edit("a", on: "1a", x: nil)
        try trio.duo.anna.edit("f", on: "1a", x: 0.3)
        let drawings = trio.duo.anna.library.drawings
        for path in ["/marks/1a.marks.json", "/marks/1a.xopp"] {
            try drawings.setHidden(true, layer: LocalFile.layerID(ofFile: path), of: AttachmentID("1a"))
        }
        for _ in 0..<2 { try await trio.duo.look() }
        #expect(try seen(trio) == [["1a": ["b": 0.2]]], "what the other device has of it")
        for path in ["/marks/1a.marks.json", "/marks/1a.xopp"] {
            try drawings.setHidden(false, layer: LocalFile.layerID(ofFile: path), of: AttachmentID("1a"))
        }
        for _ in 0..<2 { try await trio.duo.look() }
        #expect(try seen(trio).contains { $0["1a"]?["c"] == 0.9 })
    }

    @Test @LoopActor func twoWhoCallThemselvesAndTheirLaptopsTheSameAreToldApart() async throws {
        let duo = try Duo()
        defer { duo.end() }
        try await duo.draw("a")
        try Player.prepare(duo.folder.path("other"))
        let other = try Player("Anna", data: duo.folder.path("other"), place: duo.anna.place)
        defer { other.close() }
        try other.edit("z", on: "1a", x: 0.8)
        try other.share("1a", true)
        _ = try await other.round()
        for _ in 0..<2 { try await duo.look() }
        let names = Set(try duo.ben.library.layers.all(of: AttachmentID("1a")).filter { BandStore.isOfBand($0.id) }.map(\.personName))
        #expect(names == ["Anna (\(duo.anna.device))", "Anna (\(other.device))"])
    }
}
