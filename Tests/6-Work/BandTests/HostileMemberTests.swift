import BandLayout
import Glibc
import Library
import Model
import Platform
import TestSupport
import Testing

@testable import Catalogue

/// Attacks on band members by somebody who can write to the band's folder.
@Suite(.onLoop)
struct HostileMemberTests {
    private let eve = BandDevice("eeeeeeeeeeeeeeee")
    private let chart = ChartHash(SHA256.digest(of: Player.pdf("1a")))

    /// Two members who saw each other before Eve came.
    @LoopActor private func duo() async throws -> Duo {
        let duo = try Duo()
        try await duo.draw("a")
        duo.ben.carrier.forget()
        return duo
    }

    @LoopActor private func path(_ duo: Duo, _ name: String) -> String { duo.folder.path("band/d/\(eve)/\(name)") }

    private func layer(_ id: String, _ bytes: [UInt8], length: Int? = nil) -> BandHead.Layer {
        BandHead.Layer(
            id: id, name: id, chart: chart, title: "", object: SHA256.digest(of: bytes), length: length ?? bytes.count, since: 1)
    }

    @LoopActor private func say(
        _ duo: Duo, as device: BandDevice? = nil, in folder: BandDevice? = nil, counter: Int = 1, person: String = "Eve",
        roster: [BandDevice] = [], _ layers: [BandHead.Layer] = []
    ) throws {
        let head = BandHead(
            device: device ?? eve, counter: counter, person: person, name: "laptop", roster: roster, layers: layers)
        try FileTree.write(head.bytes, to: duo.folder.path("band/\(BandPath.head(of: folder ?? eve))"))
    }

    /// Ben reads the band, and sees the marks that Anna drew.
    @LoopActor private func look(_ duo: Duo) async throws {
        _ = try await duo.ben.round()
        #expect(try duo.seen == ["1a": ["a": 0.5]])
    }

    @Test @LoopActor func headsOfSixtyFourMegabytesAreNotRead() async throws {
        let duo = try await duo()
        defer { duo.end() }
        try say(duo)
        for name in ["head.json"] + (0..<30).map({ "copy\($0)" }) {
            try FileTree.write([], to: path(duo, name))
            #expect(truncate(path(duo, name), 64 << 20) == 0)
        }
        try await look(duo)
        #expect(duo.ben.carrier.bytesRead < 10_000)
        #expect(duo.ben.carrier.asked.count { $0.contains(eve.text) } <= 16)
    }

    @Test @LoopActor func aFolderOfThirtyThousandFilesIsNotReadForEachOfThem() async throws {
        let duo = try await duo()
        defer { duo.end() }
        try say(duo, (0..<100).map { layer("l\($0)", Array("\($0)".utf8)) })
        for number in 0..<30_000 {
            let file = open(path(duo, "o-\(SHA256.digest(of: "\(number)").hex.uppercased()).json"), O_CREAT | O_WRONLY, 0o600)
            #expect(file >= 0)
            Glibc.close(file)
        }
        try await look(duo)
        #expect(duo.ben.carrier.asked.count { $0.contains("o-") } <= 2 * BandStore.mostLayersOfAChart)
        #expect(duo.ben.carrier.bytesRead < 100_000)
    }

    @Test @LoopActor func ofTwentyThousandLayersOnOneChartFewAreRead() async throws {
        let duo = try await duo()
        defer { duo.end() }
        let layers = (0..<20_000).map { number in
            "{\"id\":\"\(number)\",\"chart\":\"\(chart.digest.hex)\",\"object\":\"\(SHA256.digest(of: "\(number)").hex)\",\"length\":9,\"since\":1}"
        }
        let said = Array(
            "{\"format\":1,\"device\":\"\(eve)\",\"counter\":1,\"person\":\"Eve\",\"layers\":[\(layers.joined(separator: ","))]}\n".utf8)
        #expect(said.count < BandHead.limit)
        try FileTree.write(said + Array(SHA256.digest(of: said).hex.utf8), to: path(duo, "head.json"))
        try await look(duo)
        #expect(duo.ben.carrier.asked.count { $0.contains("o-") } == BandStore.mostLayersOfAChart)
        try await look(duo)
        #expect(duo.ben.carrier.asked.count { $0.contains("o-") } == 2 * BandStore.mostLayersOfAChart)
    }

