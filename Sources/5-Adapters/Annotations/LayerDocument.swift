public import LayerJoin
public import Model

/// A native layer with everything that is in its file, known here or not, so that it can be written again.
public struct LayerDocument: Sendable {
    /// What the file says besides its marks, in its order and as it is written there.
    private var members: [(name: String, text: [UInt8])]
    /// Entries among the marks that are none: they stay, at the end.
    private var others: [[UInt8]] = []
    /// The order of the marks without a time, which is the order in which they are drawn.
    private var undated: [MarkID: Int] = [:]
    /// What it says of the layer.
    public private(set) var part = LayerPart()
    /// What the file says of its chart.
    public let reference: MarkFile.Reference
    /// Whether this program began it. Any other file is only read.
    public let isOwn: Bool

    /// Names that this program writes itself.
    private static let ours: Set<String> = ["revision", "marks", "also", "deleted", "sums"]
    private static let mark = (name: "written_by", text: Array("\"woodshed\"".utf8))

    /// What people read where layers are listed.
    public static let ownName = "Drawn in Woodshed"

    /// A new layer, of this chart.
    public init(for attachment: AttachmentID, _ chart: ChartHash, name: String) {
        members = [
            ("version", Array("1".utf8)), ("attachment_id", JSONPieces.quoted(attachment.text)),
            ("chart", JSONPieces.quoted(chart.digest.hex)), ("name", JSONPieces.quoted(name)), Self.mark,
        ]
        reference = MarkFile.Reference(attachment: attachment, chart: chart)
        isOwn = true
    }

    /// Understands a file's bytes.
    public init(_ bytes: [UInt8], limits: MarkFileLimits = MarkFileLimits()) throws(MarkFileFault) {
        try self.init(bytes, readAs: NativeLayerReader.read(bytes, limits: limits))
    }

    /// As above, of a file that was read already.
    init(_ bytes: [UInt8], readAs file: MarkFile) throws(MarkFileFault) {
        reference = file.reference
        let pieces = JSONPieces(bytes: bytes)
        let members = pieces.members(of: pieces.whole) ?? []
        self.members = members.filter { !Self.ours.contains($0.name) }.map { ($0.name, Array(bytes[$0.value])) }
        isOwn = Self.isOwn(members, pieces)
        func list(_ name: String) throws(MarkFileFault) -> [Range<Int>] {
            guard let range = members.last(where: { $0.name == name })?.value, bytes[range] != Self.null else { return [] }
            guard let list = pieces.elements(of: range) else {
                throw MarkFileFault(.malformed, "has a value of the wrong type at “\(name)”", at: pieces.place(range.lowerBound))
            }
            return list
        }
        let revision = members.last { $0.name == "revision" }.flatMap { pieces.whole($0.value) } ?? 0
        // In one text: a list would count as one of marks.
        let text = members.last { $0.name == "sums" }.flatMap { pieces.string($0.value) } ?? ""
        let sums = Set(text.split(separator: " ").map { String($0) })
        var (layer, takenOut) = (JoinedLayer(), sums)
        var counts: [MarkID: Int] = [:]
        for (isShown, ranges) in [(true, try list("marks")), (false, try list("also"))] {
            for range in ranges {
                guard let (value, sum) = pieces.value(at: range, knowing: sums) else {
                    others.append(Array(bytes[range]))
                    continue
                }
                if let sum { takenOut.remove(sum) }
                counts[value.id, default: 0] += 1
                guard counts[value.id, default: 0] <= Self.mostOfOneMark else {
                    throw MarkFileFault(
                        .tooLarge, "has more than \(Self.mostOfOneMark) marks with one id", at: pieces.place(range.lowerBound))
                }
                if isShown, value.mark?.createdAt == nil, undated[value.id] == nil { undated[value.id] = undated.count }
                layer.insert(value)
            }
        }
        for range in try list("deleted") {
            guard let (id, edits) = pieces.deletion(at: range) else { continue }
            layer.insert(LayerValue(id, edits ?? layer.edits(of: id).joined(with: .byHand(Array("deleted \(id)".utf8))), nil))
        }
        part = LayerPart(revision: min(max(0, revision), EditCounts.greatest), layer: layer, takenOut: takenOut)
    }

    public var layer: JoinedLayer { part.layer }

    /// Whether this program began the file with these bytes, which can be read.
    static func isOwn(_ bytes: [UInt8]) -> Bool {
        let pieces = JSONPieces(bytes: bytes)
        return isOwn(pieces.members(of: pieces.whole) ?? [], pieces)
    }

    private static func isOwn(_ members: [(name: String, value: Range<Int>)], _ pieces: JSONPieces) -> Bool {
        members.last { $0.name == mark.name }.map { pieces.plain($0.value) == mark.text } ?? false
    }

    private static let null = ArraySlice("null".utf8)
    /// Far more than there are people who edit one mark at the same time.
    static let mostOfOneMark = 100

