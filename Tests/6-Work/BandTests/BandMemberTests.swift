import Band
import BandLayout
import Library
import Model
import Platform
import TestSupport
import Testing

/// A member who is left out, takes another name, shares something else, or writes files that cannot be read.
@Suite(.onLoop)
struct BandMemberTests {
    private let eve = BandDevice("eeeeeeeeeeeeeeee")
    private let marks = Array(
        ##"{"version":1,"marks":[{"id":"e","page":0,"kind":"pen","color":"#000000","width":0.01,"points":[[0.1,0.1],[0.2,0.2]]}]}"##.utf8)

    /// Writes a head of Eve's, or of `device`, that shares `bytes` on `chart`, and lets Ben read the band.
    @LoopActor
    private func say(
        _ duo: Duo, as device: BandDevice? = nil, _ counter: Int, person: String = "Eve", on chart: String = "1a", _ bytes: [UInt8]
    ) async throws {
        let device = device ?? eve
        let object = SHA256.digest(of: bytes)
        let layer = BandHead.Layer(
            id: "l", name: "signs", chart: ChartHash(SHA256.digest(of: Player.pdf(chart))), title: "", object: object, length: bytes.count,
            since: counter)
        let head = BandHead(device: device, counter: counter, person: person, name: "laptop", layers: [layer])
        try FileTree.write(bytes, to: duo.folder.path("band/\(BandPath.object(object, of: device))"))
        try FileTree.write(head.bytes, to: duo.folder.path("band/\(BandPath.head(of: device))"))
        _ = try await duo.ben.round()
    }

    /// A musician who joins a large band, for example, receives the marks of many members at once. The journal gets one entry for
    /// all.
    @Test @LoopActor func manyThatComeAtOnceAreOneLineOfTheJournal() async throws {
        let duo = try Duo()
        defer { duo.end() }
        let object = SHA256.digest(of: marks)
        for letter in "abcdefghijklmnopqrstuvwxy" {
            let device = BandDevice("eeeeeeeeeeeeeee\(letter)")
            let layer = BandHead.Layer(
                id: "l", name: "signs", chart: ChartHash(SHA256.digest(of: Player.pdf("1a"))), title: "", object: object,
                length: marks.count,
                since: 1)
            let head = BandHead(device: device, counter: 1, person: "Eve \(letter)", name: "laptop", layers: [layer])
            try FileTree.write(marks, to: duo.folder.path("band/\(BandPath.object(object, of: device))"))
            try FileTree.write(head.bytes, to: duo.folder.path("band/\(BandPath.head(of: device))"))
        }
        for _ in 0..<3 { _ = try await duo.ben.round() }
        let said = try duo.ben.library.journal.entries().compactMap { entry -> (people: [String], layers: Int)? in
            if case .layersCame(let people, let layers) = entry.change { (people, layers) } else { nil }
        }
        #expect(
            said.count == 1 && said[0].layers == 25 && said[0].people == (Array("abcdefgh").map { "Eve \($0)" } + ["others"]), "\(said)")
    }

    @Test @LoopActor func whoIsLeftOutByNameStaysSoOnAnotherDevice() async throws {
        let duo = try Duo()
        defer { duo.end() }
        try await say(duo, 1, marks)
        #expect(try !duo.ben.shown(of: eve).isEmpty)
        try duo.ben.library.band.setLeftOut(true, .person("Eve"))
        let other = BandDevice("ffffffffffffffff")
        try await say(duo, as: other, 1, marks)
        #expect(try duo.ben.shown(of: eve).isEmpty && duo.ben.shown(of: other).isEmpty)
        #expect(try duo.ben.writer.word.words().allSatisfy { $0.person != "Eve" })
        try duo.ben.library.band.setLeftOut(false, .person("Eve"))
        _ = try await duo.ben.round()
        #expect(try !duo.ben.shown(of: eve).isEmpty && !duo.ben.shown(of: other).isEmpty)
    }

    @Test @LoopActor func whatIsNoMarkIsNotKeptBesideThoseThatAre() async throws {
        let duo = try Duo()
        defer { duo.end() }
        let odd = String(decoding: marks, as: UTF8.self).replacing("[{", with: #"[{"id":"odd","page":0},{"id":"x","kind":7},{"#)
        try await say(duo, 1, Array(odd.utf8))
        #expect(try duo.ben.shown(of: eve)["1a"]?.keys.sorted() == ["e"])
    }

    @Test @LoopActor func aLayerThatMovesToAnotherChartLeavesTheFirst() async throws {
        let duo = try Duo()
        defer { duo.end() }
        try await say(duo, 1, marks)
        try await say(duo, 2, on: "1b", marks)
        #expect(try duo.ben.shown(of: eve).keys.sorted() == ["1b"])
    }

    @Test @LoopActor func whatWasNeverShownAndCannotBeReadIsNobodysTrouble() async throws {
        let duo = try Duo()
        defer { duo.end() }
        try await say(duo, 1, Array("no marks at all".utf8))
        #expect(try duo.ben.library.layers.doubts().isEmpty)
    }

    @Test @LoopActor func aDoubtEndsWithTheLayerThatItIsAbout() async throws {
        let duo = try Duo()
        defer { duo.end() }
        try await say(duo, 1, marks)
        try await say(duo, 2, Array(#"{"version":1,"marks":[]}"#.utf8))
        #expect(try duo.ben.library.layers.doubts().count == 1)
        try duo.ben.library.band.setLeftOut(true, .person("Eve"))
        _ = try await duo.ben.round()
        #expect(try duo.ben.library.layers.doubts().isEmpty)
    }

    @Test @LoopActor func anotherNameNeedsNothingReadAgain() async throws {
        let duo = try Duo()
        defer { duo.end() }
        try await say(duo, 1, marks)
        duo.ben.carrier.forget()
        try await say(duo, 2, person: "Eva", marks)
        #expect(duo.ben.carrier.asked.allSatisfy { !$0.contains("o-") })
        let layers = try duo.ben.library.layers.all(of: AttachmentID("1a"))
        #expect(layers.map(\.personName) == ["Eva"])
    }

    @Test @LoopActor func whoComesToTheSameBandAgainSharesWhatWasShared() throws {
        let duo = try Duo()
        defer { duo.end() }
        let (band, team) = (duo.anna.library.band, BandDevice("bandbandbandband"))
        try band.enter(team)
        try band.shareAll(true)
        try band.enter(team)
        #expect(try band.shares().areAllShared)
        try band.setLeft(true)
        try band.enter(team)
        #expect(try !band.shares().areAllShared && !band.shares().haveEnded)
        try band.shareAll(true)
        try band.enter(BandDevice("otherotherother1"))
        #expect(try !band.shares().areAllShared, "nobody shares with a band that they never saw")
    }
}
