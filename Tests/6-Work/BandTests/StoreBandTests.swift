import Band
import BandLayout
import Foundation
import Library
import Model
import Platform
import TestSupport
import Testing

/// A band whose place is a server that only keeps files: what its members see, whatever the server does.
@Suite(.onLoop)
struct StoreBandTests {
    /// Some members of a band who use one server.
    @LoopActor
    private final class Players {
        let folder = TemporaryFolder()
        let store = FakeStore("https://example.org/dav/band", hasFolders: true)
        private(set) var all: [Player] = []

        init(_ names: String...) throws {
            store.set(BandMarker(id: BandDevice("bandbandbandband"), name: "Harmony").bytes, at: BandPath.marker)
            try Player.prepare(folder.path("first"))
            for name in names { try add(name) }
        }

        @discardableResult
        func add(_ name: String) throws -> Player {
            try FileTree.copy(folder.path("first"), to: folder.path(name))
            let player = try Player(name, data: folder.path(name), place: store.base, at: store)
            all.append(player)
            return player
        }

        /// Everybody reads the band and writes, a minute apart.
        func look(_ times: Int = 1) async throws {
            for _ in 0..<times {
                for player in all {
                    player.clock.skip(.seconds(60))
                    _ = try await player.round()
                }
            }
        }

        /// Whether everybody sees all marks that others share, and no others.
        func isWhole() throws -> Bool {
            for reader in all {
                for writer in all where writer !== reader {
                    guard try reader.shown(of: writer.device) == writer.drawn() else { return false }
                }
            }
            return true
        }

        func end() { for player in all { player.close() } }
    }

    @Test @LoopActor func newcomersFindAllAndAreFoundWithoutAnyList() async throws {
        let players = try Players("Anna")
        defer { players.end() }
        try players.all[0].edit("a", on: "1a", x: 0.5)
        try players.all[0].shareAll(true)
        try await players.look()
        for (name, mark) in [("Ben", "b"), ("Carl", "c"), ("Dora", "d")] {
            let player = try players.add(name)
            try player.edit(mark, on: "1b", x: 0.25)
            try player.shareAll(true)
            try await players.look(2)
            #expect(try players.isWhole(), "\(name)")
        }
    }

