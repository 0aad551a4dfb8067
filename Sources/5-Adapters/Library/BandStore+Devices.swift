public import BandLayout
public import Catalogue
public import Model

/// The identity of the band's devices: their keys, this home's former ids, and which devices name each other as the same musician's.
extension BandStore {
    /// Stores the key of a device that signs its heads. Returns whether this head is the first with that key, or `nil` if the head
    /// is not the device's own. If the device's id was derived from a key, every head must be signed with that key. Heads of any
    /// other device may be unsigned until one is signed; from then on, all need that signer.
    func noteKey(of head: BandHead) throws(LibraryError) -> Bool? {
        let known = try database.row("SELECT key FROM band_keys WHERE device = ?", [.id(head.device)]) { $0.text(0) }
        if head.device.text.hasPrefix(SigningKey.nameBeginning), head.signer?.name != head.device.text { return nil }
        guard let signer = head.signer else { return known == nil ? false : nil }
        if known == signer.hex { return false }
        guard known == nil || signer.name == head.device.text else { return nil }
        try database.put("band_keys", key: "device", ["device": .id(head.device), "key": .text(signer.hex)])
        return true
    }

    // MARK: - Former devices

    /// SQL condition: the id of a device of `band` is a former id of this home, and the device is not another device of this musician.
    static let isFormer = "(band.device IN (SELECT device FROM band_former) AND NOT \(isKin))"
    /// SQL condition: a device of `band` is neither left out, nor former, nor another device of this musician; its marks may be shown.
    static let isShown = "NOT \(isLeftOut) AND NOT \(isFormer) AND NOT \(isKin)"

    /// Stores this home's former ids as former devices.
    public func note(former: [BandDevice]) throws(LibraryError) {
        let known = Set(try database.rows("SELECT device FROM band_former") { BandDevice($0.text(0)) })
        for device in former where !known.contains(device) { try database.run("INSERT INTO band_former VALUES (?, 0)", [.id(device)]) }
    }

    /// Marks the files of all former devices for removal, even if they were removed before: a sync program may have brought them
    /// back. If `named` is given, marks only that device's files, which are then removed in any case (`cleared` is 3). The devices
    /// `others` are exempt, because other homes now use their ids.
    public func clearFormer(_ named: BandDevice? = nil, but others: [BandDevice] = []) throws(LibraryError) {
        let all = "UPDATE band_former SET cleared = iif(?1 IS NULL, 1, 3) WHERE device = coalesce(?1, device) AND cleared <> 3"
        try database.run(all, [.optional(named?.text)])
        for other in others { try note(former: other, isCleared: false) }
    }

    /// The former devices still to be cleared, and whether each was named to `clearFormer`. A former device that is now another
    /// device of this musician is not cleared.
    public func toBeCleared() throws(LibraryError) -> [(device: BandDevice, isNamed: Bool)] {
        try database.rows(
            "SELECT device, cleared = 3 FROM band_former AS band WHERE cleared IN (1, 3) AND NOT \(Self.isKin) ORDER BY device"
        ) { (BandDevice($0.text(0)), $0.integer(1) != 0) }
    }

    /// Notes that a former device was cleared, or must stay untouched because its id is now another laptop's.
    public func note(former device: BandDevice, isCleared: Bool) throws(LibraryError) {
        try database.run("UPDATE band_former SET cleared = ? WHERE device = ?", [.integer(isCleared ? 2 : 0), .id(device)])
    }

    /// The objects that a device's last head lists.
    public func objects(of device: BandDevice) throws(LibraryError) -> Set<Digest> {
        let layers = try database.rows("SELECT object FROM band_entries WHERE device = ?", [.id(device)]) { Digest(hex: $0.text(0)) }
        let head = try database.row("SELECT head FROM band_devices WHERE device = ?", [.id(device)]) { row throws(LibraryError) in
            try database.bandHead(row.text(0))
        }
        return Set(layers.compactMap(\.self)).union(head?.objects.keys.map { $0 } ?? [])
    }

    /// The former devices of this home that still share marks on `chart`, or on any chart if it is `nil`.
    public func formerDevices(sharing chart: AttachmentID?) throws(LibraryError) -> [BandDevice] {
        let charts = try chart.map { chart throws(LibraryError) in try hashes(of: chart) }
        let shared = try database.rows(
            "SELECT device, chart FROM band_entries AS band WHERE \(Self.isFormer) ORDER BY device"
        ) { (BandDevice($0.text(0)), Digest(hex: $0.text(1)).map(ChartHash.init)) }
        var found: [BandDevice] = []
        for (device, hash) in shared where hash.map({ charts?.contains($0) ?? true }) ?? false && found.last != device {
            found.append(device)
        }
        return found
    }

    /// The devices that share marks on `chart`, or on any chart if it is `nil`, and that this device names as the same musician's
    /// without being named by them.
    public func namedDevices(sharing chart: AttachmentID?) throws(LibraryError) -> [BandDevice] {
        let charts = try chart.map { chart throws(LibraryError) in try hashes(of: chart) }
        let shared = try database.rows(
            """
            SELECT band.device, band.chart FROM band_entries AS band
                JOIN band_kin AS own ON own.device = '\(Self.own)' JOIN band_kin AS kin ON (kin.device, kin.other) = (own.other, band.device)
            WHERE NOT \(Self.isKin) AND NOT \(Self.isFormer) ORDER BY band.device
            """
        ) { (BandDevice($0.text(0)), Digest(hex: $0.text(1)).map(ChartHash.init)) }
        var found: [BandDevice] = []
        for (device, hash) in shared where hash.map({ charts?.contains($0) ?? true }) ?? false && found.last != device {
            found.append(device)
        }
        return found
    }

