public import LayerJoin
import Model

/// What a browser sends: the marks that it changed, and those that it deleted.
public enum LayerEdits {
    /// Why they are not taken, in a sentence.
    public struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
        public let description: String
        /// The mark that is the reason, by its id.
        public let mark: String?

        init(_ description: String, of mark: String? = nil) { (self.description, self.mark) = (description, mark) }
    }

    private struct Body: Decodable {
        let marks: [NativeLayer.Entry]?
        let deleted: [JSONValue]?
    }

    /// Understands a request for a chart with so many pages. It is taken as a whole or not at all.
    public static func read(_ bytes: [UInt8], pages: Int) throws(Refusal) -> [LayerValue] {
        let body = try body(bytes)
        let pieces = JSONPieces(bytes: bytes)
        let members = pieces.members(of: pieces.whole) ?? []
        func list(_ name: String) -> [Range<Int>] { members.last { $0.name == name }.flatMap { pieces.elements(of: $0.value) } ?? [] }
        var values: [LayerValue] = []
        for (range, entry) in zip(list("marks"), body.marks ?? []) {
            values.append(try value(at: range, entry, pieces, pages))
        }
        for range in list("deleted") {
            guard let (id, edits) = pieces.deletion(at: range), let edits else {
                throw Refusal("“deleted” has something that is not an “id” with its edits in “v”.")
            }
            try check(id, edits)
            values.append(LayerValue(id, edits, nil))
        }
        return values
    }

    private static func body(_ bytes: [UInt8]) throws(Refusal) -> Body {
        do {
            return try JSONReader.decode(Body.self, from: bytes, limits: JSONLimits(bytes: bytes.count, values: 500_000))
        } catch let fault as JSONFault {
            throw Refusal("The marks cannot be taken: the request \(fault).")
        } catch {
            throw Refusal("The marks cannot be taken: “marks” and “deleted” must be lists.")
        }
    }

    private static func value(
        at range: Range<Int>, _ entry: NativeLayer.Entry, _ pieces: JSONPieces, _ pages: Int
    ) throws(Refusal) -> LayerValue {
        guard let value = pieces.value(at: range, knowing: []), let members = pieces.members(of: range) else {
            throw Refusal("A mark cannot be taken: it has no “id”.")
        }
        func refusal(_ reason: String) -> Refusal { Refusal("The mark \(value.id) cannot be taken: \(reason).", of: value.id.text) }
        guard members.last(where: { $0.name == NativeLayer.edits }).flatMap({ pieces.edits(at: $0.value) }) != nil else {
            throw refusal("“v” must say which edit of which device it is, in whole numbers from 1")
        }
        try check(value.id, value.edits)
        switch entry {
        case .fault(let reason): throw refusal(reason)
        case .mark(let mark):
            guard (0..<pages).contains(mark.page.value) else {
                throw refusal("“page” is \(mark.page.value), but pages go from 0 to \(pages - 1)")
            }
            guard NativeLayerReader.isWithinReason(mark) else { throw refusal("it has impossible numbers") }
            do throws(MarkFileFault) {
                try NativeLayerReader.check(mark, MarkFileLimits())
            } catch {
                throw refusal("it \(error)")
            }
        }
        return value
    }

    /// Names that no browser makes up would only make the file larger, each time that somebody edits the mark.
    private static func check(_ id: MarkID, _ edits: EditCounts) throws(Refusal) {
        let names = edits.sorted.map(\.device.text) + [id.text]
        guard names.count <= 200, names.allSatisfy({ (1...200).contains($0.utf8.count) }) else {
            throw Refusal("The mark \(String(id.text.prefix(40))) cannot be taken: its “id” or “v” is too long.", of: id.text)
        }
    }
}
