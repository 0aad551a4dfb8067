public import Model

/// What a look at the folders of sets means for the plans. It depends only on what was found and what is known; a look reads, stores and
/// copies what it says.
public struct SetDecision: Sendable {
    /// A set, and the plan that it is.
    public struct Identified: Sendable {
        public let set: FoundSet
        public fileprivate(set) var plan: Plan
    }

    /// The sets that were found.
    public private(set) var sets: [Identified] = []
    /// The known sets that were not found because they, or folders around them, cannot be read.
    public let unread: [String: KnownSet]
    /// Whether all folders could be read, so that a set that was not found is gone.
    public let isWhole: Bool
    private let found: FoundSets
    private let known: [String: KnownSet]
    private let roots: [String]
    private let moment: @Sendable (Int64) -> Timestamp

    /// Finds out which plan each set is. `known` are the sets by their paths as the last look left them, `roots` the configured folders;
    /// `moment` turns the time that clocks show into an instant.
    public init(_ found: FoundSets, known: [String: KnownSet], roots: [String], moment: @escaping @Sendable (Int64) -> Timestamp) {
        (self.found, self.known, self.roots, self.moment) = (found, known, roots, moment)
        isWhole = found.away.isEmpty && !roots.isEmpty
        unread = Self.unread(known, found)
        identify()
    }

    /// A set that was renamed is the plan that it was, known by its number on its disk. What cannot be read has not vanished. A file with two
    /// names has its number twice, which then tells nothing.
    private mutating func identify() {
        let present = Set(found.sets.map(\.path))
        let vanished = Dictionary(grouping: known.filter { !present.contains($0.key) && unread[$0.key] == nil }.values, by: \.number)
        let new = Dictionary(grouping: found.sets.filter { known[$0.path] == nil }, by: \.number)
        var taken = Set(found.sets.compactMap { known[$0.path]?.plan }).union(unread.values.map(\.plan))
        for set in found.sets {
            let former = set.number.flatMap { number in
                if let all = vanished[number], all.count == 1, new[number]?.count == 1 { all.first?.plan } else { PlanID?.none }
            }
            let id = known[set.path]?.plan ?? former ?? newID(of: set, besides: taken)
            taken.insert(id)
            sets.append(Identified(set: set, plan: plan(set, id)))
        }
    }

    private func plan(_ set: FoundSet, _ id: PlanID) -> Plan { SetPlan.plan(set, id: id, moment: moment) }

    /// The id of a new set: its path from the configured folder, so that all who have the folder have the same id.
    private func newID(of set: FoundSet, besides taken: Set<PlanID>) -> PlanID {
        let root = roots.filter { set.path.utf8.starts(with: ($0 + "/").utf8) }.max { $0.utf8.count < $1.utf8.count } ?? ""
        let path = String(decoding: set.path.utf8.dropFirst(root.utf8.count + 1), as: UTF8.self)
        let ids = [PlanID.ofSet(path)] + (2...(taken.count + 2)).map { PlanID.ofSet("\(path)#\($0)") }
        return ids.first { !taken.contains($0) } ?? ids[0]
    }

    /// Whether the set at a place is surely the plan that it seems to be, whatever `takeOver` finds: no set has vanished, and it has no other
    /// set's number.
    public func isSettled(_ place: Int, kept: [PlanID: PlanContents]) -> Bool {
        let present = Set(sets.map(\.plan.id))
        guard isWhole, known.values.allSatisfy({ present.contains($0.plan) }) else { return false }
        return known[sets[place].set.path] != nil || kept[sets[place].plan.id] == nil
    }

    /// Gives a new set the plan of one that vanished with exactly the same charts: a program that syncs folders renames one by making
    /// another, and disks may have other numbers after a start of the machine. Where several sets may be meant, the time or the title must
    /// be the same, too. `due` are the places of the sets whose files were read, `kept` the plans that are here.
    public mutating func takeOver(_ due: [Int], _ assembly: SetPlan, kept: [PlanID: PlanContents]) {
        let former = Set(known.values.map(\.plan))
        var new: [(place: Int, charts: Set<AttachmentID>)] = []
        for place in due where known[sets[place].set.path] == nil {
            let set = sets[place].set
            let charts = Set(assembly.contents(of: set, as: sets[place].plan).attachments.map(\.id))
            guard !charts.isEmpty else { continue }
            if let other = kept[sets[place].plan.id] {
                // A disk may give the number of a folder that was removed to the next one that is made.
                let others = Set(other.attachments.map(\.id))
                guard former.contains(other.plan.id), !others.isEmpty, charts.isDisjoint(with: others) else { continue }
                sets[place].plan = plan(set, newID(of: set, besides: former.union(sets.map(\.plan.id))))
            }
            new.append((place, charts))
        }
        guard isWhole else { return }
        let vanished = former.subtracting(sets.map(\.plan.id)).subtracting(unread.values.map(\.plan)).compactMap { kept[$0] }
        var pairs = new.flatMap { place, charts in
            vanished.filter { Set($0.attachments.map(\.id)) == charts }.map { (place: place, plan: $0.plan) }
        }
        for isAlike in [true, false] {
            let likely = pairs.filter { pair in !isAlike || Self.areAlike(sets[pair.place].plan, pair.plan) }
            for pair in likely where likely.count(where: { $0.place == pair.place || $0.plan.id == pair.plan.id }) == 1 {
                sets[pair.place].plan = plan(sets[pair.place].set, pair.plan.id)
                pairs.removeAll { $0.place == pair.place || $0.plan.id == pair.plan.id }
            }
        }
    }

