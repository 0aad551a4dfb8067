package import Model

/// The effects of edits. Like the service, they set `updated_at` on the changed thing itself, never on its plan.
extension DemoState {
    mutating func move(_ item: String, to position: Int, now: Stamp) throws(Trouble) -> String {
        let (plan, index) = try place(ofItem: item)
        guard plans[plan].items.indices.contains(position) else {
            throw Trouble("position \(position) is not in the plan: it has \(plans[plan].items.count) items, counted from 0")
        }
        var moved = plans[plan].items.remove(at: index)
        moved.updatedAt = moved.updatedAt.next(now: now)
        plans[plan].items.insert(moved, at: position)
        return "moved '\(moved.title)' of '\(plans[plan].title)' from position \(index) to \(position)"
    }

    mutating func replace(_ attachment: String, with bytes: [UInt8], now: Stamp) throws(Trouble) -> String {
        guard let index = attachments.firstIndex(where: { $0.id == attachment }) else {
            throw Trouble(.unknown, "no attachment \(attachment); there are: \(attachments.map(\.id).joined(separator: " "))")
        }
        guard attachments[index].bytes != nil else { throw Trouble("attachment \(attachment) has no bytes here to replace") }
        attachments[index].bytes = bytes
        attachments[index].updatedAt = attachments[index].updatedAt.next(now: now)
        // A chart made on demand changes together with its arrangement.
        if attachments[index].isGenerated, case .arrangement(let id) = attachments[index].owner,
            let arrangement = arrangements.firstIndex(where: { $0.id == id })
        {
            arrangements[arrangement].updatedAt = arrangements[arrangement].updatedAt.next(now: now)
        }
        return "replaced the bytes of '\(attachments[index].filename)' (\(attachment)): \(bytes.count) bytes now"
    }

    func bytes(of other: String) throws(Trouble) -> [UInt8] {
        if let bytes = attachments.first(where: { $0.id == other })?.bytes ?? DemoScore.chart(other) { return bytes }
        throw Trouble(.unknown, "no chart \(other); there are: \(DemoScore.chartNames.joined(separator: " "))")
    }

    mutating func addMark(to layer: String, page: Int, mark: String?, now: Stamp) throws(Trouble) -> String {
        guard let index = layers.firstIndex(where: { $0.id == layer }) else {
            throw Trouble(.unknown, "no layer \(layer); there are: \(layers.map(\.id).joined(separator: " "))")
        }
        var added = try mark.map { text throws(Trouble) in try Self.object(text) } ?? Self.circle(page: page, now: now)
        if added["page"] == nil { added["page"] = .int(page) }
        if added["created_at"] == nil { added["created_at"] = .string(now.text) }
        if added["id"] == nil { added["id"] = .string("demo-\(layer)-\(layers[index].revision + 1)") }
        let id = added["id"]?.string ?? ""
        if layers.contains(where: { $0.marks.contains { $0["id"]?.string == id } }) { throw Trouble("there is already a mark \(id)") }
        layers[index].marks.append(added)
        layers[index].revision += 1
        layers[index].updatedAt = layers[index].updatedAt.next(now: now)
        return "added mark \(id) to layer '\(layers[index].name)' (\(layer))"
    }

    private static func object(_ text: String) throws(Trouble) -> JSON {
        guard let json = JSON(bytes: Array(text.utf8)), case .object = json else { throw Trouble("not a JSON object: \(text)") }
        return json
    }

    private static func circle(page: Int, now: Stamp) -> JSON {
        [
            "page": .int(page), "kind": "ellipse", "color": "#C02020", "width": .double(0.004),
            "points": [[.double(0.4), .double(0.4)], [.double(0.6), .double(0.5)]], "created_at": .string(now.text),
        ]
    }

    package func place(ofItem id: String) throws(Trouble) -> (plan: Int, item: Int) {
        for (plan, value) in plans.enumerated() { if let item = value.items.firstIndex(where: { $0.id == id }) { return (plan, item) } }
        throw Trouble(.unknown, "no item \(id); there are: \(plans.flatMap(\.items).map(\.id).joined(separator: " "))")
    }
}

extension Stamp {
    /// The time of a change made now: later than the previous one, even within the same second.
    package func next(now: Stamp) -> Stamp { max(now, self + 1) }
}
