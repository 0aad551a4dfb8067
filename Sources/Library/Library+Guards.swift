public import Model

extension Library {
    /// The plans that are kept as they were, by id.
    public func heldBack() throws(LibraryError) -> [HeldBackPlan] {
        try database.read { () throws(LibraryError) in
            var plans: [HeldBackPlan] = []
            for (id, held) in try heldContents().sorted(by: { $0.key < $1.key }) {
                guard let kept = try contents(of: id) else { continue }
                plans.append(
                    HeldBackPlan(plan: kept.plan, chartsKept: kept.attachments.count, told: held.told, since: held.since))
            }
            return plans
        }
    }

    /// Takes over what was held back of a plan. Returns whether anything was.
    public func accept(plan: PlanID, at time: Timestamp) throws(LibraryError) -> Bool {
        try database.write { () throws(LibraryError) in
            guard let held = try heldContents()[plan] else { return false }
            let decision = PollDecision(known: try knownPlans(), told: [held.told], accepted: [plan], at: time)
            try carryOut(decision, at: time)
            return true
        }
    }

    /// The plans that the service does not name any more, and since when.
    public func gonePlans() throws(LibraryError) -> [PlanID: Timestamp] {
        let rows = try database.rows("SELECT plan_id, since FROM gone_plans") { row in
            (PlanID(row.text(0)), Timestamp(nanoseconds: Int64(row.integer(1))))
        }
        return Dictionary(uniqueKeysWithValues: rows)
    }

    /// What the service says a plan is, where that is held back.
    func heldBack(of plan: PlanID) throws(LibraryError) -> PlanContents? {
        try heldContents()[plan]?.told
    }

    /// The contents that are held back.
    func toldContents() throws(LibraryError) -> [PlanContents] {
        try heldContents().values.map(\.told)
    }

    func knownPlans() throws(LibraryError) -> [PollDecision.Known] {
        let (held, gone) = (try heldContents(), try gonePlans())
        return try allContents().map { PollDecision.Known(contents: $0, held: held[$0.plan.id], isGone: gone[$0.plan.id] != nil) }
    }

    /// Writes what was decided, and nothing where that is nothing.
    func carryOut(_ decision: PollDecision, at time: Timestamp) throws(LibraryError) {
        for attachment in decision.attachments { try store(attachment) }
        for contents in decision.replaced { try replace(contents, at: time) }
        for plan in decision.released { try database.run("DELETE FROM held_back WHERE plan_id = ?", [.id(plan)]) }
        for (plan, held) in decision.held {
            try database.run(
                """
                INSERT INTO held_back (plan_id, since, told) VALUES (?, ?, ?)
                ON CONFLICT (plan_id) DO UPDATE SET since = excluded.since, told = excluded.told
                """, [.id(plan), .time(held.since), .text(try StoredJSON.write(held.told, in: database))])
        }
        for plan in decision.returned { try database.run("DELETE FROM gone_plans WHERE plan_id = ?", [.id(plan)]) }
        for plan in decision.gone {
            try database.run("INSERT INTO gone_plans (plan_id, since) VALUES (?, ?)", [.id(plan), .time(time)])
        }
        try record(decision.changes, at: time)
    }

    private func heldContents() throws(LibraryError) -> [PlanID: PollDecision.Held] {
        let rows = try database.rows("SELECT plan_id, since, told FROM held_back") { row throws(LibraryError) in
            (
                PlanID(row.text(0)),
                PollDecision.Held(
                    told: try StoredJSON.read(PlanContents.self, row.text(2), in: database),
                    since: Timestamp(nanoseconds: Int64(row.integer(1))))
            )
        }
        return Dictionary(uniqueKeysWithValues: rows)
    }
}