    private static func areAlike(_ plan: Plan, _ other: Plan) -> Bool {
        plan.firstTime == other.firstTime || !plan.title.isEmpty && plan.title == other.title
    }

    /// The new contents of the sets at the places `due`. A list keeps the charts that it had from a folder that is away: these are `away`.
    public func contents(
        _ due: [Int], _ assembly: SetPlan, kept: [PlanID: PlanContents], away: Set<AttachmentID> = []
    ) -> [PlanContents] {
        due.map { place in
            var new = assembly.contents(of: sets[place].set, as: sets[place].plan)
            if case .list = sets[place].set.contents, !away.isEmpty, let former = kept[sets[place].plan.id] {
                new.keepCharts(of: former, in: away)
            }
            return new
        }
    }

    /// The plans that the folders have, read or not; `nil` if there may be others.
    public var named: Set<PlanID>? { isWhole ? Set(sets.map(\.plan.id) + unread.values.map(\.plan)) : nil }

    /// The sets to know from now on. If it is not `sure` what is gone, what was known before stays known: it may come back as it was.
    public func knownNext(isSure: Bool) -> [String: KnownSet] {
        let present = Set(sets.map(\.plan.id))
        var next = (isSure ? unread : known).filter { !present.contains($0.value.plan) }
        for each in sets { next[each.set.path] = KnownSet(plan: each.plan.id, number: each.set.number) }
        return next
    }

    private static func unread(_ known: [String: KnownSet], _ found: FoundSets) -> [String: KnownSet] {
        let present = Set(found.sets.map(\.path))
        let missing = known.filter { !present.contains($0.key) }
        guard !missing.isEmpty else { return [:] }
        return missing.filter { path, _ in
            (found.others + found.away).contains { path == $0.path || path.utf8.starts(with: ($0.path + "/").utf8) }
        }
    }
}

extension SetDecision {
    /// Whether a plan lacks charts that it had and that are `away`, and names songs without charts.
    public static func hasLost(_ contents: PlanContents, _ kept: [PlanID: PlanContents], away: Set<AttachmentID>) -> Bool {
        guard !contents.leftOut.isEmpty, let kept = kept[contents.plan.id] else { return false }
        return !away.intersection(kept.attachments.map(\.id)).isSubset(of: contents.attachments.map(\.id))
    }

    /// The sets that their musician has clearly changed: every song has a chart, and nothing is less than before. The rest is judged as
    /// what a service sends, since a folder may be half copied, and a list half saved.
    public static func meant(_ plans: [PlanContents], _ kept: [PlanID: PlanContents]) -> Set<PlanID> {
        Set(
            plans.filter { contents in
                guard contents.leftOut.isEmpty, !contents.attachments.isEmpty else { return false }
                guard let former = kept[contents.plan.id] else { return true }
                return contents.attachments.count >= former.attachments.count && contents.items.count >= former.items.count
            }.map(\.plan.id))
    }
}

extension PlanContents {
    /// Gives each song without a chart those that it had before, if they are all `away`.
    fileprivate mutating func keepCharts(of former: PlanContents, in away: Set<AttachmentID>) {
        let former = Dictionary(former.undrawn.items.map { ($0.id, $0) }) { first, _ in first }
        for place in items.indices where items[place].attachments.isEmpty {
            guard let item = former[items[place].id], !item.attachments.isEmpty,
                item.attachments.allSatisfy({ away.contains($0.id) })
            else { continue }
            (items[place].attachments, items[place].song) = (item.attachments, item.song)
            if let line = leftOut.firstIndex(where: { $0.item == item.title }) { leftOut.remove(at: line) }
        }
        // The list may name another key by now.
        self = undrawn
    }
}
