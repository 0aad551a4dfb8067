public import BandLayout
public import Catalogue
public import Library
public import Model
public import Platform

/// The last head that this device wrote to the band, and the objects that this device put in the band's place and that the head no
/// longer names.
@LoopActor
public final class BandWordStore {
    private let library: Library
    /// The head as last read, kept because callers ask for it all the time, and it is long: it has an entry for each layer.
    private var lastOwn: Own?

    public init(in library: Library) { self.library = library }

    private var database: Database { library.database }

    /// The last head of this device.
    public struct Own: Hashable, Sendable {
        public let team: BandDevice
        public let head: BandHead
        public let sum: Digest
    }

    public func own() throws(LibraryError) -> Own? {
        lastOwn = try database.row("SELECT team, sum, head FROM band_own") { row throws(LibraryError) in
            guard let sum = Digest(hex: row.text(1)) else { throw .damaged(path: database.path, message: "a head has no sum") }
            if let lastOwn, lastOwn.sum == sum { return lastOwn }
            return Own(team: BandDevice(row.text(0)), head: try database.bandHead(row.text(2)), sum: sum)
        }
        return lastOwn
    }

    /// The last head of this device, and then the last heads of all other devices, except devices that are left out, have left, or
    /// are former ids of this home.
    public func words() throws(LibraryError) -> [BandHead] {
        let own = try own().map { [$0.head] } ?? []
        return own + (try library.band.members()).filter { !$0.isLeftOut && !$0.isFormer && !$0.hasLeft }.map(\.head)
    }

    /// Records the head that this device is about to write: a head that was written but not recorded would look like somebody else's.
    /// Objects that the new head no longer names count as dropped from now on. For a new id or another band, that list starts anew.
    public func note(_ head: BandHead, sum: Digest, to team: BandDevice, at now: Timestamp) throws(LibraryError) {
        try database.write { () throws(LibraryError) in
            let former = try own()
            let named = Set(head.objects.keys)
            if let former, former.head.device == head.device, former.team == team {
                try drop(former.head.objects.keys.filter { !named.contains($0) }, at: now)
            } else if former != nil {
                try database.run("DELETE FROM band_dropped")
            }
            try database.run("DELETE FROM band_dropped WHERE object IN (SELECT value FROM json_each(?))", [try list(named)])
            try database.put(
                "band_own", key: "one",
                [
                    "one": .integer(1), "team": .id(team), "device": .id(head.device), "counter": .integer(head.counter),
                    "sum": .text(sum.hex), "head": .text(String(decoding: head.bytes, as: UTF8.self)),
                ])
        }
    }

    /// Records objects as dropped that the recorded head does not name: their head is not written yet, was never written, or somebody
    /// brought the objects back.
    public func drop(_ objects: some Sequence<Digest>, at now: Timestamp) throws(LibraryError) {
        let others = Set(objects).subtracting(try dropped())
        guard !others.isEmpty else { return }
        try database.run("INSERT OR IGNORE INTO band_dropped SELECT value, ?2 FROM json_each(?1)", [try list(others), .time(now)])
    }

    /// A list for `json_each`, so that one statement handles all objects.
    private func list(_ objects: Set<Digest>) throws(LibraryError) -> SQLValue {
        .text(try StoredJSON.write(objects.map(\.hex), in: database))
    }

    /// The objects that were dropped before `time`; by default, all dropped objects.
    public func dropped(before time: Timestamp = Timestamp(nanoseconds: .max)) throws(LibraryError) -> [Digest] {
        try database.rows("SELECT object FROM band_dropped WHERE since < ? ORDER BY object", [.time(time)]) { Digest(hex: $0.text(0)) }
            .compactMap(\.self)
    }

    public func forget(dropped object: Digest) throws(LibraryError) {
        try database.run("DELETE FROM band_dropped WHERE object = ?", [.text(object.hex)])
    }
}