    /// If two members come at the same time, one overwrites the other's note at the door. The other must write its note again, or a
    /// newcomer would not find that member.
    @Test @LoopActor func whoIsWrittenOverAtTheDoorComesAgain() async throws {
        let players = try Players("Anna", "Ben")
        defer { players.end() }
        for player in players.all {
            try player.edit("a", on: "1a", x: 0.5)
            try player.shareAll(true)
        }
        _ = try await players.all[0].round()
        let door = try BandDoor(reading: #require(players.store.files[BandPath.door]))
        #expect(door.devices == [players.all[0].device])
        players.store.set(BandDoor().adding(BandDevice("strangestrangest")).bytes, at: BandPath.door)
        try await players.look(3)
        #expect(try players.isWhole())
        players.store.set(Array("rubbish".utf8), at: BandPath.door)
        try await players.look(2)
        let again = try BandDoor(reading: #require(players.store.files[BandPath.door]))
        #expect(!again.devices.isEmpty, "a newcomer would find nobody")
    }

    @Test @LoopActor func aLookWithoutNewsCostsARequestForEachMemberAndOneMore() async throws {
        let players = try Players("p1")
        defer { players.end() }
        for number in 2...20 { try players.add("p\(number)") }
        try players.all[3].edit("a", on: "1a", x: 0.5)
        try players.all[3].shareAll(true)
        try await players.look(4)
        players.store.forget()
        players.all[0].clock.skip(.seconds(60))
        _ = try await players.all[0].round()
        #expect(players.store.requests.count == 21 && players.store.requests.allSatisfy { $0.method == .get })
        let bodies = players.store.requests.filter { request in !request.headers.contains { $0.name == "If-None-Match" } }
        #expect(bodies.isEmpty, "all are answered by 304: \(bodies.map(\.url))")
    }

    /// Every fault on every kind of request, both once and for a while.
    @Test(.needs(.manyTries), arguments: faults) @LoopActor func whateverGoesWrongBothSidesAreWholeOnceItIsOver(fault: FakeStore.Fault)
        async throws
    {
        for (number, (method, name)) in Self.routes.enumerated() {
            // The quick set tries only one length of the fault for each kind of request.
            for isShort in Asked.extent != .quick ? [true, false] : [number.isMultiple(of: 2)] {
                let players = try Players("Anna", "Ben")
                defer { players.end() }
                for player in players.all { try player.shareAll(true) }
                try players.all[0].edit("a", on: "1a", x: 0.5)
                try await players.look(2)
                var left = isShort ? 1 : 1000
                players.store.fault = { request, path in
                    guard request.method == method, path.hasSuffix(name) || name == "o-" && path.contains("/o-"), left > 0 else {
                        return nil
                    }
                    left -= 1
                    return fault
                }
                try players.all[0].edit("b", on: "1a", x: 0.25)
                try players.all[0].edit("a", on: "1a", x: nil)
                try players.all[1].edit("c", on: "1b", x: 0.75)
                try await players.look(4)
                for player in players.all {
                    for other in players.all where other !== player {
                        let shown = try player.shown(of: other.device)
                        let marks = Set(shown.values.flatMap(\.keys))
                        #expect(marks.isSubset(of: ["a", "b", "c"]), "\(method) \(name): nothing half believed")
                    }
                }
                players.store.fault = nil
                // Skip a day, because the server may have requested that a device waits.
                for player in players.all { player.clock.skip(.seconds(86_400)) }
                try await players.look(4)
                #expect(try players.isWhole(), "\(method) \(name) \(isShort ? "once" : "for a while")")
                for player in players.all { #expect(try player.members().count == 1, "nobody became another device") }
            }
        }
    }

    private static let routes: [(HTTPRequest.Method, String)] = [
        (.get, BandPath.marker), (.get, BandPath.door), (.get, "head.json"), (.get, "o-"), (.put, "head.json"), (.put, "o-"),
        (.put, BandPath.door), (.makeFolder, ""),
    ]
    private static let faults: [FakeStore.Fault] = [
        .status(400), .status(401), .status(403), .status(404), .status(409), .status(412), .status(423), .status(429, retryAfter: 3000),
        .status(500), .status(501), .status(503), .status(507), .status(302), .torn, .losesAnswer, .offline, .page, .breaksOff, .leadsAway,
        .wrongCertificate, .stale, .garbage,
    ]

    @Test @LoopActor func whatAStoreLostItsOwnersWriteAgain() async throws {
        let players = try Players("Anna", "Ben")
        defer { players.end() }
        for player in players.all { try player.shareAll(true) }
        try players.all[0].edit("a", on: "1a", x: 0.5)
        try players.all[1].edit("b", on: "1a", x: 0.25)
        try await players.look(2)
        let yesterday = players.store.files
        try players.all[0].edit("c", on: "1b", x: 0.5)
        try players.all[1].edit("d", on: "1c", x: 0.25)
        try await players.look(2)
        #expect(try players.isWhole())
        players.store.restore([:])
        try await players.look(3)
        #expect(try players.isWhole() && players.store.files.isEmpty, "away, and never empty")
        players.store.restore(yesterday)
        try await players.look(3)
        #expect(try players.isWhole())
        for player in players.all { #expect(try player.members().count == 1) }
        // A newcomer finds everything in the place.
        try players.add("Carl").shareAll(true)
        try await players.look(3)
        #expect(try players.isWhole())
    }

    @Test @LoopActor func anObjectThatIsLostIsPutBackWithinSomeHours() async throws {
        let players = try Players("Anna", "Ben")
        defer { players.end() }
        for player in players.all { try player.shareAll(true) }
        try players.all[0].edit("a", on: "1a", x: 0.5)
        try await players.look(2)
        let path = try #require(players.store.files.keys.first { $0.contains("/o-") })
        players.store.set(nil, at: path)
        for _ in 0..<3 {
            players.all[0].clock.skip(.seconds(3600))
            _ = try await players.all[0].round()
        }
        #expect(players.store.files[path] != nil)
    }

    @Test @LoopActor func whatIsPlayedNextComesFirst() async throws {
        let players = try Players("Anna", "Ben")
        defer { players.end() }
        let (anna, ben) = (players.all[0], players.all[1])
        for (chart, mark) in [("1a", "a"), ("1b", "b"), ("1c", "c")] { try anna.edit(mark, on: chart, x: 0.5) }
        try anna.shareAll(true)
        _ = try await anna.round()
        for (chart, day) in [("1c", 2), ("1b", 4)] {
            let plan = Samples.contents("\(day)", day: day, attachments: [Samples.attachment(chart)])
            try ben.library.plans.update([plan], at: Samples.monday)
        }
        ben.clock.wallTimeAtStart = .nanoseconds(Samples.monday.nanoseconds)
        _ = try await ben.round()
        let objects = ben.carrier.asked.filter { $0.contains("/o-") }
        let charts = try anna.writer.word.own()?.head.layers.reduce(into: [:]) {
            $0[BandPath.object($1.object, of: anna.device)] = $1.chart
        }
        let order = objects.compactMap { charts?[$0] }
        #expect(order == ["1c", "1b", "1a"].map { Samples.hash(Player.pdf($0)) })
    }

    @Test @LoopActor func whoMayOnlyReadSeesAll() async throws {
        let players = try Players("Anna", "Ben")
        defer { players.end() }
        try players.all[0].edit("a", on: "1a", x: 0.5)
        try players.all[0].shareAll(true)
        _ = try await players.all[0].round()
        players.store.fault = { request, _ in request.method == .get ? nil : .status(403) }
        _ = try await players.all[1].round()
        #expect(try players.all[1].shown(of: players.all[0].device) == ["1a": ["a": 0.5]])
    }

    @Test @LoopActor func whoLeftStillLeadsToTheOthers() async throws {
        let players = try Players("Anna", "Ben")
        defer { players.end() }
        for player in players.all { try player.shareAll(true) }
        try players.all[1].edit("b", on: "1a", x: 0.5)
        try await players.look(2)
        try players.all[0].setLeft(true)
        try await players.look(2)
        players.store.set(BandDoor(devices: [players.all[0].device]).bytes, at: BandPath.door)
        let carl = try players.add("Carl")
        try await players.look(1)
        #expect(try carl.shown(of: players.all[1].device) == ["1a": ["b": 0.5]])
    }
}
