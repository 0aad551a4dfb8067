import JSON
public import Model

/// The state that one edit gave a mark.
public struct LayerValue: Hashable, Sendable {
    /// A mark as JSON in one spelling: two marks are the same exactly if their texts are.
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

    /// As JSON: the mark with its edits, or the id of a deleted one.
    public var written: [UInt8] {
        let counts = edits.sorted.map { JSONText.quoted($0.device.text) + Array(":\($0.number)".utf8) }
        let edits = Array("\"v\":{".utf8) + counts.joined(separator: [UInt8(ascii: ",")]) + Array("}}".utf8)
        let start = mark.map { Array($0.bytes.dropLast()) } ?? Array("{\"id\":".utf8) + JSONText.quoted(id.text)
        return start + [UInt8(ascii: ",")] + edits
    }

    /// Recognises the value when its file is read again: a mark with another sum was changed by hand.
    public static func sum(of written: [UInt8]) -> String { String(SHA256.digest(of: written).hex.prefix(12)) }

    /// The order of values that are independent of each other, the one to show first: live ones before deletions, then the higher one.
    fileprivate func isShownBefore(_ other: LayerValue) -> Bool {
        guard (mark == nil) == (other.mark == nil) else { return mark != nil }
        guard edits == other.edits else { return other.edits.precedes(edits) }
        return (other.mark?.bytes ?? []).lexicographicallyPrecedes(mark?.bytes ?? [])
    }
}

/// A layer as all its editors left it: of each mark, the values that no other value includes.
///
/// Layers can be joined in any order and any number of times, and the result is always the same. No edit is lost by that unless somebody
/// who knew it replaced it: of two independent edits, both stay.
public struct JoinedLayer: Hashable, Sendable {
    /// Each mark's values in the order of showing them; never empty.
    private var values: [MarkID: [LayerValue]] = [:]

    public init(_ values: some Sequence<LayerValue> = []) { for value in values { insert(value) } }

    /// Adds a value, unless a newer one is here; removes older ones.
    ///
    /// Two values with the same edits and different texts both stay: somebody changed a file by hand, or a device was set back.
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

    /// The layer with these marks alone.
    public func holding(only ids: Set<MarkID>) -> JoinedLayer {
        var part = self
        part.values = values.filter { ids.contains($0.key) }
        return part
    }

    /// The layer without some values.
    func without(_ isLeftOut: (LayerValue) -> Bool) -> JoinedLayer {
        var rest = self
        rest.values = values.mapValues { $0.filter { !isLeftOut($0) } }.filter { !$0.value.isEmpty }
        return rest
    }

    /// The marks that differ from `former`, each with all its values now: none if only `former` has the mark.
    public func changes(since former: JoinedLayer) -> [MarkID: [LayerValue]] {
        var changes = values.filter { former.values[$0.key] != $0.value }
        for id in former.values.keys where values[id] == nil { changes[id] = [] }
        return changes
    }

    func has(_ value: LayerValue) -> Bool { values[value.id]?.contains(value) ?? false }

    /// The ids of all marks, deleted ones included.
    public var ids: some Sequence<MarkID> { values.keys }

    // MARK: - Contents

    /// The marks to show, in the order of their creation.
    public var marks: [LayerValue] { Self.ordered(values.values.compactMap { $0.first.flatMap { $0.mark == nil ? nil : $0 } }) }

    /// Kept beside those: independent edits of the same marks.
    public var also: [LayerValue] { Self.ordered(values.values.flatMap { $0.dropFirst().filter { $0.mark != nil } }) }

    /// The deleted marks; they stay, so that nobody's older copy brings one back.
    public var deleted: [LayerValue] { Self.ordered(values.values.flatMap { $0.filter { $0.mark == nil } }) }

    /// All known edits of a mark: its next edit includes them.
    public func edits(of id: MarkID) -> EditCounts { (values[id] ?? []).reduce(EditCounts()) { $0.joined(with: $1.edits) } }

    private static func ordered(_ values: [LayerValue]) -> [LayerValue] {
        values.sorted { one, other in
            let (time, its) = (one.mark?.createdAt?.nanoseconds ?? .min, other.mark?.createdAt?.nanoseconds ?? .min)
            guard time == its else { return time < its }
            return one.id == other.id ? one.isShownBefore(other) : one.id < other.id
        }
    }
}
