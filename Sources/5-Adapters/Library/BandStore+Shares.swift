public import BandLayout
public import Catalogue
public import Model

/// The charts whose marks are shared, as last decided on any of the musician's devices.
extension BandStore {
    /// The charts whose marks are shared with the band: either only `others`, or all except `others`.
    public struct Shares: Hashable, Sendable {
        public var areAllShared = false
        /// Whether the musician left the band. The band then receives nothing else about the musician.
        public var haveEnded = false
        /// The charts for which the general rule is reversed.
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

    /// Starts or stops sharing the marks on a chart. Sharing anything brings a musician who has left back into the band.
    public func share(_ chart: AttachmentID, _ isShared: Bool) throws(LibraryError) { try decide([(chart.text, isShared)]) }

    /// Starts or stops sharing the marks on all charts; exceptions are dropped.
    public func shareAll(_ areShared: Bool) throws(LibraryError) { try decide([(Self.all, areShared)]) }

    /// Leaves the band, with all of the musician's devices or, if `isAlone`, only with this one; or comes back, if `hasLeft` is
    /// false. After leaving, nothing is shared any more, and nobody's marks are shown. After coming back, nothing is shared at
    /// first, unless only this device had left.
    public func setLeft(_ hasLeft: Bool, alone isAlone: Bool = false) throws(LibraryError) {
        if hasLeft, isAlone {
            try decideAlone()
        } else if hasLeft {
            try decide([(Self.leave, true)])
        } else {
            let wasAlone = try endAlone()
            let haveEnded = try shares().haveEnded
            if !wasAlone || haveEnded { try decide([(Self.leave, false), (Self.all, false)]) }
        }
    }

    /// Stand-ins for charts' ids; no real chart has them. `leaveAlone` is never sent, so the musician's other devices stay in the band.
    static let (all, leave, leaveAlone) = ("", " ", "  ")
    /// SQL condition: this device left the band, with the musician's other devices or alone.
    static let hasLeft = "EXISTS (SELECT 1 FROM band_shares WHERE attachment_id = '\(leave)')"

    // MARK: - Decisions on any of a musician's devices

    /// The decisions about sharing marks that were made on `device`.
    public func decisions(of device: BandDevice) throws(LibraryError) -> [BandHead.Decision] {
        try database.rows(
            "SELECT attachment_id, is_shared, at FROM band_decisions WHERE device = ? ORDER BY attachment_id", [.id(device)]
        ) { BandHead.Decision(chart: $0.text(0), isShared: $0.integer(1) != 0, at: $0.integer(2)) }
    }

    /// Notes that this device alone leaves the band, whatever was decided on this musician's other devices.
    func decideAlone() throws(LibraryError) {
        try database.write { () throws(LibraryError) in
            try noteUndated()
            try keepOwn(BandHead.Decision(chart: Self.leaveAlone, isShared: true, at: 0))
            try settleShares()
        }
    }

    /// Ends a leave of this device alone, so that the decisions of all devices apply to it again. Returns whether there was such a leave.
    func endAlone() throws(LibraryError) -> Bool {
        guard try hasLeftAlone() else { return false }
        try database.write { () throws(LibraryError) in
            try database.run("DELETE FROM band_decisions WHERE attachment_id = '\(Self.leaveAlone)'")
            try settleShares()
        }
        return true
    }

    /// Returns whether this device left the band alone.
    public func hasLeftAlone() throws(LibraryError) -> Bool {
        try database.has("SELECT 1 FROM band_decisions WHERE (device, attachment_id) = ('\(Self.own)', '\(Self.leaveAlone)')")
    }

    /// Stores decisions made here. Their numbers are higher than those of all known decisions of this musician's devices, up to
    /// the limit `BandHead.greatestCounter`.
    func decide(_ said: [(chart: String, isShared: Bool)]) throws(LibraryError) {
        try database.write { () throws(LibraryError) in
            try noteUndated()
            // A decision to stop sharing does not bring the device back into the band.
            if said.contains(where: { !BandHead.Decision(chart: $0.chart, isShared: $0.isShared, at: 1).isOff }) { _ = try endAlone() }
            for (chart, isShared) in said {
                let last = try database.row(
                    """
                    SELECT max(at) FROM band_decisions AS said
                    WHERE device = '\(Self.own)' OR device IN (SELECT device FROM band_devices AS band WHERE \(Self.isKin))
                    """
                ) { $0.integer(0) }
                let at = min(last ?? 0, BandHead.greatestCounter - 1) + 1
                try keepOwn(BandHead.Decision(chart: chart, isShared: isShared, at: at))
            }
            try settleShares()
        }
    }

    /// Turns what an older program stored into decisions, unless there are some already. They count as the earliest, with the
    /// number 0, and apply to this device alone.
    private func noteUndated() throws(LibraryError) {
        guard try !database.has("SELECT 1 FROM band_decisions WHERE device = '\(Self.own)'") else { return }
        try database.run(
            "INSERT INTO band_decisions SELECT '\(Self.own)', attachment_id, is_shared, 0 FROM band_shares")
    }

