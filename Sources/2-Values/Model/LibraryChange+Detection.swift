extension LibraryChange {
    /// The differences between `old` and `new` versions of plans, found by comparing values. The order of the plans does not matter.
    ///
    /// Plans that are missing from `new` are skipped, since the caller decides whether they are gone. Changes of titles, keys and
    /// the service's wording of dates are not reported.
    public static func between(_ old: [PlanContents], _ new: [PlanContents]) -> [LibraryChange] {
        let former = Dictionary(old.map { ($0.plan.id, $0) }) { _, last in last }
        let never = Timestamp(nanoseconds: .max)
        return new.sorted { ($0.plan.firstTime ?? never, $0.plan.id) < ($1.plan.firstTime ?? never, $1.plan.id) }
            .flatMap { contents in
                former[contents.plan.id].map { between($0, contents) } ?? [.planAdded(PlanReference(contents.plan))]
            }
    }

    private static func between(_ old: PlanContents, _ new: PlanContents) -> [LibraryChange] {
        guard old != new else { return [] }
        let plan = PlanReference(new.plan)
        var changes: [LibraryChange] = []
        // If the service marks some times as services for the first time, this does not mean that the plan was moved.
        let hasOtherService = old.plan.serviceTime != nil && old.plan.serviceTime != new.plan.serviceTime
        if (old.plan.firstTime, old.plan.lastTime) != (new.plan.firstTime, new.plan.lastTime) || hasOtherService {
            // Report the times of the service itself, unless they are the same and only a rehearsal was moved.
            let isSame = old.plan.serviceTime == nil || old.plan.mainTime == new.plan.mainTime
            changes.append(
                .planMoved(
                    plan, from: isSame ? old.plan.firstTime : old.plan.mainTime, to: isSame ? new.plan.firstTime : new.plan.mainTime))
        }
        let (oldCharts, newCharts) = (old.attachments, new.attachments)
        if newCharts.count < oldCharts.count { changes.append(.planShrunk(plan, from: oldCharts.count, to: newCharts.count)) }
        changes += movedItems(old.items, new.items).map { .itemMoved(plan, item: $0.title, from: $0.from, to: $0.to) }
        let former = Dictionary(grouping: oldCharts, by: \.id)
        for chart in newCharts {
            switch former[chart.id] {
            case nil: changes.append(.chartAdded(plan, ChartReference(chart)))
            case let before? where !before.contains(where: { $0.isSameChart(as: chart) }):
                let former = before.first { $0.isSameChart(as: chart, named: $0.filename) }?.filename
                let reference = ChartReference(chart)
                changes.append(former.map { .chartRenamed(plan, reference, from: $0) } ?? .chartReplaced(plan, reference))
            default: break
            }
        }
        var present = Set(newCharts.map(\.id))
        changes += oldCharts.filter { present.insert($0.id).inserted }.map { .chartRemoved(plan, ChartReference($0)) }
        return changes
    }

    /// The difference between two versions of a layer; `nil` if nothing visible differs. `chart` is the name of the layer's chart.
    public static func between(_ old: Layer?, _ new: Layer, chart: String) -> LibraryChange? {
        let layer = LayerReference(new, chart: chart)
        guard let old, old.deletedAt == nil else { return new.deletedAt == nil ? .layerAdded(layer) : nil }
        if new.deletedAt != nil { return .layerDeleted(layer) }
        let isSame = (old.attachment, old.personName, old.name) == (new.attachment, new.personName, new.name) && old.marks == new.marks
        return isSame ? nil : .layerChanged(layer)
    }

    /// An item that has changed its position among the items that both versions have. Positions in the plan are counted from 1.
    private struct MovedItem {
        var title: String
        var from: Int
        var to: Int
    }

    /// The fewest items that explain the new order. If one item moves to the front, the items after it do not count as moved.
    private static func movedItems(_ old: [PlanItem], _ new: [PlanItem]) -> [MovedItem] {
        let formerPlaces = Dictionary(uniqueKeysWithValues: zip(identities(old), old.indices))
        let common = zip(identities(new), new.indices).compactMap { identity, place in
            formerPlaces[identity].map { (from: $0, to: place) }
        }
        let resting = longestRise(common.map(\.from))
        return common.filter { !resting.contains($0.from) }
            .map { MovedItem(title: new[$0.to].title, from: $0.from + 1, to: $0.to + 1) }
    }

    /// Identifies items even if the service lists one twice, as it has done. Each repetition counts as another item.
    private static func identities(_ items: [PlanItem]) -> [ItemIdentity] {
        var counts: [ItemID: Int] = [:]
        return items.map { item in
            counts[item.id, default: 0] += 1
            return ItemIdentity(id: item.id, occurrence: counts[item.id, default: 0])
        }
    }

    private struct ItemIdentity: Hashable {
        var id: ItemID
        var occurrence: Int
    }

    /// The members of a longest increasing subsequence. The numbers must be distinct.
    private static func longestRise(_ numbers: [Int]) -> Set<Int> {
        var lengths: [Int] = []
        var previous: [Int?] = []
        for (index, number) in numbers.enumerated() {
            // Running orders are short, so a quadratic algorithm is fast enough.
            let before = numbers[..<index].indices.filter { numbers[$0] < number }.max { lengths[$0] < lengths[$1] }
            previous.append(before)
            lengths.append((before.map { lengths[$0] } ?? 0) + 1)
        }
        var members: Set<Int> = []
        var next = numbers.indices.max { lengths[$0] < lengths[$1] }
        while let index = next {
            members.insert(numbers[index])
            next = previous[index]
        }
        return members
    }
}

extension Attachment {
    /// Whether both are the same version of a file with the same name; if `name` is given, it is used as the name of `other`. The content
    /// type is ignored, since it proves nothing.
    fileprivate func isSameChart(as other: Attachment, named name: String? = nil) -> Bool {
        var (one, other) = (self, other)
        if let name { other.filename = name }
        // If the service gives no size for one of the versions, sizes cannot be compared.
        if fileSize == 0 || other.fileSize == 0 { (one.fileSize, other.fileSize) = (0, 0) }
        return one.isSameVersion(as: other)
    }

    private func isSameVersion(as other: Attachment) -> Bool {
        id == other.id && version == other.version && filename == other.filename && isGenerated == other.isGenerated
    }
}
