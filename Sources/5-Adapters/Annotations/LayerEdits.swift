public import LayerJoin
import Model

extension JoinedLayer {
    /// The bytes of an answer to a browser, with what the layer is called as it is now, and the states of its parts. If the browser knows
    /// what it was called before, the marks with these ids are enough.
    public func answer(
        called tag: String, of states: PartStates = PartStates(), since former: String? = nil, changed ids: Set<MarkID> = []
    ) -> [UInt8] {
        var text = Array("{\"tag\":\"\(tag)\",\"ink\":".utf8) + states.json.bytes(forBrowsers: true)
        if let former { text += Array(",\"since\":\"\(former)\"".utf8) }
        for (name, values) in [("marks", marks), ("also", also), ("deleted", deleted)] {
            let told = former == nil ? values : values.filter { ids.contains($0.id) }
            text += Array(",\"\(name)\":[".utf8) + told.map(\.written).joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "]")]
        }
        return text + [UInt8(ascii: "}")]
    }
}

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
        let marks: [JSONValue]?
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
            let value = pieces.value(at: range, knowing: [])?.value
            let hasEdits = pieces.members(of: range)?.contains { $0.name == NativeLayer.edits } == true
            let faults = MarkFault.all(entry, at: range, in: pieces, pages: pages) + (hasEdits ? [] : [.withoutEdits])
            try refuse(value?.id, "taken", for: faults)
            try check(entry, value?.id)
            if let value { values.append(value) }
        }
        for range in list("deleted") {
            let deletion = pieces.deletion(at: range)
            let faults = MarkFault.all(ofDeletionAt: range, in: pieces) + (deletion?.1 == nil ? [.withoutEdits] : [])
            try refuse(deletion?.0, "deleted", for: faults)
            if case (let id, let edits?)? = deletion { values.append(LayerValue(id, edits, nil)) }
        }
        return values
    }

    private static func body(_ bytes: [UInt8]) throws(Refusal) -> Body {
        do {
            let limits = JSONLimits(bytes: bytes.count, values: 500_000, allowsRepeats: false)
            return try JSONReader.decode(Body.self, from: bytes, limits: limits)
        } catch let fault as JSONFault {
            throw Refusal("The marks cannot be taken: the request \(fault).")
        } catch {
            throw Refusal("The marks cannot be taken: “marks” and “deleted” must be lists.")
        }
    }

    private static func refuse(_ id: MarkID?, _ verb: String, for faults: [MarkFault]) throws(Refusal) {
        var fields: Set<String?> = []
        let refused = faults.filter { $0.isRefused && fields.insert($0.field).inserted }
        guard !refused.isEmpty else { return }
        let name = id.flatMap { fields.contains("id") ? nil : "The mark \($0)" } ?? "A mark without an “id” of its own"
        throw Refusal("\(name) cannot be \(verb): \(refused.map(\.sentence).joined(separator: ". Also: ")).", of: id?.text)
    }

    private static func check(_ entry: JSONValue, _ id: MarkID?) throws(Refusal) {
        do throws(MarkFileFault) {
            if let mark = try? entry.decoded(as: Mark.self) { try NativeLayerReader.check(mark, MarkFileLimits()) }
        } catch {
            throw Refusal("The mark \(id?.text ?? "") cannot be taken: it \(error).", of: id?.text)
        }
    }
}