    /// Takes in what is `known` of its file, which may have gone back to an older state, and what is new among `values`. Returns whether
    /// anything is.
    public mutating func join(_ values: some Sequence<LayerValue>, known: LayerPart = LayerPart()) -> Bool {
        var all = known
        all.join(part)
        var joined = LayerPart.joined([all])
        for value in values { joined.insert(value) }
        guard joined != layer else { return false }
        part = LayerPart(revision: min(all.revision, EditCounts.greatest - 1) + 1, layer: joined, takenOut: all.takenOut)
        return true
    }

    /// It with these marks alone.
    func holding(only ids: Set<MarkID>) -> LayerDocument {
        var part = self
        (part.part, part.others) = (LayerPart(layer: layer.holding(only: ids)), [])
        return part
    }

    // MARK: - Writing

    /// The bytes of its file: a mark a line.
    public func bytes() -> [UInt8] {
        let marks = shown.map(\.written)
        let also = layer.also.map(\.written)
        let deleted = layer.deleted.map(\.written)
        // Whoever reads this later learns from the others what a hand took out.
        let sums = ((marks + also).map { LayerValue.sum(of: $0) } + part.takenOut.sorted()).joined(separator: " ")
        var parts = members.map { JSONPieces.quoted($0.name) + Self.colon + $0.text }
        parts.append(Array("\"revision\":\(part.revision)".utf8))
        for (name, list) in [("marks", marks + others), ("also", also), ("deleted", deleted)] {
            parts.append(JSONPieces.quoted(name) + Self.colon + Self.listed(list, by: ",\n"))
        }
        parts.append(JSONPieces.quoted("sums") + Self.colon + JSONPieces.quoted(sums))
        return Array("{\n".utf8) + parts.joined(separator: Array(",\n".utf8)) + Array("\n}\n".utf8)
    }

    /// The marks in their order; those without a time come first, in the order that they had.
    private var shown: [LayerValue] {
        let marks = layer.marks
        let dated = marks.firstIndex { $0.mark?.createdAt != nil } ?? marks.endIndex
        let first = marks[..<dated].enumerated().sorted {
            (undated[$0.element.id] ?? .max, $0.offset) < (undated[$1.element.id] ?? .max, $1.offset)
        }
        return first.map(\.element) + marks[dated...]
    }

    private static let colon = [UInt8(ascii: ":")]

    private static func listed(_ parts: [[UInt8]], by separator: String) -> [UInt8] {
        [UInt8(ascii: "[")] + parts.joined(separator: Array(separator.utf8)) + [UInt8(ascii: "]")]
    }
}

extension JSONPieces {
    func place(_ offset: Int) -> MarkFileFault.Place {
        let start = bytes[..<offset].lastIndex(of: 0x0a).map { $0 + 1 } ?? 0
        return .line(line(of: offset), column: offset - start + 1)
    }

    /// The mark at a place, with its sum if that is one of those given; `nil` if it is none with an id.
    ///
    /// If its sum is not among those that were written with it, somebody changed it by hand. That is a new edit of what it was, so that
    /// nobody who does not know of it replaces it.
    func value(at range: Range<Int>, knowing sums: Set<String>) -> (value: LayerValue, sum: String?)? {
        guard let members = members(of: range), let name = members.last(where: { $0.name == "id" })?.value, let id = string(name) else {
            return nil
        }
        let bytes = plain(members, without: ["v"])
        let time = members.last { $0.name == "created_at" }.flatMap { string($0.value) }.flatMap { Timestamp($0) }
        let text = LayerValue.Text(bytes, createdAt: time)
        guard let edits = members.last(where: { $0.name == "v" }).flatMap({ self.edits(at: $0.value) }) else {
            return (LayerValue(MarkID(id), .byHand(bytes), text), nil)
        }
        let value = LayerValue(MarkID(id), edits, text)
        guard !sums.isEmpty else { return (value, nil) }
        let sum = LayerValue.sum(of: value.written)
        return sums.contains(sum) ? (value, sum) : (LayerValue(MarkID(id), edits.joined(with: .byHand(bytes)), text), nil)
    }

    /// An entry of the deleted ones: an id, with or without its edits; `nil` if it is neither.
    func deletion(at range: Range<Int>) -> (MarkID, EditCounts?)? {
        if let id = string(range) { return (MarkID(id), nil) }
        guard let members = members(of: range), let name = members.last(where: { $0.name == "id" })?.value, let id = string(name) else {
            return nil
        }
        return (MarkID(id), members.last { $0.name == "v" }.flatMap { edits(at: $0.value) })
    }

    /// What stands in a field `v`; `nil` if it is not a number of edits for each device.
    func edits(at range: Range<Int>) -> EditCounts? {
        guard let members = members(of: range), !members.isEmpty else { return nil }
        var counts: [DeviceID: Int] = [:]
        for member in members {
            guard let number = whole(member.value) else { return nil }
            counts[DeviceID(member.name)] = number
        }
        return EditCounts(counts)
    }
}
