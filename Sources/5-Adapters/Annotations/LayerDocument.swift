import JSON
public import LayerJoin
public import Model

/// A native layer with everything in its file, known here or not, so that it can be written again.
public struct LayerDocument: Sendable {
    /// The file's members apart from its marks, in their order and as they are written there.
    private var members: [(name: String, text: [UInt8])]
    /// Entries among the marks that are not marks: they stay, at the end.
    private var others: [[UInt8]] = []
    /// The order of the marks without a time, which is the order in which they are drawn.
    private var undated: [MarkID: Int] = [:]
    /// The layer in the file.
    public private(set) var part = LayerPart()
    /// The chart that the file names.
    public let reference: MarkFile.Reference
    /// Whether this program began the file. Any other file is only read.
    public let isOwn: Bool
    /// Identifies the process that wrote the file last; `nil` if the file does not name it.
    public private(set) var writer: String?

    /// Names that this program writes itself.
    private static let ours: Set<String> = ["writer", "revision", "marks", "also", "deleted", "sums"]
    private static let mark = (name: "written_by", text: Array("\"woodshed\"".utf8))

    /// The name that people see in lists of layers.
    public static let ownName = MarkFile.drawnName

    /// A new layer, of this chart.
    public init(for attachment: AttachmentID, _ chart: ChartHash, name: String) {
        members = [
            ("version", Array("1".utf8)), ("attachment_id", JSONText.quoted(attachment.text)),
            ("chart", JSONText.quoted(chart.digest.hex)), ("name", JSONText.quoted(name)), Self.mark,
        ]
        reference = MarkFile.Reference(attachment: attachment, chart: chart)
        isOwn = true
    }

    /// Reads a file's bytes.
    public init(_ bytes: [UInt8], limits: MarkFileLimits = MarkFileLimits()) throws(MarkFileFault) {
        let text = try NativeLayerReader.text(bytes, limits)
        try self.init(text, readAs: NativeLayerReader.file(text, limits))
    }

    /// As above, for a file that was read already.
    init(_ text: JSONPart, readAs file: MarkFile) throws(MarkFileFault) {
        reference = file.reference
        members = (text.members ?? []).filter { !Self.ours.contains($0.name) }.map { ($0.name, Array($0.value.bytes)) }
        isOwn = Self.isOwn(text)
        writer = text["writer"]?.string
        func list(_ name: String) throws(MarkFileFault) -> [JSONPart] {
            guard let value = text[name], !value.isNull else { return [] }
            if let list = value.elements { return list }
            throw MarkFileFault(.malformed, "has a value of the wrong type at “\(name)”", at: value.filePlace)
        }
        let revision = text["revision"]?.whole ?? 0
        // As one text: a list would count as one of marks.
        let sums = Set((text["sums"]?.string ?? "").split(separator: " ").map { String($0) })
        var (layer, takenOut) = (JoinedLayer(), sums)
        var counts: [MarkID: Int] = [:]
        for (isShown, parts) in [(true, try list("marks")), (false, try list("also"))] {
            for part in parts {
                guard let (value, sum) = part.mark(knowing: sums) else {
                    others.append(Array(part.bytes))
                    continue
                }
                if let sum { takenOut.remove(sum) }
                counts[value.id, default: 0] += 1
                guard counts[value.id, default: 0] <= Self.mostOfOneMark else {
                    throw MarkFileFault(.tooLarge, "has more than \(Self.mostOfOneMark) marks with one id", at: part.filePlace)
                }
                if isShown, value.mark?.createdAt == nil, undated[value.id] == nil { undated[value.id] = undated.count }
                layer.insert(value)
            }
        }
        for part in try list("deleted") {
            guard let (id, edits) = part.deletion else { continue }
            layer.insert(LayerValue(id, edits ?? layer.edits(of: id).joined(with: .byHand(Array("deleted \(id)".utf8))), nil))
        }
        part = LayerPart(revision: min(max(0, revision), EditCounts.greatest), layer: layer, takenOut: takenOut)
    }

    public var layer: JoinedLayer { part.layer }

    /// Whether this program began the file.
    static func isOwn(_ text: JSONPart) -> Bool { text[mark.name]?.plain() == mark.text }

    /// Far more than there are people who edit one mark at the same time.
    static let mostOfOneMark = 100

    /// Joins what is `known` of its file, which may have gone back to an older state, and `values`, for a `writer` with this word. Returns
    /// whether anything is new.
    public mutating func join(_ values: some Sequence<LayerValue>, known: LayerPart = LayerPart(), by writer: String? = nil) -> Bool {
        var all = known
        all.join(part)
        var joined = LayerPart.joined([all])
        for value in values { joined.insert(value) }
        guard joined != layer else { return false }
        part = LayerPart(revision: min(all.revision, EditCounts.greatest - 1) + 1, layer: joined, takenOut: all.takenOut)
        self.writer = writer
        return true
    }

    /// The document with these marks alone.
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
        // The sums show later readers which marks somebody took out by hand.
        let sums = ((marks + also).map { LayerValue.sum(of: $0) } + part.takenOut.sorted()).joined(separator: " ")
        var parts = members.map { JSONText.quoted($0.name) + Self.colon + $0.text }
        if let writer { parts.append(JSONText.quoted("writer") + Self.colon + JSONText.quoted(writer)) }
        parts.append(Array("\"revision\":\(part.revision)".utf8))
        for (name, list) in [("marks", marks + others), ("also", also), ("deleted", deleted)] {
            parts.append(JSONText.quoted(name) + Self.colon + Self.listed(list, by: ",\n"))
        }
        parts.append(JSONText.quoted("sums") + Self.colon + JSONText.quoted(sums))
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

extension JSONPart {
    /// The mark, with its sum if that is one of those given; `nil` unless it is a mark with an id.
    ///
    /// If its sum is not among those that were written with it, somebody changed it by hand. That is a new edit of the former state, so
    /// that no independent edit replaces it.
    func mark(knowing sums: Set<String>) -> (value: LayerValue, sum: String?)? {
        guard let id = self["id"]?.string else { return nil }
        let bytes = plain(without: ["v"])
        let text = LayerValue.Text(bytes, createdAt: self["created_at"]?.string.flatMap { Timestamp($0) })
        guard let edits = self["v"]?.edits else { return (LayerValue(MarkID(id), .byHand(bytes), text), nil) }
        let value = LayerValue(MarkID(id), edits, text)
        guard !sums.isEmpty else { return (value, nil) }
        let sum = LayerValue.sum(of: value.written)
        return sums.contains(sum) ? (value, sum) : (LayerValue(MarkID(id), edits.joined(with: .byHand(bytes)), text), nil)
    }

    /// An entry of the deleted ones: an id, with or without its edits; `nil` if it is neither.
    var deletion: (MarkID, EditCounts?)? {
        if let string { return (MarkID(string), nil) }
        return self["id"]?.string.map { (MarkID($0), self["v"]?.edits) }
    }

    /// The edits in a field `v`; `nil` if it does not have a number of edits for each device.
    private var edits: EditCounts? {
        guard let members, !members.isEmpty else { return nil }
        var counts: [DeviceID: Int] = [:]
        for member in members {
            guard let number = member.value.whole else { return nil }
            counts[DeviceID(member.name)] = number
        }
        return EditCounts(counts)
    }
}
