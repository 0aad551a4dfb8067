import JSON
public import LayerJoin
public import Model

/// A native layer with everything in its file, including unknown fields, so that rewriting the file loses nothing.
public struct LayerDocument: Sendable {
    /// The file's members except `ours`, in the file's order and spelling.
    private var members: [(name: String, text: [UInt8])]
    /// Entries of “marks” and “also” without an id, which are not marks. They are kept at the end of “marks”.
    private var others: [[UInt8]] = []
    /// The positions of the marks without a time, which are drawn in this order.
    private var undated: [MarkID: Int] = [:]
    /// The layer in the file.
    public private(set) var part = LayerPart()
    /// The chart that the file names.
    public let reference: MarkFile.Reference
    /// Whether this program created the file. Files that others created are never written.
    public let isOwn: Bool
    /// Identifies the process that wrote the file last; `nil` if the file names none.
    public private(set) var writer: String?

    /// The members that this program composes for each write.
    private static let ours: Set<String> = ["writer", "revision", "marks", "also", "deleted", "sums"]
    private static let mark = (name: "written_by", text: Array("\"woodshed\"".utf8))

    /// The name, in lists of layers, of every layer that was drawn in this program.
    public static let ownName = MarkFile.drawnName

    /// Begins an empty layer for this chart.
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

    /// Makes the document of a file that is already parsed.
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
        // The sums are one text because a list here would count towards the limit on marks.
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

    /// Whether this program created the file.
    static func isOwn(_ text: JSONPart) -> Bool { text[mark.name]?.plain() == mark.text }

    /// How many entries of one file may have the same id. This is far more than the number of people who edit one mark at the same
    /// time.
    static let mostOfOneMark = 100

    /// Adds `values`, and the values of `known` that the file lost by going back to an older state. Returns whether anything is
    /// new. In that case the file names `writer` from now on.
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

    /// A copy of the document with only the marks and deletions that have one of the `ids`.
    func holding(only ids: Set<MarkID>) -> LayerDocument {
        var part = self
        (part.part, part.others) = (LayerPart(layer: layer.holding(only: ids)), [])
        return part
    }

    // MARK: - Writing

    /// The bytes of the file, with one mark on each line.
    public func bytes() -> [UInt8] {
        let marks = shown.map(\.written)
        let also = layer.also.map(\.written)
        let deleted = layer.deleted.map(\.written)
        // The sums show later readers which marks somebody changed or took out by hand.
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

    /// The marks in drawing order: first those without a time, in the order of the file, then the others in the order of their times.
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
    /// Returns the mark, with its sum if `sums` contains it; `nil` if the value has no id.
    ///
    /// If the file has sums, but not the mark's, somebody changed the mark by hand. The change counts as a new edit of the former
    /// state, so no independent edit replaces it.
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

    /// The id in an entry of “deleted”, with its edits, if any; `nil` if the entry has no id.
    var deletion: (MarkID, EditCounts?)? {
        if let string { return (MarkID(string), nil) }
        return self["id"]?.string.map { (MarkID($0), self["v"]?.edits) }
    }

    /// This value, that of a field `v`, as edits; `nil` unless it is an object with at least one device and a whole number for each.
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