    /// The hashes of charts under which marks on `chart` may be shared.
    public func hashes(of chart: AttachmentID) throws(LibraryError) -> Set<ChartHash> {
        Set(
            try database.rows(
                """
                SELECT hash FROM attachment_charts WHERE attachment_id = ?1
                UNION SELECT layout FROM attachment_charts JOIN song_charts USING (hash) WHERE attachment_id = ?1
                """, [.id(chart)]
            ) { Digest(hex: $0.text(0)) }.compactMap { $0.map(ChartHash.init) })
    }

    // MARK: - One musician's devices

    /// The pairs of devices that name each other as the same musician's.
    static let pairs = """
        SELECT kin.device, kin.other FROM band_kin AS kin JOIN band_kin AS back ON (back.device, back.other) = (kin.other, kin.device)
        """
    /// SQL condition: the musician of a device of `band` has other devices. Most have none, and then the check costs nothing.
    static let hasOthers = "band.device IN (SELECT pair.device FROM (\(pairs)) AS pair)"
    /// SQL condition: a device of `band` is another device of this musician.
    static let isKin = """
        band.device IN (
            SELECT pair.other FROM (\(pairs)) AS pair JOIN band_kin AS own ON (own.device, own.other) = ('\(own)', pair.device))
        """

    /// Stand-ins for device ids in the tables, which no real device has: `own` for this device, and `named` for the list of devices
    /// that the user named as this musician's.
    static let (own, named) = ("self", "named")

    /// Names a device as one of this musician's, or stops doing so.
    public func setKin(_ device: BandDevice, _ isKin: Bool) throws(LibraryError) {
        let values: [SQLValue] = [.text(Self.named), .id(device)]
        try database.run(
            isKin ? "INSERT OR IGNORE INTO band_kin VALUES (?, ?)" : "DELETE FROM band_kin WHERE (device, other) = (?, ?)", values)
    }

    /// Notes that this home is `device`, and that it names other devices as the same musician's: first those that the user named,
    /// then those of `others` that name this device, then the rest of `others`; at most `BandHead.mostKin` in all. The devices
    /// `others` have files in this home's folder of marks.
    public func note(own device: BandDevice, beside others: Set<BandDevice>) throws(LibraryError) {
        let named = Set(try database.rows("SELECT other FROM band_kin WHERE device = '\(Self.named)'") { BandDevice($0.text(0)) })
        let naming = Set(try database.rows("SELECT device FROM band_kin WHERE other = ?", [.id(device)]) { BandDevice($0.text(0)) })
        // A folder of marks may contain parts of many homes that no longer exist, so devices that are certainly in use come first.
        let order = [named, others.intersection(naming), others].flatMap { $0.sorted() }
        var seen: Set<BandDevice> = [device]
        let wanted = order.filter { seen.insert($0).inserted }.prefix(BandHead.mostKin)
        try database.write { () throws(LibraryError) in
            try keep(kin: Array(wanted), of: device)
            if try keep(kin: [device], of: BandDevice(Self.own)) { try keep(try ownDecisions(), of: device) }
        }
    }

    /// Replaces the list of devices that `device` names. Returns whether the list has changed.
    @discardableResult
    func keep(kin: [BandDevice], of device: BandDevice) throws(LibraryError) -> Bool {
        let known = try database.rows("SELECT other FROM band_kin WHERE device = ? ORDER BY other", [.id(device)]) {
            BandDevice($0.text(0))
        }
        guard known != Set(kin).sorted() else { return false }
        try database.run("DELETE FROM band_kin WHERE device = ?", [.id(device)])
        for other in Set(kin) { try database.run("INSERT INTO band_kin VALUES (?, ?)", [.id(device), .id(other)]) }
        return true
    }

    /// Returns whether this musician has other devices in the band.
    public func hasKin() throws(LibraryError) -> Bool { try database.has("SELECT 1 FROM band_devices AS band WHERE \(Self.isKin)") }

    /// The devices that `device` names as the same musician's.
    public func kin(of device: BandDevice) throws(LibraryError) -> [BandDevice] {
        try database.rows("SELECT other FROM band_kin WHERE device = ? ORDER BY other", [.id(device)]) { BandDevice($0.text(0)) }
    }

    // MARK: - The device that is played from

    /// Notes that a plan is opened on this device. Nothing is written within an hour of the stored time: every use tolerates that error.
    public func noteOpened(_ plan: PlanID, at now: Timestamp) throws(LibraryError) {
        if let last = try openedPlans()[plan], (.zero..<Self.opening).contains(now - last) { return }
        try database.put("opened_plans", key: "plan_id", ["plan_id": .id(plan), "at": .time(now)])
    }

    public func openedPlans() throws(LibraryError) -> [PlanID: Timestamp] {
        try database.dictionary("SELECT plan_id, at FROM opened_plans") { (PlanID($0.text(0)), $0.moment(1)) }
    }

    private static let opening: Duration = .seconds(3600)
}
