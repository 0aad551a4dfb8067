import Acceptance
public import Catalogue
public import Model

extension PlanStore {
    /// The plans with contents that are held back, ordered by id.
    public func heldBack() throws(LibraryError) -> [HeldBackPlan] {
        try database.read { () throws(LibraryError) in
            try heldContents().sorted(by: { $0.key < $1.key }).map { id, held throws(LibraryError) in
                // The sent contents get the charts that would be drawn here, like the stored contents.
                let sent = held.sent.drawing(try songs.views(in: id))
                return try contents(of: id).map { kept in
                    HeldBackPlan(plan: kept.plan, chartsKept: kept.attachments.count, sent: sent, since: held.since, reason: held.reason)
                }
            }.compactMap(\.self)
        }
    }

    /// Accepts a plan's contents that were held back; must be called inside a transaction. Returns whether there were any.
    func acceptHeldBack(of plan: PlanID, at time: Timestamp) throws(LibraryError) -> Bool {
        guard let held = try heldContents()[plan] else { return false }
        let decision = PollDecision(
            known: try knownPlans(of: plan.source, beside: [held.sent]), sent: [held.sent], accepted: [plan], at: time)
        try carryOut(decision, at: time)
        return true
    }

    /// Accepts that a plan has no charts by choice; must be called inside a transaction. Returns whether that is new.
    func acceptChoice(of plan: PlanID) throws(LibraryError) -> Bool {
        guard let contents = try contents(of: plan), contents.attachments.isEmpty, !contents.rules.isEmpty,
            try meantChoices()[plan] != contents.rules
        else { return false }
        try database.put("meant_choices", key: "plan_id", ["plan_id": .id(plan), "rules": .text(contents.rules)])
        return true
    }

    /// For each plan whose lack of charts the user has accepted, the rules that left the charts out.
    public func meantChoices() throws(LibraryError) -> [PlanID: String] {
        try database.dictionary("SELECT plan_id, rules FROM meant_choices") { (PlanID($0.text(0)), $0.text(1)) }
    }

    /// How many coming plans, out of how many, are missing from a list of all plans; `nil` if the number is not unusual.
    public func doubt(
        aboutList named: Set<PlanID>, of source: PlanSource = .service, at time: Timestamp
    ) throws(LibraryError) -> (missing: Int, of: Int)? {
        PollDecision.doubt(about: named, knowing: try database.read { () throws(LibraryError) in try knownPlans(of: source) }, at: time)
    }

    /// The plans that the service no longer lists, and when it stopped listing them.
    public func gone() throws(LibraryError) -> [PlanID: Timestamp] {
        try database.dictionary("SELECT plan_id, since FROM gone_plans") { (PlanID($0.text(0)), $0.moment(1)) }
    }

    /// The plans that are gone and now come after all others. While the service's list is doubted because it lacks most plans,
    /// these are only the plans that have been gone for an hour: any other missing plan may well be the next one to be played from.
    public func goneInOrder(at now: Timestamp) throws(LibraryError) -> Set<PlanID> {
        let gone = try gone()
        guard !gone.isEmpty, try database.time(.listDoubted) != nil else { return Set(gone.keys) }
        return Set(gone.filter { $0.value <= now - .seconds(3600) }.keys)
    }

    /// Stores whether the last list was doubted, if that has changed.
    func note(listIsDoubted: Bool, at time: Timestamp) throws(LibraryError) {
        let wasDoubted = try database.time(.listDoubted) != nil
        guard wasDoubted != listIsDoubted else { return }
        try database.set(.listDoubted, to: listIsDoubted ? Int(time.nanoseconds) : nil)
    }

    /// A plan's contents at the service, if they are held back.
    func heldBack(of plan: PlanID) throws(LibraryError) -> PlanContents? { try heldContents()[plan]?.sent }

    /// All contents that are held back.
    func sentContents() throws(LibraryError) -> [PlanContents] { try heldContents().values.map(\.sent) }

    /// The stored plans of a source, prepared for a comparison with `sent`.
    func knownPlans(of source: PlanSource, beside sent: [PlanContents] = []) throws(LibraryError) -> [PollDecision.KnownPlan] {
        let sent = Dictionary(sent.map { ($0.plan.id, $0) }) { first, _ in first }
        let (held, gone, lost) = (try heldContents(), try gone(), try lostCharts())
        return try allContents().filter { $0.plan.id.source == source }.map { contents in
            let id = contents.plan.id
            let known = sent[id].map(contents.compared) ?? contents.undrawn
            return PollDecision.KnownPlan(contents: known, held: held[id], goneSince: gone[id], lost: lost[id] ?? [])
        }
    }

    private func lostCharts() throws(LibraryError) -> [PlanID: [PollDecision.Lost]] {
        try database.groups("SELECT plan_id, attachment_id, filename, since, counts FROM lost_charts") { row in
            let lost = PollDecision.Lost(
                attachment: AttachmentID(row.text(1)), filename: row.text(2), since: row.moment(3), counts: row.integer(4) != 0)
            return (PlanID(row.text(0)), lost)
        }
    }

