public import BandLayout
public import Catalogue
import JSON
public import Model

/// A device of the band, as its last head describes it.
public struct BandMember: Hashable, Sendable {
    /// The device's last head, without the layers.
    public let head: BandHead
    /// When that head was first read here.
    public let firstReadAt: Timestamp
    /// Since when the device's files have been missing from the band's place; `nil` while they are present.
    public let awaySince: Timestamp?
    /// When an older head was first found in the band's place after the last new one; `nil` if none was found.
    public let wentBackAt: Timestamp?
    public let isLeftOut: Bool
    /// Whether the device is a former device of this home.
    public let isFormer: Bool
    /// Whether the device is another device of this musician.
    public let isKin: Bool
    /// Whether the device left the band, or the device's musician left on another device.
    public let hasLeft: Bool
    /// How many layers the device shares, and how many of them are shown here.
    public let shared: Int
    public let shown: Int

    public var device: BandDevice { head.device }
}

/// What this device knows of the band: the other devices and their layers.
public final class BandStore: Store {
    let charts: ChartStore
    let journal: JournalStore
    let layers: LayerStore
    let parts: PartStore
    let markFiles: MarkFileStore

    init(
        _ catalogue: OpenCatalogue, charts: ChartStore, journal: JournalStore, layers: LayerStore, parts: PartStore,
        markFiles: MarkFileStore
    ) {
        (self.charts, self.journal, self.layers, self.parts, self.markFiles) = (charts, journal, layers, parts, markFiles)
        super.init(catalogue)
    }

    // MARK: - The others' heads

    /// Every known device, ordered by person.
    public func members() throws(LibraryError) -> [BandMember] {
        try database.rows(
            """
            SELECT head, said_at, away_since, went_back_at, \(Self.isLeftOut), \(Self.isFormer), \(Self.isKin),
                band.has_left OR \(Self.hasLeftElsewhere),
                (SELECT count(*) FROM band_entries AS entry WHERE entry.device = band.device AND NOT \(Self.isTakenBack)),
                (SELECT count(*) FROM band_entries AS entry
                    WHERE entry.device = band.device AND NOT \(Self.isTakenBack)
                        AND EXISTS (SELECT 1 FROM band_layers AS layer WHERE layer.id = entry.id AND layer.chart = entry.chart
                            AND (layer.device = entry.device OR instr(layer.object, entry.object))))
            FROM band_devices AS band ORDER BY person, device
            """
        ) { row throws(LibraryError) in
            BandMember(
                head: try database.bandHead(row.text(0)), firstReadAt: row.moment(1), awaySince: row.time(2), wentBackAt: row.time(3),
                isLeftOut: row.integer(4) != 0, isFormer: row.integer(5) != 0, isKin: row.integer(6) != 0,
                hasLeft: row.integer(7) != 0, shared: row.integer(8), shown: row.integer(9))
        }
    }

    public func devices() throws(LibraryError) -> [BandDevice] {
        try database.rows("SELECT device FROM band_devices ORDER BY device") { BandDevice($0.text(0)) }
    }

    /// The outcome of reading a head.
    public enum Taken: Hashable, Sendable {
        case new
        case known
        /// Older than the known head, which stays valid.
        case older
        /// Different from the known head with the same number: two homes write under one id.
        case contradicting
        /// Written by somebody else: the head lacks the device's signature.
        case forged
    }

    /// Stores a device's head, if the head is the device's own and newer than the known one.
    public func adopt(_ head: BandHead, sum: Digest, at now: Timestamp) throws(LibraryError) -> Taken {
        try database.write { () throws(LibraryError) in try takeWhole(head, sum: sum, at: now) }
    }

    private func takeWhole(_ head: BandHead, sum: Digest, at now: Timestamp) throws(LibraryError) -> Taken {
        guard let isFirstSigned = try noteKey(of: head) else { return .forged }
        var known = try database.row("SELECT counter, sum FROM band_devices WHERE device = ?", [.id(head.device)]) {
            (counter: $0.integer(0), sum: $0.text(1))
        }
        // The unsigned heads before the first signed one may be anybody's, so they do not count.
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

    /// Notes which devices have files in the band's place. Returns the devices that have just gone missing.
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

    /// The people or devices whose marks are not shown.
    public enum LeftOut: Hashable, Sendable {
        /// All devices of everybody with this name.
        case person(String)
        /// The musician who owns this device, with all the musician's devices.
        case musician(BandDevice)
        /// This device alone.
        case device(BandDevice)

        fileprivate var name: String {
            switch self {
            case .person(let name): name
            case .musician(let device): device.text
            case .device(let device): "\(BandStore.alone)\(device)"
            }
        }
    }

    /// Starts or stops leaving out the marks of `who`.
    public func setLeftOut(_ isLeftOut: Bool, _ who: LeftOut) throws(LibraryError) {
        try database.run(
            isLeftOut ? "INSERT OR IGNORE INTO band_left_out VALUES (?)" : "DELETE FROM band_left_out WHERE name = ?", [.text(who.name)])
    }

    /// SQL condition: a device of `band` is left out.
    static let isLeftOut = """
        band.device IN (
            SELECT each.device FROM band_left_out JOIN band_devices AS each ON name IN (each.device, each.person, '\(alone)' || each.device)
            UNION SELECT pair.other FROM band_left_out JOIN band_devices AS each ON name IN (each.device, each.person)
                JOIN (\(pairs)) AS pair ON pair.device = each.device)
        """
    /// The prefix of a device's id when only that device is left out, not its musician's other devices.
    fileprivate nonisolated static let alone = "="

    /// The name that the owner gave to a device.
    public func name(of device: BandDevice) throws(LibraryError) -> String? {
        try database.row("SELECT device_name FROM band_devices WHERE device = ?", [.id(device)]) { $0.text(0) }
    }

    // MARK: - Which band

    /// The band that this musician joined; `nil` until the band's place was read.
    public func team() throws(LibraryError) -> BandDevice? { try database.row("SELECT id FROM band_team") { BandDevice($0.text(0)) } }

    public func note(team: BandDevice) throws(LibraryError) {
        try database.put("band_team", key: "one", ["one": .integer(1), "id": .id(team)])
    }

    /// Joins a band, and deletes what was stored about another band's devices. Does nothing if the musician is in this band already.
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
}

extension Database {
    /// Parses a head from the text stored in the catalogue.
    package func bandHead(_ text: String) throws(LibraryError) -> BandHead {
        do {
            return try BandHead.read(Array(text.utf8)).head
        } catch {
            throw .damaged(path: path, message: "what a device of the band said \(error)")
        }
    }
}
