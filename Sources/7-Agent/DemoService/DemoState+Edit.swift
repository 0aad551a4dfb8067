extension DemoState {
    /// Makes an edit, and says in one line what changed. `updated_at` changes where the service changes it: on the thing itself,
    /// never on the plan above it.
    /// `former` are the states before the latest edits, in their order.
    mutating func apply(_ edit: DemoEdit, former: [DemoState] = [], now: Stamp) throws(DemoServiceError) -> String {
        switch edit {
        case .moveItem(let item, let position): try move(item, to: position, now: now)
        case .replaceChart(let attachment, let bytes): try replace(attachment, with: bytes, now: now)
        case .replaceChartWith(let attachment, let other): try replace(attachment, with: bytes(of: other), now: now)
        case .addMark(let layer, let page, let mark): try addMark(to: layer, page: page, mark: mark, now: now)
        case .changeMark(let mark, let members): try changeMark(mark, members: members, now: now)
        case .deleteMark(let mark): try deleteMark(mark, now: now)
        case .deleteLayer(let layer): try deleteLayer(layer, now: now)
        case .shrinkPlan(let plan, let keep): try shrink(plan, keep: keep)
        case .setTimes(let plan, let starts): try setTimes(plan, starts: starts, now: now)
        case .renamePlan(let plan, let title): try rename(plan: plan, title: title, now: now)
        case .renameItem(let item, let title): try rename(item: item, title: title, now: now)
        case .putBack(let edits): try putBack(edits, to: former)
        }
    }

    private mutating func putBack(_ edits: Int, to former: [DemoState]) throws(DemoServiceError) -> String {
        guard edits > 0, edits <= former.count else { throw .badEdit("\(former.count) edits can be undone") }
        self = former[former.count - edits]
        return "put everything back to how it was before the last \(edits == 1 ? "edit" : "\(edits) edits")"
    }

    private mutating func move(_ item: String, to position: Int, now: Stamp) throws(DemoServiceError) -> String {
        let (plan, index) = try place(ofItem: item)
        guard plans[plan].items.indices.contains(position) else {
            throw .badEdit("position \(position) is not in the plan: it has \(plans[plan].items.count) items, counted from 0")
        }
        var moved = plans[plan].items.remove(at: index)
        moved.updatedAt = moved.updatedAt.next(now: now)
        plans[plan].items.insert(moved, at: position)
        return "moved '\(moved.title)' of '\(plans[plan].title)' from position \(index) to \(position)"
    }

    private mutating func replace(_ attachment: String, with bytes: [UInt8], now: Stamp) throws(DemoServiceError) -> String {
        guard let index = attachments.firstIndex(where: { $0.id == attachment }) else {
            throw .unknown("no attachment \(attachment); there are: \(attachments.map(\.id).joined(separator: " "))")
        }
        guard attachments[index].bytes != nil else { throw .badEdit("attachment \(attachment) has no bytes here to replace") }
        attachments[index].bytes = bytes
        attachments[index].updatedAt = attachments[index].updatedAt.next(now: now)
        // What is made from an arrangement on demand changes with it.
        if attachments[index].isGenerated, case .arrangement(let id) = attachments[index].owner,
            let arrangement = arrangements.firstIndex(where: { $0.id == id })
        {
            arrangements[arrangement].updatedAt = arrangements[arrangement].updatedAt.next(now: now)
        }
        return "replaced the bytes of '\(attachments[index].filename)' (\(attachment)): \(bytes.count) bytes now"
    }

    /// Replaces an attachment by another file with the same length and date: only the bytes differ.
    ///
    /// There is a difference in the first half and one in the second, in places that no PDF reader looks at.
    mutating func replaceUnseen(_ attachment: String) {
        guard let index = attachments.firstIndex(where: { $0.id == attachment }), var bytes = attachments[index].bytes else { return }
        // The comment in a PDF's second line only shows that the file is binary.
        if let line = bytes.prefix(20).firstIndex(of: UInt8(ascii: "\n")), bytes.count > line + 40, bytes[line + 1] == UInt8(ascii: "%") {
            bytes[line + 2] ^= 1
        }
        if let last = bytes.indices.last { bytes[last] = bytes[last] == UInt8(ascii: "\n") ? UInt8(ascii: " ") : UInt8(ascii: "\n") }
        attachments[index].bytes = bytes
    }

    private func bytes(of other: String) throws(DemoServiceError) -> [UInt8] {
        if let bytes = attachments.first(where: { $0.id == other })?.bytes ?? DemoScore.chart(other) { return bytes }
        throw .unknown("no chart \(other); there are: \(DemoScore.chartNames.joined(separator: " "))")
    }

    private mutating func shrink(_ plan: String, keep: Int) throws(DemoServiceError) -> String {
        let index = try place(ofPlan: plan)
        let count = plans[index].items.count
        guard (0..<count).contains(keep) else { throw .badEdit("'\(plans[index].title)' has \(count) items; keep fewer than that") }
        plans[index].items.removeLast(count - keep)
        return "dropped \(count - keep) of \(count) items of '\(plans[index].title)'"
    }

    private mutating func setTimes(_ plan: String, starts: [String], now: Stamp) throws(DemoServiceError) -> String {
        let index = try place(ofPlan: plan)
        var times: [PlanTime] = []
        for (number, text) in starts.enumerated() {
            guard let start = Stamp(text) else { throw .badEdit("'\(text)' is not a time like 2026-11-22T17:00:00Z") }
            times.append(PlanTime(id: "\(plan)\(number + 1)", kind: "service", name: "Service", starts: start, ends: start + 3600))
        }
        plans[index].times = times
        plans[index].updatedAt = plans[index].updatedAt.next(now: now)
        return "gave '\(plans[index].title)' \(times.count) service times"
    }

    private mutating func rename(plan: String, title: String, now: Stamp) throws(DemoServiceError) -> String {
        let index = try place(ofPlan: plan)
        let former = plans[index].title
        plans[index].title = title
        plans[index].updatedAt = plans[index].updatedAt.next(now: now)
        return "renamed plan '\(former)' to '\(title)'"
    }

    private mutating func rename(item: String, title: String, now: Stamp) throws(DemoServiceError) -> String {
        let (plan, index) = try place(ofItem: item)
        let former = plans[plan].items[index].title
        plans[plan].items[index].title = title
        plans[plan].items[index].updatedAt = plans[plan].items[index].updatedAt.next(now: now)
        return "renamed item '\(former)' to '\(title)'"
    }

    private func place(ofPlan id: String) throws(DemoServiceError) -> Int {
        if let index = plans.firstIndex(where: { $0.id == id }) { return index }
        throw .unknown("no plan \(id); there are: \(plans.map(\.id).joined(separator: " "))")
    }

    private func place(ofItem id: String) throws(DemoServiceError) -> (plan: Int, item: Int) {
        for (plan, value) in plans.enumerated() { if let item = value.items.firstIndex(where: { $0.id == id }) { return (plan, item) } }
        throw .unknown("no item \(id); there are: \(plans.flatMap(\.items).map(\.id).joined(separator: " "))")
    }
}
