public import Catalogue
public import Model

/// What became of a change of tonight's set.
public enum TonightOutcome: Hashable, Sendable {
    case kept
    /// Somebody has changed the set since the caller saw it.
    case overtaken
    /// An item that the change names is not in tonight's set.
    case unknownItem
}

/// What the musician has changed in plans for one evening. The changes are applied here, wherever plans are read for use, and nowhere where
/// an answer of the service is compared with what is known.
extension PlanStore {
    /// What is changed in a plan for tonight; `nil` if nothing ever was.
    public func tonightSet(of plan: PlanID) throws(LibraryError) -> TonightSet? {
        try database.row("SELECT edits FROM tonight_sets WHERE plan_id = ?", [.id(plan)]) { set(in: $0.text(0)) }
    }

    /// Reads a set. Damage in it, or a newer program's way to write it, ends no reading of plans: they are as their source has them.
    private func set(in text: String) -> TonightSet { (try? StoredJSON.read(TonightSet.self, text, in: database)) ?? .unreadable }

    /// A plan as it is played; `nil` if it is not stored.
    func played(_ plan: PlanID) throws(LibraryError) -> PlanContents? {
        guard let planned = try contents(of: plan) else { return nil }
        return try tonightSet(of: plan).map { set throws(LibraryError) in
            set.applied(to: planned, storing: try items(storedIn: plan))
        } ?? planned
    }

    /// These plans as they are played.
    func played(_ plans: [PlanContents]) throws(LibraryError) -> [PlanContents] {
        let sets = try database.dictionary("SELECT plan_id, edits FROM tonight_sets") { (PlanID($0.text(0)), set(in: $0.text(1))) }
        guard !sets.isEmpty else { return plans }
        return try plans.map { planned throws(LibraryError) in
            guard let set = sets[planned.plan.id] else { return planned }
            return set.applied(to: planned, storing: try items(storedIn: planned.plan.id))
        }
    }

    /// The items that are stored for tonight's set of a plan: those that are added, and those whose charts others show.
    private func items(storedIn plan: PlanID) throws(LibraryError) -> [PlanItem] {
        try items(of: plan, at: TonightPlaces.first..<Int.max)
    }

    /// Changes tonight's set of a plan, if its number is still `number`; 0 if nothing was ever changed. A set that cannot be read is replaced
    /// by whoever has seen that. An item that the change brings gets
    /// an id of its own. Ways of reading songs that were chosen for tonight are taken back together with everything else.
    @discardableResult
    public func change(
        _ edit: TonightEdit, of plan: PlanID, at number: Int, now: Timestamp
    ) throws(LibraryError) -> TonightOutcome {
        try database.write { () throws(LibraryError) in
            guard let planned = try contents(of: plan) else { throw .unknownPlan(plan) }
            var set = try tonightSet(of: plan) ?? TonightSet()
            guard set.number == number else { return .overtaken }
            let former = set
            var edit = edit
            var brought: [PlanItem] = []
            switch edit {
            case .add(var item, let anchor):
                item.id = ItemID("tonight-\(number + 1)")
                (edit, brought) = (.add(item, after: anchor), [item])
            case .show(var item?, let place):
                item.id = ItemID("tonight-\(number + 1)")
                (edit, brought) = (.show(item, at: place), [item])
            case .use(_, let items): brought = items
            default: break
            }
            let stored = try items(storedIn: plan)
            guard set.make(edit, in: planned, storing: stored) else { return .unknownItem }
            try store(stored + brought, of: set, in: plan)
            try database.put(
                "tonight_sets", key: "plan_id", ["plan_id": .id(plan), "edits": .text(try StoredJSON.write(set, in: database))])
            switch edit {
            case .asPlanned, .use:
                for reading in former.readings { try read(reading.song, as: reading.former, in: plan, at: now) }
            default: break
            }
            return .kept
        }
    }

    /// Stores those of these items that the set needs, in place of all that were stored for it.
    private func store(_ items: [PlanItem], of set: TonightSet, in plan: PlanID) throws(LibraryError) {
        try database.run("DELETE FROM items WHERE plan_id = ? AND place >= ?", [.id(plan), .integer(TonightPlaces.first)])
        for (place, item) in items.filter({ set.stored.contains($0.id) }).enumerated() {
            for attachment in item.attachments { try store(attachment) }
            try write(item, of: plan, at: TonightPlaces.first + place)
        }
    }

    /// Draws a song of the items that are stored for tonight's set in its present view.
    func drawStored(_ song: SongID, in plan: PlanID) throws(LibraryError) {
        let stored = try items(storedIn: plan)
        // Which items a set that cannot be read needs is not known.
        guard let set = try tonightSet(of: plan), !set.isUnreadable, stored.contains(where: { $0.song?.id == song }) else { return }
        let views = try songs.views(in: plan)
        guard let planned = try contents(of: plan)?.plan else { return }
        let drawn = PlanContents(plan: planned, items: stored.filter { $0.song?.id == song }).drawing(views).items
        try store(stored.map { item in drawn.first { $0.id == item.id } ?? item }, of: set, in: plan)
    }

    /// The plans whose sets of tonight the band is offered, as they are played.
    public func offered() throws(LibraryError) -> [PlanContents] {
        let plans = try database.rows("SELECT plan_id FROM tonight_sets ORDER BY plan_id") { PlanID($0.text(0)) }
        return try plans.map { plan throws(LibraryError) in try played(plan) }.compactMap(\.self).filter { $0.tonight?.isOffered == true }
    }

    /// Forgets the sets of plans that were already known to be past at `watched`: a set ends with its evening.
    func removeTonightSets(pastSince watched: Timestamp) throws(LibraryError) {
        let past = "plan_id IN (SELECT plan_id FROM past_plans WHERE since <= ?)"
        try database.run("DELETE FROM tonight_sets WHERE \(past)", [.time(watched)])
        try database.run("DELETE FROM items WHERE place >= ? AND \(past)", [.integer(TonightPlaces.first), .time(watched)])
    }
}
