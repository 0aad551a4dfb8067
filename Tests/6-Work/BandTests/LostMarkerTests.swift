import Band
import BandLayout
import Catalogue
import Glibc
import Library
import Model
import Platform
import TestSupport
import Testing

/// A place whose marker is lost or names another band, although its members' heads name this band.
@Suite(.onLoop)
struct LostMarkerTests {
    private static let other = BandMarker(id: BandDevice("otherotherothero"), name: "Other")

    @Test(arguments: [nil, other]) @LoopActor func theBandPlaysOnWhereAllWhoPlayThereAgree(marker: BandMarker?) async throws {
        let duo = try Duo()
        defer { duo.end() }
        try await duo.draw("a")
        let path = duo.folder.path("band/team.json")
        #expect(unlink(path) == 0)
        if let marker { try FileTree.write(marker.bytes, to: path) }
        try await duo.draw("b", at: 0.2)
        #expect(try duo.seen == ["1a": ["a": 0.5, "b": 0.2]])
        let said = try #require(duo.ben.reader.complaint)
        #expect(said.contains(marker.map { "another band (\($0.name))" } ?? "has lost its team.json") && said.contains("band mend"))
        // Once the marker is right again, no member reports a trouble any more.
        try FileTree.write(BandMarker(id: BandDevice("bandbandbandband"), name: "Harmony").bytes, to: path)
        try await duo.look()
        #expect(duo.ben.reader.complaint == nil)
    }

    /// Neither an empty folder, such as the mount point of a missing disk, nor the folder of another band is the band's place.
    @Test(
        arguments: [
            "empty", "without one's own word", "with a member's word for another band", "with a word of somebody new for another band",
            "of another band, with nobody else's word", "with a word that has not arrived whole",
        ])
    @LoopActor func whereNotAllAgreeThePlaceIsAway(what: String) async throws {
        let duo = try Duo()
        defer { duo.end() }
        try await duo.draw("a")
        let team = duo.folder.path("band/team.json")
        switch what {
        case "empty": #expect(rename(duo.folder.path("band/d"), duo.folder.path("gone")) == 0)
        case "without one's own word": #expect(rename(duo.folder.path("band/d/\(duo.ben.device)"), duo.folder.path("gone")) == 0)
        case "with a word of somebody new for another band":
            let key = SigningKey.random()
            var head = BandHead(device: BandDevice(key.verifier.name), counter: 1, person: "Carl", name: "laptop")
            head.team = Self.other.id
            try FileTree.write(head.bytes(signedBy: key), to: duo.folder.path("band/\(BandPath.head(of: head.device))"))
        case "with a word that has not arrived whole":
            let key = SigningKey.random()
            let head = BandHead(device: BandDevice(key.verifier.name), counter: 1, person: "Carl", name: "laptop")
            try FileTree.write(
                Array(head.bytes(signedBy: key).dropLast(90)),
                to: duo.folder.path("band/\(BandPath.folder(of: head.device))/head.copy.json"))
        case "of another band, with nobody else's word":
            #expect(rename(duo.folder.path("band/d/\(duo.anna.device)"), duo.folder.path("gone")) == 0)
        default:
            var head = try duo.said
            head.team = Self.other.id
            head.counter += 1
            let key = try #require(HomeID(in: duo.anna.data).key(of: duo.anna.device.text))
            try FileTree.write(head.bytes(signedBy: key), to: duo.path("head.json"))
        }
        #expect(unlink(team) == 0)
        if what.hasPrefix("of another") { try FileTree.write(Self.other.bytes, to: team) }
        let outcome = try await duo.ben.reader.readBand()
        #expect(outcome.trouble?.kind == .away && duo.ben.reader.complaint == nil)
        #expect(try duo.seen == ["1a": ["a": 0.5]], "the marks stay")
    }

    /// A new catalogue does not have the band's id. The home finds the id in the head that it once signed.
    @Test @LoopActor func whoForgotWhichBandItIsInIsToldByItsOwnWord() async throws {
        let duo = try Duo()
        defer { duo.end() }
        try await duo.draw("a")
        try duo.ben.restart {
            let catalogue = try Database(path: CatalogueFile.path(in: duo.ben.data), access: .readWrite)
            try catalogue.run("DELETE FROM band_team")
            catalogue.close()
        }
        try FileTree.write(Self.other.bytes, to: duo.folder.path("band/team.json"))
        try await duo.draw("b", at: 0.2)
        #expect(try duo.seen == ["1a": ["a": 0.5, "b": 0.2]] && duo.ben.library.band.team() == BandDevice("bandbandbandband"))
    }
}
