import JSON
public import Model

/// The state of a mark after one edit.
public struct LayerValue: Hashable, Sendable {
    /// A mark as JSON in a fixed spelling. Two marks are equal exactly if their texts are.
    public struct Text: Hashable, Sendable {
        public let bytes: [UInt8]
        public let createdAt: Timestamp?

        public init(_ bytes: [UInt8], createdAt: Timestamp? = nil) { (self.bytes, self.createdAt) = (bytes, createdAt) }
    }

    public let id: MarkID
    public let edits: EditCounts
    /// `nil` if the mark was deleted.
    public let mark: Text?

    public init(_ id: MarkID, _ edits: EditCounts, _ mark: Text?) { (self.id, self.edits, self.mark) = (id, edits, mark) }

    /// The value as JSON: the mark, or only the id of a deleted mark, with its edits.
    public var written: [UInt8] {
        let counts = edits.sorted.map { JSONText.quoted($0.device.text) + Array(":\($0.number)".utf8) }
        let edits = Array("\"v\":{".utf8) + counts.joined(separator: [UInt8(ascii: ",")]) + Array("}}".utf8)
        let start = mark.map { Array($0.bytes.dropLast()) } ?? Array("{\"id\":".utf8) + JSONText.quoted(id.text)
        return start + [UInt8(ascii: ",")] + edits
    }

    /// A checksum of a written value. If it differs when the file is read again, the mark was changed by hand.
    public static func sum(of written: [UInt8]) -> String { String(SHA256.digest(of: written).hex.prefix(12)) }

    /// The order of independent values, beginning with the one to show: marks before deletions, then the later edits, then the later text.
    fileprivate func isShownBefore(_ other: LayerValue) -> Bool {
        guard (mark == nil) == (other.mark == nil) else { return mark != nil }
        guard edits == other.edits else { return other.edits.precedes(edits) }
        return (other.mark?.bytes ?? []).lexicographicallyPrecedes(mark?.bytes ?? [])
    }
}

/// A layer that includes the edits of all its editors. For each mark, it keeps the values that no other value replaces.
///
/// Layers can be joined in any order and any number of times, and the result is always the same. An edit disappears only if an
/// editor who had it replaced it. Of two independent edits, both stay.
public struct JoinedLayer: Hashable, Sendable {
    /// The values of each mark, beginning with the one to show; never empty.
    private var values: [MarkID: [LayerValue]] = [:]

    public init(_ values: some Sequence<LayerValue> = []) { for value in values { insert(value) } }

    /// Adds a value and removes the values that it replaces. Does nothing if a present value is equal or replaces the new one.
    ///
    /// Two values with the same edits and different texts both stay: they arise if a file was changed by hand, or if a device
    /// was restored from a backup.
    public mutating func insert(_ value: LayerValue) {
        var known = values[value.id] ?? []
        guard !known.contains(where: { $0 == value || $0.edits.dominates(value.edits) }) else { return }
        known.removeAll { value.edits.dominates($0.edits) }
        known.insert(value, at: known.firstIndex { value.isShownBefore($0) } ?? known.endIndex)
        values[value.id] = known
    }

    public mutating func join(_ other: JoinedLayer) {
        guard !values.isEmpty else { return values = other.values }
        for (id, others) in other.values where values[id] != others { for value in others { insert(value) } }
    }

    public func joined(with other: JoinedLayer) -> JoinedLayer {
        var joined = self
        joined.join(other)
        return joined
    }

    /// The layer with only these marks.
    public func holding(only ids: Set<MarkID>) -> JoinedLayer {
        var part = self
        part.values = values.filter { ids.contains($0.key) }
        return part
    }

    /// The layer without the values that `isLeftOut` selects.
    func without(_ isLeftOut: (LayerValue) -> Bool) -> JoinedLayer {
        var rest = self
        rest.values = values.mapValues { $0.filter { !isLeftOut($0) } }.filter { !$0.value.isEmpty }
        return rest
    }

    /// The marks that differ from `former`, each with all its present values. A mark that only `former` has is listed without values.
    public func changes(since former: JoinedLayer) -> [MarkID: [LayerValue]] {
        var changes = values.filter { former.values[$0.key] != $0.value }
        for id in former.values.keys where values[id] == nil { changes[id] = [] }
        return changes
    }

    func has(_ value: LayerValue) -> Bool { values[value.id]?.contains(value) ?? false }

    /// The ids of all marks, deleted ones included.
    public var ids: some Sequence<MarkID> { values.keys }

    // MARK: - Contents

    /// The marks to show, one value of each, in the order of their creation. Marks without a time come first.
    public var marks: [LayerValue] { Self.ordered(values.values.compactMap { $0.first.flatMap { $0.mark == nil ? nil : $0 } }) }

    /// The other values of marks that were edited independently, without deletions. They are kept in addition to `marks`.
    public var also: [LayerValue] { Self.ordered(values.values.flatMap { $0.dropFirst().filter { $0.mark != nil } }) }

    /// The deletions of marks. They are kept so that no older copy brings a mark back.
    public var deleted: [LayerValue] { Self.ordered(values.values.flatMap { $0.filter { $0.mark == nil } }) }

    /// All known edits of a mark. The next edit of the mark must include them.
    public func edits(of id: MarkID) -> EditCounts { (values[id] ?? []).reduce(EditCounts()) { $0.joined(with: $1.edits) } }

    private static func ordered(_ values: [LayerValue]) -> [LayerValue] {
        values.sorted { one, other in
            let (time, its) = (one.mark?.createdAt?.nanoseconds ?? .min, other.mark?.createdAt?.nanoseconds ?? .min)
            guard time == its else { return time < its }
            return one.id == other.id ? one.isShownBefore(other) : one.id < other.id
        }
    }
}