    /// Computes from the decisions what is shared now. A decision on all charts replaces earlier ones on single charts, and
    /// leaving the band replaces all earlier ones. If this device left alone, no other decision counts.
    private func settleShares() throws(LibraryError) {
        let said = try decisions(of: BandDevice(Self.own))
        func rank(_ said: BandHead.Decision) -> Int { 2 * said.at + (said.isOff ? 1 : 0) }
        let left = said.first(where: \.isLeave).map(rank) ?? -1
        let all = said.first { $0.chart == Self.all }
        let since = max(left, all.map(rank) ?? -1)
        var shares = said.filter { ![Self.all, Self.leave].contains($0.chart) && rank($0) > since }
        if let all, rank(all) > left { shares.append(all) }
        if shares.isEmpty && left >= 0 || said.contains(where: { $0.chart == Self.leaveAlone }) {
            shares = [BandHead.Decision(chart: Self.leave, isShared: true, at: 0)]
        }
        try database.run("DELETE FROM band_shares")
        for each in shares { try database.run("INSERT INTO band_shares VALUES (?, ?)", [.text(each.chart), .flag(each.isShared)]) }
    }

    private func keepOwn(_ decision: BandHead.Decision) throws(LibraryError) {
        for device in [BandDevice(Self.own)] + (try kin(of: BandDevice(Self.own))) { try keep([decision], of: device) }
    }

    /// This musician's decisions that the band receives, made here or adopted from the musician's other devices: all except undated
    /// ones and a leave of this device alone.
    public func ownDecisions() throws(LibraryError) -> [BandHead.Decision] { try decisions(of: BandDevice(Self.own)).filter { $0.at > 0 } }

    func keep(_ decisions: [BandHead.Decision], of device: BandDevice) throws(LibraryError) {
        for said in decisions {
            try database.run(
                """
                INSERT INTO band_decisions VALUES (?1, ?2, ?3, ?4)
                ON CONFLICT (device, attachment_id) DO UPDATE SET (is_shared, at) = (?3, ?4)
                WHERE at < ?4 OR at = ?4 AND is_shared <> ?3
                """, [.id(device), .text(said.chart), .flag(said.isShared), .integer(said.at)])
        }
    }

    /// Adopts later decisions made on this musician's other devices. Returns whether there were any.
    public func followKin() throws(LibraryError) -> Bool {
        let later = try database.rows(
            """
            SELECT attachment_id, is_shared, at FROM band_decisions AS said
            WHERE device IN (SELECT device FROM band_devices AS band WHERE \(Self.isKin))
                AND 2 * at + \(Self.isOff) > coalesce((SELECT 2 * at + \(Self.isOff) FROM band_decisions AS own
                    WHERE (own.device, own.attachment_id) = ('\(Self.own)', said.attachment_id)), 0)
            ORDER BY 2 * at + \(Self.isOff)
            """
        ) { BandHead.Decision(chart: $0.text(0), isShared: $0.integer(1) != 0, at: $0.integer(2)) }
        guard !later.isEmpty else { return false }
        try database.write { () throws(LibraryError) in
            try noteUndated()
            for said in later { try keepOwn(said) }
            try settleShares()
        }
        return true
    }

    /// The objects of this musician's other devices that must no longer be shared, because of a later decision made here or on a
    /// third device.
    public func unsharedByKin() throws(LibraryError) -> [(device: BandDevice, object: Digest)] {
        try database.rows(
            """
            SELECT entry.device, object FROM band_entries AS entry JOIN band_devices AS band USING (device)
            WHERE \(Self.isKin) AND \(Self.isTakenBack) AND NOT EXISTS (
                SELECT 1 FROM band_entries AS other
                WHERE (other.device, other.object) = (entry.device, entry.object) AND other.id <> entry.id)
            ORDER BY entry.device, object
            """
        ) { (BandDevice($0.text(0)), Digest(hex: $0.text(1))) }.compactMap { device, object in object.map { (device, $0) } }
    }

    /// SQL condition: the last decision on any of the musician's devices was to stop sharing `entry`. Of two decisions made
    /// independently of each other, the decision to stop wins.
    static let isTakenBack = """
        (entry.device IN (SELECT each.device FROM (\(pairs)) AS each) AND EXISTS (
            SELECT 1 FROM band_entry_charts AS made JOIN (\(pairs)) AS pair USING (device)
            WHERE (made.device, made.id) = (entry.device, entry.id) AND 1 = (
                SELECT \(isOff) FROM band_decisions
                WHERE (device = entry.device OR device IN (SELECT each.other FROM (\(pairs)) AS each WHERE each.device = entry.device))
                    AND attachment_id IN (made.attachment_id, '\(all)', '\(leave)')
                ORDER BY 2 * at + \(isOff) DESC LIMIT 1)))
        """
    static let isOff = "((attachment_id = '\(leave)') = is_shared)"

    /// SQL condition: the musician of a device of `band` left the band on another device.
    static let hasLeftElsewhere = """
        1 = coalesce((
            SELECT is_shared FROM band_decisions
            WHERE attachment_id = '\(leave)' AND device IN (SELECT each.other FROM (\(pairs)) AS each WHERE each.device = band.device)
                AND at > coalesce((SELECT max(at) FROM band_decisions AS own WHERE own.device = band.device), 0)
            ORDER BY at DESC LIMIT 1), 0)
        """
}
