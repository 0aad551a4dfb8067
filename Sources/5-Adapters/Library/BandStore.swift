public import BandLayout
public import Catalogue
import JSON
public import Model

/// A device of the band, by what it last said.
public struct BandMember: Hashable, Sendable {
    /// Its last head, without the layers.
    public let head: BandHead
    /// When that was first read here.
    public let saidAt: Timestamp
    /// Since when its files have not been in their place; `nil` while they are.
    public let awaySince: Timestamp?
    /// When an older head was in its place; `nil` if none was since the last new one.
    public let wentBackAt: Timestamp?
    public let isLeftOut: Bool
    /// Whether this home was that device before.
    public let isFormer: Bool
    /// Whether it is another device of this musician.
    public let isKin: Bool
    /// Whether it left the band, itself or with another device of the same musician.
    public let hasLeft: Bool
    /// How many layers it shares, and how many of them are on charts that are here.
    public let shared: Int
    public let shown: Int

    public var device: BandDevice { head.device }
}

/// What is known of the other devices of the band, and of what this one said to them.
public final class BandStore: Store {
    let charts: ChartStore
    let journal: JournalStore
    let layers: LayerStore
    let markFiles: MarkFileStore

    init(_ catalogue: OpenCatalogue, charts: ChartStore, journal: JournalStore, layers: LayerStore, markFiles: MarkFileStore) {
        (self.charts, self.journal, self.layers, self.markFiles) = (charts, journal, layers, markFiles)
        super.init(catalogue)
    }

    // MARK: - What the others said

    /// Every device that was heard of, by person.
    public func members() throws(LibraryError) -> [BandMember] {
        try database.rows(
            """
            SELECT head, said_at, away_since, went_back_at, \(Self.isLeftOut), \(Self.isFormer), \(Self.isKin),
                band.has_left OR \(Self.hasLeftElsewhere),
                (SELECT count(*) FROM band_entries AS entry WHERE entry.device = band.device AND NOT \(Self.isTakenBack)),
                (SELECT count(*) FROM band_entries AS entry
                    WHERE entry.device = band.device AND NOT \(Self.isTakenBack) AND chart IN (SELECT hash FROM attachment_charts))
            FROM band_devices AS band ORDER BY person, device
            """
        ) { row throws(LibraryError) in
            BandMember(
                head: try head(row.text(0)), saidAt: row.moment(1), awaySince: row.time(2), wentBackAt: row.time(3),
                isLeftOut: row.integer(4) != 0, isFormer: row.integer(5) != 0, isKin: row.integer(6) != 0,
                hasLeft: row.integer(7) != 0, shared: row.integer(8), shown: row.integer(9))
        }
    }

    public func devices() throws(LibraryError) -> [BandDevice] {
        try database.rows("SELECT device FROM band_devices ORDER BY device") { BandDevice($0.text(0)) }
    }

    /// What came of a head.
    public enum Taken: Hashable, Sendable {
        case new
        case known
        /// The device had said something newer before, which counts.
        case older
        /// The device said something else under the same number: two write under its id.
        case contradicting
        /// Somebody else said it: it lacks the device's signature.
        case forged
    }

    /// Takes over what a device says, if that is its newest word, and its own.
    public func take(_ head: BandHead, sum: Digest, at now: Timestamp) throws(LibraryError) -> Taken {
        try database.write { () throws(LibraryError) in try takeWhole(head, sum: sum, at: now) }
    }

