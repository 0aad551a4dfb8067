import JSON
public import LayerJoin
public import Model

extension JoinedLayer {
    /// The bytes of an answer to a browser: the tag of the layer's present state, the states of its parts, and the marks. If the
    /// browser already has the state with the tag `former`, the answer repeats that tag and contains only the marks and deletions
    /// with the `ids`. It names the `chart` on which the marks are drawn there.
    public func answer(
        called tag: String, on chart: ChartHash? = nil, of states: PartStates = PartStates(), since former: String? = nil,
        changed ids: Set<MarkID> = []
    ) -> [UInt8] {
        var text = Array("{\"tag\":\"\(tag)\",\"ink\":".utf8) + states.json.bytes(forBrowsers: true)
        if let chart { text += Array(",\"chart\":\"\(chart.beginning)\"".utf8) }
        if let former { text += Array(",\"since\":\"\(former)\"".utf8) }
        for (name, values) in [("marks", marks), ("also", also), ("deleted", deleted)] {
            let sent = former == nil ? values : values.filter { ids.contains($0.id) }
            text += Array(",\"\(name)\":[".utf8) + sent.map(\.written).joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "]")]
        }
        return text + [UInt8(ascii: "}")]
    }
}

/// Edits from a browser: the marks that the user changed, and those that the user deleted.
public enum LayerEdits {
    /// Reads a request about a `chart` that has `pages` pages. If one mark or deletion must be refused, the whole request fails. A mark that
    /// was made on another version of the chart may be on a page that this one lacks.
    public static func read(_ bytes: [UInt8], pages: Int, of chart: ChartHash? = nil) throws(Trouble) -> [LayerValue] {
        let text = try text(bytes)
        var values: [LayerValue] = []
        for part in try list("marks", of: text) {
            let value = part.mark(knowing: [])?.value
            let on = chart == nil ? nil : (try? part.decoded(as: Mark.self))?.on
            let isOfOther = on != nil && on != chart?.beginning
            let faults = MarkFault.all(part, pages: isOfOther ? nil : pages) + (part[NativeLayer.edits] == nil ? [.withoutEdits] : [])
            try refuse(value?.id, "taken", for: faults)
            try check(part, value?.id)
            if let value { values.append(value) }
        }
        for part in try list("deleted", of: text) {
            let deletion = part.deletion
            let faults = MarkFault.all(ofDeletion: part) + (deletion?.1 == nil ? [.withoutEdits] : [])
            try refuse(deletion?.0, "deleted", for: faults)
            if case (let id, let edits?)? = deletion { values.append(LayerValue(id, edits, nil)) }
        }
        return values
    }

    private static func text(_ bytes: [UInt8]) throws(Trouble) -> JSONPart {
        do throws(JSONFault) {
            return try JSONReader.whole(bytes, limits: JSONLimits(bytes: bytes.count, values: 500_000, allowsRepeats: false))
        } catch {
            throw Trouble(.senseless(because: nil), "The marks cannot be taken: the request \(error).")
        }
    }

    private static func list(_ name: String, of text: JSONPart) throws(Trouble) -> [JSONPart] {
        if text.members != nil {
            guard let value = text[name], !value.isNull else { return [] }
            if let list = value.elements { return list }
        }
        throw Trouble(.senseless(because: nil), "The marks cannot be taken: “marks” and “deleted” must be lists.")
    }

    private static func refuse(_ id: MarkID?, _ verb: String, for faults: [MarkFault]) throws(Trouble) {
        var fields: Set<String?> = []
        let refused = faults.filter { $0.isRefused && fields.insert($0.field).inserted }
        guard !refused.isEmpty else { return }
        let name = id.flatMap { fields.contains("id") ? nil : "The mark \($0)" } ?? "A mark without an “id” of its own"
        throw Trouble(
            .senseless(because: id?.text), "\(name) cannot be \(verb): \(refused.map(\.sentence).joined(separator: ". Also: ")).")
    }

    private static func check(_ entry: JSONPart, _ id: MarkID?) throws(Trouble) {
        do throws(MarkFileFault) {
            if let mark = try? entry.decoded(as: Mark.self) { try NativeLayerReader.check(mark, MarkFileLimits()) }
        } catch {
            throw Trouble(.senseless(because: id?.text), "The mark \(id?.text ?? "") cannot be taken: it \(error).")
        }
    }
}
