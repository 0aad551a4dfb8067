public import BandLayout
public import Catalogue
public import Model
public import Sets

/// The sets that this musician shares, and those that others share.
extension BandStore {
    // MARK: - Of one's own

    /// Shares a set from now on, with or without its charts' files.
    public func share(set plan: PlanID, withCharts: Bool) throws(LibraryError) {
        try database.put("band_set_shares", key: "plan_id", ["plan_id": .id(plan), "with_charts": .flag(withCharts)])
    }

    /// Ends the sharing of a set. Returns whether it was shared.
    @discardableResult
    public func endSharing(set plan: PlanID) throws(LibraryError) -> Bool {
        try database.run("DELETE FROM band_set_shares WHERE plan_id = ?", [.id(plan)]) > 0
    }

    /// The sets that are shared, and whether with their charts' files.
    public func sharedSets() throws(LibraryError) -> [PlanID: Bool] {
        try database.dictionary("SELECT plan_id, with_charts FROM band_set_shares") { (PlanID($0.text(0)), $0.integer(1) != 0) }
    }

    /// How many bytes of charts all others in the band share.
    public func chartBytesOfOthers() throws(LibraryError) -> Int {
        try members().filter { !$0.hasLeft && !$0.isFormer }.reduce(0) { $0 + $1.head.chartBytes }
    }

    // MARK: - Of others

    /// A set that somebody in the band shares.
    public struct OthersSet: Hashable, Sendable {
        public let device: BandDevice
        public let person: String
        public let plan: PlanID
        public let set: SharedSet
        /// The charts' files that are shared with the set, with their lengths.
        public let files: [Digest: Int]
    }

    /// A shared set as a head names it.
    public struct NamedSet: Hashable, Sendable {
        public let device: BandDevice
        public let entry: BandHead.SetEntry
    }

    /// The sets that are shared by others whose marks are shown here: the first of each device, then the second, up to a limit.
    private func named() throws(LibraryError) -> [(set: NamedSet, person: String)] {
        guard try !shares().haveEnded else { return [] }
        let shown = try members().filter { !$0.isLeftOut && !$0.isFormer && !$0.isKin && !$0.hasLeft }
        let all = shown.flatMap { member in
            member.head.sets.enumerated().map { place, entry in
                (place: place, set: NamedSet(device: member.device, entry: entry), person: member.head.person)
            }
        }.filter { $0.set.entry.length <= SharedSet.limit }
        let order = all.sorted { ($0.place, $0.set.device) < ($1.place, $1.set.device) }
        return order.prefix(Self.mostSets).map { (set: $0.set, person: $0.person) }
    }

    /// The sets that are not here as they are now.
    public func missingSets() throws(LibraryError) -> [NamedSet] {
        let known = try knownSets()
        return try named().map(\.set).filter { known[$0.device]?[$0.entry.id] != $0.entry.object.hex }
    }

    private func knownSets() throws(LibraryError) -> [BandDevice: [String: String]] {
        let rows = try database.rows("SELECT device, id, object FROM band_sets") { (BandDevice($0.text(0)), $0.text(1), $0.text(2)) }
        return Dictionary(grouping: rows) { $0.0 }.mapValues { Dictionary($0.map { ($0.1, $0.2) }) { first, _ in first } }
    }

    /// Stores a set that has arrived.
    public func keep(_ set: SharedSet, as named: NamedSet) throws(LibraryError) {
        try database.put(
            "band_sets", key: "device, id",
            [
                "device": .id(named.device), "id": .text(named.entry.id), "object": .text(named.entry.object.hex),
                "said": .text(String(decoding: set.bytes, as: UTF8.self)),
            ])
    }

    /// Removes the sets that are no longer shared. Returns whether there were any.
    public func removeUnsharedSets() throws(LibraryError) -> Bool {
        let known = try knownSets()
        guard !known.isEmpty else { return false }
        let named = Dictionary(grouping: try named().map(\.set), by: \.device).mapValues { Set($0.map(\.entry.id)) }
        var areAny = false
        for (device, sets) in known {
            for id in sets.keys where named[device]?.contains(id) != true {
                try database.run("DELETE FROM band_sets WHERE (device, id) = (?, ?)", [.id(device), .text(id)])
                areAny = true
            }
        }
        return areAny
    }

    /// The sets of others that are here.
    public func setsOfOthers() throws(LibraryError) -> [OthersSet] {
        guard try database.has("SELECT 1 FROM band_sets") else { return [] }
        let said = try database.rows("SELECT device, id, said FROM band_sets") { (BandDevice($0.text(0)), $0.text(1), $0.text(2)) }
        var sets: [OthersSet] = []
        for (named, person) in try named() {
            // Anybody in the band may have written it. Written anew here, it may be too long to be read, and the others still are.
            guard let text = said.first(where: { $0.0 == named.device && $0.1 == named.entry.id })?.2,
                let set = try? SharedSet(reading: Array(text.utf8))
            else { continue }
            sets.append(
                OthersSet(
                    device: named.device, person: person, plan: .ofBand(named.device, named.entry.id), set: set,
                    files: Dictionary(named.entry.files.map { ($0.object, $0.length) }) { first, _ in first }))
        }
        return sets
    }

    /// More sets than all bands play in a month.
    private static let mostSets = 200
}

extension Library {
    /// How many bytes a chart's file has; 0 if nobody knows. Plans of one's own sets do not say it. `sizes` are those of the files in them.
    public func size(of attachment: Attachment, _ sizes: [Digest: Int]) throws(LibraryError) -> Int {
        guard attachment.fileSize == 0 else { return attachment.fileSize }
        guard let bytes = attachment.id.bytes else { return try charts.chart(of: attachment.use)?.size ?? 0 }
        if let size = sizes[bytes] { return size }
        // Of words and chords, or a picture, the library has a PDF with other bytes.
        return try charts.chart(of: attachment.use).flatMap { $0.hash.digest == bytes ? $0.size : nil } ?? 0
    }
}
