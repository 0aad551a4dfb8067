import BandLayout
import BandStorage
import Foundation
import Model
import Platform
import TestSupport
import Testing

/// A very large band on a store that slows down clients with too many requests.
@Suite(.onLoop)
struct CrowdTests {
    /// The number of devices; a run with 1,000 devices takes some minutes. With few devices, each look reads fewer heads.
    private static let devices = Asked.number("DEVICES", everyday: 30)
    private static let mostHeads = devices > 100 ? 100 : 10

    /// The requests per second that Amazon promises for names with the same beginning.
    private static let (mostReads, mostWrites) = (5500, 3500)

    /// One device without a library: it only keeps the heads that it has read from the others.
    @LoopActor
    private final class Member {
        let device: BandDevice
        let clock = SimulatedClock()
        let carrier: StorageCarrier
        var seen: [BandDevice: [UInt8]] = [:]
        var word = 0

        init(_ number: Int, _ store: FakeStore) throws {
            let digits = String(number, radix: 36)
            device = BandDevice(String(repeating: "0", count: 16 - digits.count) + digits)
            carrier = StorageCarrier(
                try StorageAddress(store.base), transport: store, time: clock, side: SideThread(inline: true), mostHeads: mostHeads)
        }

        var head: [UInt8] { Array("\(device) \(word)\n".utf8) }

        func speak() async throws {
            word += 1
            try await carrier.put(head, as: BandPath.head(of: device))
        }

        func look(_ all: [BandDevice]) async throws {
            let listing = try await carrier.heads(known: [device] + all.filter { $0 != device })
            for file in listing.heads { seen[file.device] = try await carrier.get(file.path, limit: 1000) }
        }
    }

    @Test @LoopActor func everybodySeesEverybodyAndTheStoreHasItsPeace() async throws {
        let store = FakeStore("https://example.org/dav/band", hasFolders: true)
        store.set(BandMarker(id: BandDevice("bandbandbandband"), name: "Harmony").bytes, at: BandPath.marker)
        let members = try (0..<Self.devices).map { try Member($0, store) }
        let all = members.map(\.device)
        // The devices look at different seconds of the minute, like laptops that were started at random times.
        var (second, reads, writes, slowed, most) = (0, 0, 0, 0, 0)
        store.fault = { request, _ in
            if request.method == .get { reads += 1 } else { writes += 1 }
            most = max(most, reads)
            guard reads > Self.mostReads || writes > Self.mostWrites else { return nil }
            slowed += 1
            return .status(503, code: "SlowDown")
        }
        var generator = SeededGenerator(seed: 1)
        // After this many looks, each device has read all others. Then nobody writes anything new for the same number of looks.
        let looks = Self.devices / (Self.mostHeads - 1) + 2
        var dearest = 0
        for minute in 0..<(2 * looks) {
            for (place, member) in members.enumerated() {
                let now = minute * 60 + place * 60 / members.count
                if now != second { (second, reads, writes) = (now, 0, 0) }
                member.clock.skip(.seconds(60))
                if minute == 0 || minute < looks && Int.random(in: 0..<20, using: &generator) == 0 { try await member.speak() }
                store.forget()
                try await member.look(all)
                dearest = max(dearest, store.requests.count)
            }
        }
        for member in members {
            #expect(members.allSatisfy { member.seen[$0.device] == $0.head }, "\(member.device) has not seen everybody")
        }
        #expect(dearest <= 2 * Self.mostHeads + 2, "a look costs no more in a large band, with all heads new: \(dearest)")
        #expect(slowed == 0, "\(slowed) were told to slow down; at most \(most) reads in a second")
    }
}
