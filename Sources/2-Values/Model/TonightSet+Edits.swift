extension TonightSet {
    /// Makes a change. `plan` has the plan's own items, and `stored` are those that are stored for this set, without the one that the
    /// change brings. Returns `false`, and changes nothing, if an item that the change names is not here.
    public mutating func make(_ edit: TonightEdit, in plan: PlanContents, storing stored: [PlanItem]) -> Bool {
        var rows = applied(to: plan, storing: stored).tonight?.rows ?? []
        let ids = Set(rows.map(\.id))
        func isHere(_ item: ItemID?) -> Bool { item.map(ids.contains) ?? true }
        switch edit {
        case .leaveOut(let item, let isLeftOut):
            guard isHere(item) else { return false }
            leftOut.removeAll { $0 == item }
            if added.contains(item) {
                if isLeftOut { drop(item) }
            } else if isLeftOut {
                leftOut.append(item)
            }
        case .move(let item, let anchor):
            guard isHere(item), isHere(anchor), item != anchor, let from = rows.firstIndex(where: { $0.id == item }) else { return false }
            let row = rows.remove(at: from)
            rows.insert(row, at: Self.place(after: anchor, in: rows))
            settle(rows.map(\.id), moving: item, in: plan)
        case .add(let item, let anchor):
            guard isHere(anchor), !ids.contains(item.id) else { return false }
            added.append(item.id)
            noteStart(of: item)
            rows.insert(Tonight.Row(id: item.id, item: item, isAdded: true), at: Self.place(after: anchor, in: rows))
            settle(rows.map(\.id), moving: item.id, in: plan)
        case .show(let other, let item):
            guard isHere(item) else { return false }
            parts.removeAll { $0.item == item }
            if let other {
                parts.append(Part(item: item, shown: other.id))
                noteStart(of: other)
            }
        case .read(let item, let former):
            guard let song = rows.first(where: { $0.id == item })?.item.song?.id else { return false }
            if !readings.contains(where: { $0.song == song }) { readings.append(Reading(song: song, former: former)) }
        case .readAsBefore(let item):
            guard let song = rows.first(where: { $0.id == item })?.item.song?.id else { return false }
            readings.removeAll { $0.song == song }
        case .remark(let item, let text):
            guard isHere(item) else { return false }
            remarks.removeAll { $0.item == item }
            let text = text.asShownLine(atMost: Self.longestRemark)
            if !text.isEmpty { remarks.append(Remark(item: item, text: text)) }
        case .asPlanned:
            let former = self
            self = TonightSet()
            number = former.number
        case .use(let other, _):
            let former = self
            self = other
            number = former.number
        case .offer(let isOffered):
            guard !isEmpty || !isOffered else { return false }
            self.isOffered = isOffered ? true : nil
            // Nothing is played otherwise, so a set that was made of an offer still is what was offered.
            return true
        }
        number = isUnreadable ? Self.numberAfterUnreadable : number + 1
        let needed = self.stored
        starts?.removeAll { !needed.contains($0.item) }
        if isEmpty { isOffered = nil }
        noteKnown(in: plan)
        return true
    }

    /// Greater than the number of a set that could not be read: pages may still show that one.
    private static let numberAfterUnreadable = 1 << 20

    private mutating func noteStart(of item: PlanItem) {
        if let page = item.start { starts = (starts ?? []) + [Start(item: item.id, page: page)] }
    }

    private static func place(after anchor: ItemID?, in rows: [Tonight.Row]) -> Int {
        anchor.flatMap { anchor in rows.firstIndex { $0.id == anchor } }.map { $0 + 1 } ?? 0
    }

    /// Forgets an added item.
    private mutating func drop(_ item: ItemID) {
        added.removeAll { $0 == item }
        moves.removeAll { $0.item == item }
        parts.removeAll { $0.item == item }
        remarks.removeAll { $0.item == item }
    }

    /// Finds the moves that lead to this order. An item that is back between its neighbours in the plan is no longer moved. Moves of
    /// items that are gone stay: the service may put an item back.
    private mutating func settle(_ order: [ItemID], moving item: ItemID, in plan: PlanContents) {
        let own = TonightSet().applied(to: plan, storing: []).tonight?.rows.map(\.id) ?? []
        let places = Dictionary(uniqueKeysWithValues: zip(own, own.indices))
        var moved = Set(moves.map(\.item)).union(added).union([item])
        for id in order where moved.contains(id) && places[id] != nil {
            let resting = order.filter { !moved.contains($0) || $0 == id }.compactMap { places[$0] }
            if zip(resting, resting.dropFirst()).allSatisfy(<) { moved.remove(id) }
        }
        let here = Set(order)
        moves =
            order.indices.filter { moved.contains(order[$0]) }.map { Move(item: order[$0], after: order[..<$0].reversed()) }
            + moves.filter { !here.contains($0.item) }
    }

    /// Whoever changes something has seen the plan as it is now. Items that are gone stay known as long as anything of them is kept.
    private mutating func noteKnown(in plan: PlanContents) {
        let rows = TonightSet().applied(to: plan, storing: []).tonight?.rows ?? []
        let here = Set(rows.map(\.id))
        let kept = Set(leftOut + moves.map(\.item) + parts.map(\.item) + remarks.map(\.item)).subtracting(added)
        known = rows.map { Known(item: $0.id, title: $0.item.title) } + known.filter { kept.contains($0.item) && !here.contains($0.item) }
    }
}
