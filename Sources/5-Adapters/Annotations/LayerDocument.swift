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
    public private(set) var revision = 0
    public private(set) var layer = JoinedLayer()
    /// What the file says of its chart.
    public let reference: MarkFile.Reference
    /// Whether this program began it. Any other file is only read.
    public let isOwn: Bool

    /// Names that this program writes itself.
    private static let ours: Set<String> = ["revision", "marks", "also", "deleted", "sums"]
    private static let mark = (name: "written_by", text: Array("\"woodshed\"".utf8))

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
        reference = try NativeLayerReader.read(bytes, limits: limits).reference
        let pieces = JSONPieces(bytes: bytes)
        let members = pieces.members(of: pieces.whole) ?? []
        self.members = members.filter { !Self.ours.contains($0.name) }.map { ($0.name, Array(bytes[$0.value])) }
        isOwn = members.last { $0.name == Self.mark.name }.map { pieces.plain($0.value) == Self.mark.text } ?? false
        func list(_ name: String) throws(MarkFileFault) -> [Range<Int>] {
            guard let range = members.last(where: { $0.name == name })?.value, bytes[range] != Self.null else { return [] }
            guard let list = pieces.elements(of: range) else {
                throw MarkFileFault(.malformed, "has a value of the wrong type at “\(name)”", at: pieces.place(range.lowerBound))
            }
            return list
        }
        if let range = members.last(where: { $0.name == "revision" })?.value { revision = max(0, pieces.whole(range) ?? 0) }
        // In one text: a list would count as one of marks.
        let sums = members.last { $0.name == "sums" }.flatMap { pieces.string($0.value) } ?? ""
        let known = Set(sums.split(separator: " ").map { String($0) })
        var counts: [MarkID: Int] = [:]
        for (isShown, ranges) in [(true, try list("marks")), (false, try list("also"))] {
            for range in ranges {
                guard let value = pieces.value(at: range, knowing: known) else {
                    others.append(Array(bytes[range]))
                    continue
                }
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
    }

    private static let null = ArraySlice("null".utf8)
    /// Far more than there are people who edit one mark at the same time.
    static let mostOfOneMark = 100

    /// Takes in what is new among `values`. Returns whether anything is.
    public mutating func join(_ values: some Sequence<LayerValue>) -> Bool {
        var joined = layer
        for value in values { joined.insert(value) }
        guard joined != layer else { return false }
        layer = joined
        revision = min(revision, EditCounts.greatest - 1) + 1
        return true
    }

    /// It with these marks alone.
    func holding(only ids: Set<MarkID>) -> LayerDocument {
        var part = self
        (part.layer, part.others) = (layer.holding(only: ids), [])
        return part
    }

    // MARK: - Writing

    /// The bytes of its file: a mark a line.
    public func bytes() -> [UInt8] {
        let marks = shown.map(\.written)
        let also = layer.also.map(\.written)
        let deleted = layer.deleted.map(\.written)
        let sums = (marks + also).map { LayerValue.sum(of: $0) }.joined(separator: " ")
        var parts = members.map { JSONPieces.quoted($0.name) + Self.colon + $0.text }
        parts.append(Array("\"revision\":\(revision)".utf8))
        for (name, list) in [("marks", marks + others), ("also", also), ("deleted", deleted)] {
            parts.append(JSONPieces.quoted(name) + Self.colon + Self.listed(list, by: ",\n"))
        }
        parts.append(JSONPieces.quoted("sums") + Self.colon + JSONPieces.quoted(sums))
        return Array("{\n".utf8) + parts.joined(separator: Array(",\n".utf8)) + Array("\n}\n".utf8)
    }

    /// The bytes of an answer to a browser, with what the layer is called as it is now. If the browser knows what it was called before,
    /// the marks with these ids are enough.
    public func answer(called tag: String, since former: String? = nil, changed ids: Set<MarkID> = []) -> [UInt8] {
        var text = Array("{\"revision\":\(revision),\"tag\":\"\(tag)\"".utf8)
        if let former { text += Array(",\"since\":\"\(former)\"".utf8) }
        for (name, values) in [("marks", shown), ("also", layer.also), ("deleted", layer.deleted)] {
            let told = former == nil ? values : values.filter { ids.contains($0.id) }
            text += Array(",\"\(name)\":".utf8) + Self.listed(told.map(\.written), by: ",")
        }
        return text + [UInt8(ascii: "}")]
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

extension LayerValue {
    /// It as JSON: the mark with its edits, or the id of a deleted one.
    fileprivate var written: [UInt8] {
        let counts = edits.sorted.map { JSONPieces.quoted($0.device.text) + Array(":\($0.number)".utf8) }
        let edits = Array("\"v\":{".utf8) + counts.joined(separator: [UInt8(ascii: ",")]) + Array("}}".utf8)
        let start = mark.map { Array($0.bytes.dropLast()) } ?? Array("{\"id\":".utf8) + JSONPieces.quoted(id.text)
        return start + [UInt8(ascii: ",")] + edits
    }

    /// By this it is known again when the file is read: a mark that has another one was changed by hand.
    fileprivate static func sum(of written: [UInt8]) -> String { String(SHA256.digest(of: written).hex.prefix(12)) }
}

extension JSONPieces {
    func place(_ offset: Int) -> MarkFileFault.Place {
        let start = bytes[..<offset].lastIndex(of: 0x0a).map { $0 + 1 } ?? 0
        return .line(line(of: offset), column: offset - start + 1)
    }

    /// The mark at a place; `nil` if it is none with an id.
    ///
    /// If its sum is not among those that were written with it, somebody changed it by hand. That is a new edit of what it was, so that
    /// nobody who does not know of it replaces it.
    func value(at range: Range<Int>, knowing sums: Set<String>) -> LayerValue? {
        guard let members = members(of: range), let name = members.last(where: { $0.name == "id" })?.value, let id = string(name) else {
            return nil
        }
        let bytes = plain(members, without: ["v"])
        let time = members.last { $0.name == "created_at" }.flatMap { string($0.value) }.flatMap { Timestamp($0) }
        let text = LayerValue.Text(bytes, createdAt: time)
        guard let edits = members.last(where: { $0.name == "v" }).flatMap({ self.edits(at: $0.value) }) else {
            return LayerValue(MarkID(id), .byHand(bytes), text)
        }
        let value = LayerValue(MarkID(id), edits, text)
        guard !sums.isEmpty, !sums.contains(LayerValue.sum(of: value.written)) else { return value }
        return LayerValue(MarkID(id), edits.joined(with: .byHand(bytes)), text)
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