    @Test @LoopActor func ofOneFourMegabytesAreReadAtATimeAndWhatIsNoMarksOnce() async throws {
        let duo = try await duo()
        defer { duo.end() }
        // Twelve layers, each as long as an object may be: 6 MiB in all, of which one look reads only a part.
        let objects = (0..<12).map { [UInt8](repeating: UInt8(ascii: "a") + $0, count: 512 << 10) }
        for bytes in objects { try FileTree.write(bytes, to: path(duo, BandPath.name(ofObject: SHA256.digest(of: bytes)))) }
        try say(
            duo,
            objects.enumerated().map { number, bytes in
                BandHead.Layer(
                    id: "l\(number)", name: "", chart: ChartHash(SHA256.digest(of: Player.pdf(Player.charts[number % 3]))), title: "",
                    object: SHA256.digest(of: bytes), length: bytes.count, since: 1)
            })
        try await look(duo)
        #expect(duo.ben.carrier.bytesRead < 5 << 20)
        for _ in 0..<3 { try await look(duo) }
        #expect(duo.ben.carrier.bytesRead < 7 << 20)
        #expect(duo.ben.carrier.asked.count { $0.contains("o-") } == 12)
        #expect(try duo.ben.shown(of: eve) == [:])
    }

    @Test @LoopActor func aWordInAnothersNameDoesNotCountAndAnothersObjectsAreNotTaken() async throws {
        let duo = try await duo()
        defer { duo.end() }
        let object = try #require(duo.names().first { $0.hasPrefix("o-") })
        let bytes = try #require(FileTree.read(duo.path(object)))
        try say(duo, as: duo.anna.device, counter: 99)
        try await look(duo)
        try say(duo, counter: 2, [layer("l", bytes)])
        try await look(duo)
        #expect(try duo.ben.shown(of: eve) == [:], "it lies in Anna's folder, not in Eve's")
        #expect(duo.ben.carrier.asked.allSatisfy { !$0.contains("o-") || $0.contains(eve.text) })
    }

    @Test @LoopActor func whoUsesAnothersPersonIsAnotherDevice() async throws {
        let duo = try await duo()
        defer { duo.end() }
        try say(duo, person: "Anna")
        try await look(duo)
        let members = try duo.ben.members().filter { $0.head.person == "Anna" }
        #expect(Set(members.map(\.device)) == [duo.anna.device, eve])
    }

    @Test @LoopActor func linksLeadNowhere() async throws {
        let duo = try await duo()
        defer { duo.end() }
        let object = try #require(duo.names().first { $0.hasPrefix("o-") })
        let bytes = try #require(FileTree.read(duo.path(object)))
        let other = BandDevice("ffffffffffffffff")
        try FileTree.write(BandHead(device: other, counter: 1, person: "Fay", name: "").bytes, to: duo.folder.path("secret/head.json"))
        #expect(symlink(duo.folder.path("secret"), duo.folder.path("band/d/\(other)")) == 0)
        try say(duo, [layer("l", bytes)])
        #expect(symlink(duo.path(object), path(duo, object)) == 0)
        #expect(symlink(duo.folder.path("secret/head.json"), path(duo, "head (1).json")) == 0)
        try await look(duo)
        #expect(try duo.ben.shown(of: eve) == [:])
        #expect(try !duo.ben.members().contains { $0.device == other })
    }

    @Test @LoopActor func rostersThatNameEachOtherAndThousandsMoreAreAskedForOnce() async throws {
        let duo = try await duo()
        defer { duo.end() }
        let (other, silent) = (BandDevice("ffffffffffffffff"), BandDevice("gggggggggggggggg"))
        let made = (0..<990).map { BandDevice(String(SHA256.digest(of: "\($0)").hex.prefix(16))) }
        try say(duo, roster: [eve, other, silent, duo.ben.device, duo.anna.device] + made)
        try say(duo, as: other, in: other, person: "Fay", roster: [other, eve] + made)
        for _ in 0..<3 { try await look(duo) }
        let known = duo.ben.carrier.known
        #expect(known.count <= 1000 && Set(known).count == known.count)
        #expect(known.prefix(4).contains(duo.anna.device) && known.contains(silent))
    }

    @Test @LoopActor func thousandsOfFoldersDoNotHideWhoIsKnown() async throws {
        let duo = try await duo()
        defer { duo.end() }
        for number in 0..<3000 {
            let device = BandDevice(String(SHA256.digest(of: "\(number)").hex.prefix(16)))
            try FileTree.write([], to: duo.folder.path("band/\(BandPath.head(of: device))"))
        }
        duo.ben.doubt()
        try await look(duo)
        try duo.anna.edit("b", on: "1a", x: 0.2)
        _ = try await duo.anna.round()
        _ = try await duo.ben.round()
        #expect(try duo.seen == ["1a": ["a": 0.5, "b": 0.2]])
        // A newcomer is not hidden either, whatever the name.
        try say(duo, as: BandDevice("yyyyyyyyyyyyyyyy"), in: BandDevice("yyyyyyyyyyyyyyyy"), person: "Zoe")
        duo.ben.doubt()
        _ = try await duo.ben.round()
        #expect(try duo.ben.members().contains { $0.head.person == "Zoe" })
        #expect(try duo.ben.members().allSatisfy { $0.awaySince == nil })
    }

