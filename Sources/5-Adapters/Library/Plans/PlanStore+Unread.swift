public import Catalogue
public import Model

/// Plans that the service lists and that could not be read.
extension PlanStore {
    /// These plans, by id.
    public func unread() throws(LibraryError) -> [UnreadPlan] {
        try database.rows("SELECT plan, since, reason FROM unread_plans ORDER BY plan_id") { row throws(LibraryError) in
            UnreadPlan(
                plan: try StoredJSON.read(Plan.self, row.text(0), in: database), since: Timestamp(nanoseconds: Int64(row.integer(1))),
                reason: row.optionalText(2))
        }
    }

    /// Every plan that is here or that the service lists; one that never could be read has no items.
    public func allListed() throws(LibraryError) -> [PlanContents] {
        let all = try all()
        let here = Set(all.map(\.plan.id))
        return all + (try unread()).filter { !here.contains($0.plan.id) }.map { PlanContents(plan: $0.plan, items: []) }
    }

    /// Whether a plan is here.
    public func has(_ plan: PlanID) throws(LibraryError) -> Bool {
        try database.row("SELECT 1 FROM plans WHERE id = ?", [.id(plan)], { _ in true }) ?? false
    }

    func replace(unread plans: [UnreadPlan]) throws(LibraryError) {
        guard try unread() != plans else { return }
        try database.run("DELETE FROM unread_plans")
        for plan in plans {
            try database.run(
                "INSERT INTO unread_plans (plan_id, plan, since, reason) VALUES (?, ?, ?, ?)",
                [
                    .id(plan.plan.id), .text(try StoredJSON.write(plan.plan, in: database)), .time(plan.since),
                    plan.reason.map { .text($0) } ?? .null,
                ])
        }
    }
}