    private func takeWhole(_ head: BandHead, sum: Digest, at now: Timestamp) throws(LibraryError) -> Taken {
        guard let isFirstSigned = try noteKey(of: head) else { return .forged }
        var known = try database.row("SELECT counter, sum FROM band_devices WHERE device = ?", [.id(head.device)]) {
            (counter: $0.integer(0), sum: $0.text(1))
        }
        // Whatever was said before, anybody may have.
        if isFirstSigned { known = nil }
        if let known, known.counter >= head.counter {
            guard known.sum != sum.hex else { return .known }
            guard known.counter > head.counter else { return .contradicting }
            try database.run(
                "UPDATE band_devices SET went_back_at = ?2 WHERE device = ?1 AND went_back_at IS NULL", [.id(head.device), .time(now)])
            return .older
        }
        do {
            var rest = head
            rest.layers = []
            try database.run(
                """
                INSERT INTO band_devices (device, counter, sum, person, head, said_at, device_name, has_left)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
                ON CONFLICT (device) DO UPDATE
                SET (counter, sum, person, head, said_at, device_name, has_left, away_since, went_back_at)
                    = (?2, ?3, ?4, ?5, ?6, ?7, ?8, NULL, NULL)
                """,
                [
                    .id(head.device), .integer(head.counter), .text(sum.hex), .text(head.person),
                    .text(String(decoding: rest.bytes, as: UTF8.self)), .time(now), .text(head.name), .flag(head.hasLeft),
                ])
            try keep(kin: head.kin, of: head.device)
            try database.run("DELETE FROM band_decisions WHERE device = ?", [.id(head.device)])
            try keep(head.decisions, of: head.device)
            try database.run("DELETE FROM band_entry_charts WHERE device = ?", [.id(head.device)])
            try database.run(
                "DELETE FROM band_entries WHERE device = ?1 AND id NOT IN (SELECT value FROM json_each(?2))",
                [.id(head.device), .text(JSONText.texts(head.layers.map(\.id)).line)])
            for layer in head.layers {
                try database.run(
                    """
                    INSERT INTO band_entries VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (device, id) DO UPDATE
                    SET (name, chart, title, object, length, since) = (?3, ?4, ?5, ?6, ?7, ?8)
                    WHERE (name, chart, title, object, length, since) <> (?3, ?4, ?5, ?6, ?7, ?8)
                    """,
                    [
                        .id(head.device), .text(layer.id), .text(layer.name), .hash(layer.chart), .text(layer.title),
                        .text(layer.object.hex), .integer(layer.length), .integer(layer.since),
                    ])
                guard let chart = layer.attachment else { continue }
                try database.run("INSERT INTO band_entry_charts VALUES (?, ?, ?)", [.id(head.device), .text(layer.id), .id(chart)])
            }
        }
        return .new
    }

    /// Notes which devices are in their place. Returns the ones that are not, and were.
    public func note(present: Set<BandDevice>, at now: Timestamp) throws(LibraryError) -> [BandDevice] {
        let known = try database.rows("SELECT device, away_since IS NOT NULL FROM band_devices ORDER BY device") {
            (device: BandDevice($0.text(0)), isAway: $0.integer(1) != 0)
        }
        var gone: [BandDevice] = []
        for (device, isAway) in known where present.contains(device) == isAway {
            try database.run(
                "UPDATE band_devices SET away_since = ?2 WHERE device = ?1", [.id(device), .time(isAway ? nil : now)])
            if !isAway { gone.append(device) }
        }
        return gone
    }

    /// Leaves a person out from now on, by what they call themselves, or a device by its id; or lets them in again.
    public func setLeftOut(_ isLeftOut: Bool, _ name: String) throws(LibraryError) {
        try database.run(
            isLeftOut ? "INSERT OR IGNORE INTO band_left_out VALUES (?)" : "DELETE FROM band_left_out WHERE name = ?", [.text(name)])
    }

    /// Whether a device of `band` is left out, as a condition.
    static let isLeftOut = "EXISTS (SELECT 1 FROM band_left_out WHERE name IN (band.device, band.person))"

    /// What people call a device.
    public func name(of device: BandDevice) throws(LibraryError) -> String? {
        try database.row("SELECT device_name FROM band_devices WHERE device = ?", [.id(device)]) { $0.text(0) }
    }

    private func head(_ text: String) throws(LibraryError) -> BandHead {
        do {
            return try BandHead.read(Array(text.utf8)).head
        } catch {
            throw .damaged(path: database.path, message: "what a device of the band said \(error)")
        }
    }

    // MARK: - Which band

    /// The band that this musician came to; `nil` until its place was read.
    public func team() throws(LibraryError) -> BandDevice? { try database.row("SELECT id FROM band_team") { BandDevice($0.text(0)) } }

    public func note(team: BandDevice) throws(LibraryError) {
        try database.put("band_team", key: "one", ["one": .integer(1), "id": .id(team)])
    }

    /// Comes to a band; what is known of another one is forgotten.
    public func enter(_ team: BandDevice) throws(LibraryError) {
        try database.write { () throws(LibraryError) in
            let isOther = try self.team() != team
            let hasLeft = try shares().haveEnded
            guard isOther || hasLeft else { return }
            if isOther {
                for table in ["band_devices", "band_left_out", "band_former", "band_kin", "band_decisions"] {
                    try database.run("DELETE FROM \(table)")
                }
            }
            try setLeft(false)
            try note(team: team)
        }
    }

    // MARK: - What this device said