    /// Somebody who can write to the band's folder can also write to Anna's folder in it, but cannot sign as Anna, so those heads
    /// do not count.
    @Test(arguments: [true, false]) @LoopActor func whoWritesAsAnotherOneNeitherSpeaksForHerNorSilencesHer(hasLeft: Bool) async throws {
        let duo = try await duo()
        defer { duo.end() }
        let device = duo.anna.device
        var word = BandHead(device: device, counter: 1 << 53, person: "Anna", name: "", hasLeft: hasLeft)
        for bytes in [word.bytes, word.bytes(signedBy: .random())] {
            try FileTree.write(bytes, to: duo.path("head.json"))
            _ = try await duo.ben.round()
            #expect(try duo.seen == ["1a": ["a": 0.5]])
        }
        try await duo.draw("b", at: 0.2)
        #expect(duo.anna.device == device)
        #expect(try duo.seen == ["1a": ["a": 0.5, "b": 0.2]])
        #expect(try duo.anna.drawn() == ["1a": ["a": 0.5, "b": 0.2]])
        // A copy of Anna's head under another name, or with other content, does not speak for her either.
        let said = try #require(FileTree.read(duo.path("head.json")))
        word = try BandHead.read(said).head
        let other = String(decoding: said, as: UTF8.self).replacing("\"left\":false", with: "\"left\":true")
        let body = Array(other.utf8.prefix(other.utf8.count - 65))
        try FileTree.write(body + Array("\(SHA256.digest(of: body).hex)\n".utf8), to: duo.path("head (1).json"))
        #expect(throws: Trouble.self) { try BandHead.read(#require(FileTree.read(duo.path("head (1).json")))) }
        _ = try await duo.ben.round()
        #expect(try duo.seen == ["1a": ["a": 0.5, "b": 0.2]])
    }

    /// Older versions of Woodshed did not sign, so anybody may have written a device's heads before its first signed one. Whatever
    /// they say, the signed head counts.
    @Test @LoopActor func whatADeviceSignsCountsWhateverWasSaidInItsNameBefore() async throws {
        let duo = try Duo()
        defer { duo.end() }
        try HomeID.write(["abcdefghijklmnop"], to: HomeID.path(in: duo.anna.data))
        try FileTree.write(
            BandHead(device: duo.anna.device, counter: 1 << 53, person: "Anna", name: "").bytes, to: duo.path("head.json"))
        _ = try await duo.ben.round()
        #expect(try duo.ben.members().map(\.head.counter) == [1 << 53])
        try await duo.draw("a")
        #expect(try duo.seen == ["1a": ["a": 0.5]])
    }

    /// If a device's name comes from a key, only heads signed with that key are accepted, even by readers who never saw the device.
    @Test @LoopActor func newcomersBelieveNoUnsignedWordOfADeviceThatSigns() async throws {
        let duo = try Duo()
        defer { duo.end() }
        for key in [nil, SigningKey.random()] {
            let word = BandHead(device: duo.anna.device, counter: 9, person: "Anna", name: "", hasLeft: true)
            try FileTree.write(key.map { word.bytes(signedBy: $0) } ?? word.bytes, to: duo.path("head.json"))
            duo.ben.doubt()
            _ = try await duo.ben.round()
            #expect(try duo.ben.members().isEmpty)
        }
        // A head that Anna signed for another band does not count in this one.
        var word = BandHead(device: duo.anna.device, counter: 9, person: "Anna", name: "")
        word.team = BandDevice("anotherbandsname")
        let own = try #require(HomeID(in: duo.anna.data).key(of: duo.anna.device.text))
        try FileTree.write(word.bytes(signedBy: own), to: duo.path("head.json"))
        duo.ben.doubt()
        _ = try await duo.ben.round()
        #expect(try duo.ben.members().isEmpty)
    }

    @Test @LoopActor func whatIsTakenBackLeavesNoEarlierStateInThePlace() async throws {
        let duo = try Duo()
        defer { duo.end() }
        for mark in ["a", "b", "c"] { try await duo.draw(mark) }
        #expect(try duo.names().count > 2, "who has an old word may still want an earlier one")
        try duo.anna.share("1a", false)
        try await duo.look()
        #expect(try duo.names() == ["head.json"])
    }
}
