extension DemoState {
    mutating func addMark(to layer: String, page: Int, mark: String?, now: Stamp) throws(DemoServiceError) -> String {
        let index = try place(ofLayer: layer)
        guard page >= 0 else { throw .badEdit("pages are counted from 0") }
        var added = try mark.map { text throws(DemoServiceError) in try Self.object(text) } ?? Self.circle(page: page, now: now)
        if added["page"] == nil { added["page"] = .int(page) }
        if added["created_at"] == nil { added["created_at"] = .string(now.text) }
        if added["id"] == nil { added["id"] = .string("demo-\(layer)-\(layers[index].revision + 1)") }
        let id = added["id"]?.string ?? ""
        if layers.contains(where: { $0.marks.contains { $0["id"]?.string == id } }) { throw .badEdit("there is already a mark \(id)") }
        layers[index].marks.append(added)
        touch(layer: index, now: now)
        return "added mark \(id) to layer '\(layers[index].name)' (\(layer))"
    }

    mutating func changeMark(_ mark: String, members: String?, now: Stamp) throws(DemoServiceError) -> String {
        let (layer, index) = try place(ofMark: mark)
        if let members {
            guard case .object(let members) = try Self.object(members) else { return "" }
            for member in members { layers[layer].marks[index][member.name] = member.value }
        } else {
            let isRed = layers[layer].marks[index]["color"]?.string == "#C02020"
            layers[layer].marks[index]["color"] = isRed ? "#2040C0" : "#C02020"
        }
        touch(layer: layer, now: now)
        return "changed mark \(mark) of layer '\(layers[layer].name)' (\(layers[layer].id))"
    }

    mutating func deleteMark(_ mark: String, now: Stamp) throws(DemoServiceError) -> String {
        let (layer, index) = try place(ofMark: mark)
        layers[layer].marks.remove(at: index)
        touch(layer: layer, now: now)
        return "deleted mark \(mark) of layer '\(layers[layer].name)' (\(layers[layer].id))"
    }

    /// A deleted layer remains as a trace, without marks.
    mutating func deleteLayer(_ layer: String, now: Stamp) throws(DemoServiceError) -> String {
        let index = try place(ofLayer: layer)
        layers[index].marks = []
        touch(layer: index, now: now)
        layers[index].deletedAt = layers[index].updatedAt
        return "deleted layer '\(layers[index].name)' of \(layers[index].personName) (\(layer))"
    }

    mutating func touch(layer index: Int, now: Stamp) {
        layers[index].revision += 1
        layers[index].updatedAt = layers[index].updatedAt.next(now: now)
    }

    private static func object(_ text: String) throws(DemoServiceError) -> JSON {
        guard let json = JSON(bytes: Array(text.utf8)), case .object = json else { throw .badEdit("not a JSON object: \(text)") }
        return json
    }

    private static func circle(page: Int, now: Stamp) -> JSON {
        [
            "page": .int(page), "kind": "ellipse", "color": "#C02020", "width": .double(0.004),
            "points": [[.double(0.4), .double(0.4)], [.double(0.6), .double(0.5)]], "created_at": .string(now.text),
        ]
    }

    private func place(ofLayer id: String) throws(DemoServiceError) -> Int {
        if let index = layers.firstIndex(where: { $0.id == id && $0.deletedAt == nil }) { return index }
        throw .unknown("no layer \(id); there are: \(layers.filter { $0.deletedAt == nil }.map(\.id).joined(separator: " "))")
    }

    private func place(ofMark id: String) throws(DemoServiceError) -> (layer: Int, mark: Int) {
        for (layer, value) in layers.enumerated() {
            if let mark = value.marks.firstIndex(where: { $0["id"]?.string == id }) { return (layer, mark) }
        }
        let ids = layers.flatMap(\.marks).compactMap { $0["id"]?.string }
        throw .unknown("no mark \(id); there are: \(ids.joined(separator: " "))")
    }
}
