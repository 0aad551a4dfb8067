import Agent
import Catalogue
import Library
import Model
import Platform
import TestSupport

/// What the musician changes in plans for one evening, while the service changes the plans.
extension Simulation {
    func changeTonight() throws {
        guard let life, !life.library.isOnlyInMemory, !isDiskLocked else { return }
        guard let contents = try? life.library.plans.all().filter({ !$0.plan.isPast(at: clock.timestamp) }).randomElement(using: &random)
        else { return }
        let plan = contents.plan.id
        let number = try life.library.plans.tonightSet(of: plan)?.number ?? 0
        let rows = contents.tonight?.rows.map(\.id) ?? contents.items.map(\.id)
        guard let item = rows.randomElement(using: &random) else { return }
        let anchor = oneIn(4) ? nil : rows.randomElement(using: &random)
        let edit: TonightEdit
        switch Int.random(in: 0..<10, using: &random) {
        case 0, 1: edit = .leaveOut(item, !oneIn(3))
        case 2...4: edit = .move(item, after: anchor)
        case 5, 6:
            let others = try life.library.plans.all().flatMap(\.items).filter { !$0.attachments.isEmpty }
            guard let other = others.randomElement(using: &random) else { return }
            edit = .add(other, after: anchor)
        case 7, 8: edit = .remark(item, "remark \(number)")
        default: edit = .asPlanned
        }
        trace.note("tonight: \(plan) \(edit)")
        // Another window's change comes too late.
        if number > 0, try life.agent.change(edit, of: plan, at: number - 1) != .overtaken { complain("a late change of \(plan) is made") }
        let outcome = try life.agent.change(edit, of: plan, at: number)
        guard outcome == .kept else { return trace.note("tonight: \(outcome)") }
        tonight[plan] = try life.library.plans.tonightSet(of: plan).map { ($0, clock.now) }
    }

    /// Whatever of tonight's sets can hold holds: nothing that was changed is lost, and whatever the service has besides is played.
    func checkTonight() throws {
        guard let life else { return }
        for (plan, known) in tonight.sorted(by: { $0.key < $1.key }) {
            guard let planned = try life.library.plans.asPlanned(plan), let played = try life.library.plans.plan(plan) else {
                tonight[plan] = nil
                continue
            }
            let set = try life.library.plans.tonightSet(of: plan)
            // A set ends a day after its plan is over, and the plan may have got another date since.
            if set == nil, clock.now - known.at >= .seconds(86_400) {
                tonight[plan] = nil
                continue
            }
            guard set == known.set else {
                complain("tonight's set of \(plan) was \(known.set) and is \(set.map { "\($0)" } ?? "lost")")
                continue
            }
            check(known.set, planned, played)
        }
    }

    private func check(_ set: TonightSet, _ planned: PlanContents, _ played: PlanContents) {
        let plan = planned.plan.id
        let (own, shown) = (planned.items.map(\.id), played.items.map(\.id))
        // An item that the service lists twice has another name the second time.
        guard Set(own).count == own.count else { return }
        if let item = own.first(where: { shown.contains($0) == set.leftOut.contains($0) }) {
            complain("\(item) of \(plan) is not as left out")
        }
        if let item = set.added.first(where: { !shown.contains($0) }) { complain("\(item), which was added to \(plan), is lost") }
        if shown.count != Set(shown).count { complain("an item of \(plan) is played twice") }
        let moved = Set(set.moves.map(\.item))
        let resting = own.filter { !moved.contains($0) && !set.leftOut.contains($0) }
        if shown.filter(resting.contains) != resting { complain("\(plan) does not follow the service's order: \(shown)") }
        for move in set.moves {
            guard let place = played.tonight?.rows.firstIndex(where: { $0.id == move.item }), let rows = played.tonight?.rows.map(\.id)
            else { continue }
            // Its nearest neighbour that is left stands before it, unless that was moved since.
            guard let anchor = move.after.first(where: rows.contains), let before = rows.firstIndex(of: anchor) else { continue }
            if before >= place { complain("\(move.item) of \(plan) does not follow \(anchor)") }
        }
        let said = Dictionary(played.tonight?.rows.map { ($0.id, $0.remark) } ?? []) { first, _ in first }
        for remark in set.remarks where said[remark.item] != nil && said[remark.item] != .some(remark.text) {
            complain("the remark on \(remark.item) of \(plan) is lost")
        }
    }

    /// Whether a plan has a chart that is not played tonight.
    func isLeftOutTonight(_ chart: String, of plan: PlanID, in library: Library) throws -> Bool {
        try library.plans.asPlanned(plan)?.attachments.contains { "\($0.id)" == chart } ?? false
            && library.plans.plan(plan)?.tonight?.differs ?? false
    }

    /// The names of the charts that were added to plans: the service may have removed them since.
    func addedTonight(_ library: Library) throws -> Set<String> {
        Set(try library.plans.all().flatMap { $0.tonight?.rows.filter(\.isAdded) ?? [] }.flatMap(\.item.attachments).map(\.filename))
    }
}