    private func replace(lost: [PollDecision.Lost], of plan: PlanID) throws(LibraryError) {
        let known = try database.rows("SELECT attachment_id FROM lost_charts WHERE plan_id = ?", [.id(plan)]) { AttachmentID($0.text(0)) }
        for chart in Set(known).subtracting(lost.map(\.attachment)) {
            try database.run("DELETE FROM lost_charts WHERE plan_id = ? AND attachment_id = ?", [.id(plan), .id(chart)])
        }
        for chart in lost {
            try database.put(
                "lost_charts", key: "plan_id, attachment_id",
                [
                    "plan_id": .id(plan), "attachment_id": .id(chart.attachment), "filename": .text(chart.filename),
                    "since": .time(chart.since), "counts": .flag(chart.counts),
                ], also: ", noticed_at = CASE WHEN since = excluded.since THEN noticed_at END")
        }
    }

    /// Carries out a decision; writes nothing if there is nothing to change.
    func carryOut(_ decision: PollDecision, at time: Timestamp) throws(LibraryError) {
        for attachment in decision.attachments { try store(attachment) }
        for contents in decision.replaced { try replace(contents.drawing(try songs.views(in: contents.plan.id)), at: time) }
        for (plan, lost) in decision.lost { try replace(lost: lost, of: plan) }
        for plan in decision.released { try database.run("DELETE FROM held_back WHERE plan_id = ?", [.id(plan)]) }
        for (plan, held) in decision.held {
            try database.put(
                "held_back", key: "plan_id",
                [
                    "plan_id": .id(plan), "since": .time(held.since), "told": .text(try StoredJSON.write(held.sent.asStored, in: database)),
                    "reason": .text(try StoredJSON.write(held.reason, in: database)),
                ])
        }
        for plan in decision.returned { try database.run("DELETE FROM gone_plans WHERE plan_id = ?", [.id(plan)]) }
        for plan in decision.gone { try database.put("gone_plans", ["plan_id": .id(plan), "since": .time(time)]) }
        try journal.record(decision.changes, at: time)
    }

    private func heldContents() throws(LibraryError) -> [PlanID: PollDecision.Held] {
        try database.dictionary("SELECT plan_id, since, told, reason FROM held_back") { row throws(LibraryError) in
            let sent = try StoredJSON.read(PlanContents.self, row.text(2), in: database).asRead
            let reason = try StoredJSON.read(HoldReason.self, row.text(3), in: database)
            return (PlanID(row.text(0)), PollDecision.Held(sent: sent, since: row.moment(1), reason: reason))
        }
    }
}

/// The time that decides about deletions. This machine's clock may be years off, and so may the service's: a time is trusted if
/// both clocks agree on it, and agree again a day later.
extension PlanStore {
    /// The least time between the two polls that confirm a time.
    static var watch: Duration { .seconds(86_400) }

    /// Notes a poll at which the service sent everything and agreed about the time. Returns the time of the last such poll that
    /// another one, at least a day later, has confirmed; `nil` if there is none. Ages are counted up to that time.
    func settledTime(trusting now: Timestamp) throws(LibraryError) -> Timestamp? {
        // A stored time in the future came from wrong clocks, so the confirmation starts again.
        guard let watched = try database.time(.watched), watched <= now else {
            try database.set(.watched, to: now)
            try database.set(.settled, to: nil)
            return nil
        }
        guard now - watched >= Self.watch else { return try database.time(.settled) }
        try database.set(.settled, to: watched)
        try database.set(.watched, to: now)
        return watched
    }

    /// Notes which plans are past, each with the time when that was first seen; plans that are no longer past lose this note.
    func notePastPlans(at now: Timestamp) throws(LibraryError) {
        let past = try allContents().map(\.plan).filter { $0.isPast(at: now) }.map(\.id)
        let seen = try database.dictionary("SELECT plan_id, since FROM past_plans") { (PlanID($0.text(0)), $0.moment(1)) }
        for plan in Set(seen.keys).subtracting(past) { try database.run("DELETE FROM past_plans WHERE plan_id = ?", [.id(plan)]) }
        for plan in past where seen[plan].map({ $0 > now }) ?? true {
            try database.put("past_plans", key: "plan_id", ["plan_id": .id(plan), "since": .time(now)])
        }
    }
}

/// Plans that the service lists but that could not be read.
extension PlanStore {
    /// The plans that could not be read, ordered by id.
    public func unread() throws(LibraryError) -> [UnreadPlan] {
        try database.rows("SELECT plan, since, reason FROM unread_plans ORDER BY plan_id") { row throws(LibraryError) in
            UnreadPlan(plan: try StoredJSON.read(Plan.self, row.text(0), in: database), since: row.moment(1), reason: row.optionalText(2))
        }
    }

    /// The plans that are only listed, without any stored contents.
    public func onlyListed() throws(LibraryError) -> [UnreadPlan] {
        let here = Set(try database.rows("SELECT id FROM plans") { PlanID($0.text(0)) })
        return try unread().filter { !here.contains($0.plan.id) }
    }

    /// Every plan that is stored or that the service lists; a plan that could never be read has no items.
    public func allListed() throws(LibraryError) -> [PlanContents] {
        try all() + onlyListed().map { PlanContents(plan: $0.plan, items: []) }
    }

    public func has(_ plan: PlanID) throws(LibraryError) -> Bool {
        try database.has("SELECT 1 FROM plans WHERE id = ?", [.id(plan)])
    }

    func replace(unread plans: [UnreadPlan]) throws(LibraryError) {
        guard try unread() != plans else { return }
        try database.run("DELETE FROM unread_plans")
        for plan in plans {
            try database.put(
                "unread_plans",
                [
                    "plan_id": .id(plan.plan.id), "plan": .text(try StoredJSON.write(plan.plan, in: database)),
                    "since": .time(plan.since), "reason": .optional(plan.reason),
                ])
        }
    }
}