    /// What this device last said.
    public struct Own: Hashable, Sendable {
        public let team: BandDevice
        public let head: BandHead
        public let sum: Digest
    }

    public func own() throws(LibraryError) -> Own? {
        try database.row("SELECT team, sum, head FROM band_own") { row throws(LibraryError) in
            guard let sum = Digest(hex: row.text(1)) else { throw .damaged(path: database.path, message: "a head has no sum") }
            return Own(team: BandDevice(row.text(0)), head: try head(row.text(2)), sum: sum)
        }
    }

    /// Notes what this device is about to say: what was said and not noted would look like somebody else's word. What it names no more is
    /// dropped from now on.
    public func note(own head: BandHead, sum: Digest, to team: BandDevice, at now: Timestamp) throws(LibraryError) {
        try database.write { () throws(LibraryError) in
            let former = try own()
            let named = Set(head.layers.map(\.object))
            if let former, former.head.device == head.device, former.team == team {
                try drop(former.head.layers.map(\.object).filter { !named.contains($0) }, at: now)
            } else if former != nil {
                try database.run("DELETE FROM band_dropped")
            }
            for object in named { try database.run("DELETE FROM band_dropped WHERE object = ?", [.text(object.hex)]) }
            try database.put(
                "band_own", key: "one",
                [
                    "one": .integer(1), "team": .id(team), "device": .id(head.device), "counter": .integer(head.counter),
                    "sum": .text(sum.hex), "head": .text(String(decoding: head.bytes, as: UTF8.self)),
                ])
        }
    }

    /// Notes objects that are in the place though nothing names them: what was written for a head that never was, or came back.
    public func drop(_ objects: some Sequence<Digest>, at now: Timestamp) throws(LibraryError) {
        let known = Set(try dropped())
        for object in objects where !known.contains(object) {
            try database.run("INSERT OR IGNORE INTO band_dropped VALUES (?, ?)", [.text(object.hex), .time(now)])
        }
    }

    /// The objects that were dropped before `time`, by default all.
    public func dropped(before time: Timestamp = Timestamp(nanoseconds: .max)) throws(LibraryError) -> [Digest] {
        try database.rows("SELECT object FROM band_dropped WHERE since < ? ORDER BY object", [.time(time)]) { Digest(hex: $0.text(0)) }
            .compactMap(\.self)
    }

    public func forget(dropped object: Digest) throws(LibraryError) {
        try database.run("DELETE FROM band_dropped WHERE object = ?", [.text(object.hex)])
    }

    // MARK: - What is shared

    /// Which charts' marks the band sees: those, or all but those.
    public struct Shares: Hashable, Sendable {
        public var areAllShared = false
        /// Whether the musician took leave: the band is told so, and nothing more.
        public var haveEnded = false
        /// The charts for which somebody said something else.
        public var others: Set<AttachmentID> = []

        public func include(_ chart: AttachmentID) -> Bool { others.contains(chart) != areAllShared }
    }

    public func shares() throws(LibraryError) -> Shares {
        var shares = Shares()
        let said = try database.dictionary("SELECT attachment_id, is_shared FROM band_shares") { ($0.text(0), $0.integer(1) != 0) }
        shares.areAllShared = said[Self.all] ?? false
        shares.haveEnded = said[Self.leave] ?? false
        for (chart, isShared) in said where ![Self.all, Self.leave].contains(chart) && isShared != shares.areAllShared {
            shares.others.insert(AttachmentID(chart))
        }
        return shares
    }

    /// Shares the marks on a chart, or no longer. Who shares anything has not left.
    public func share(_ chart: AttachmentID, _ isShared: Bool) throws(LibraryError) { try decide([(chart.text, isShared)]) }

    /// Shares the marks on all charts, or on none; what was said of single ones is forgotten.
    public func shareAll(_ areShared: Bool) throws(LibraryError) { try decide([(Self.all, areShared)]) }

    /// Takes leave of the band: nothing is shared any more, and nothing of the others shown. Or comes back, and shares nothing yet.
    public func setLeft(_ hasLeft: Bool) throws(LibraryError) {
        try decide([(Self.leave, hasLeft)] + (hasLeft ? [] : [(Self.all, false)]))
    }

    /// No chart has these ids.
    static let (all, leave) = ("", " ")
    /// Whether leave was taken, as a condition.
    static let hasLeft = "EXISTS (SELECT 1 FROM band_shares WHERE attachment_id = '\(leave)')"
}
