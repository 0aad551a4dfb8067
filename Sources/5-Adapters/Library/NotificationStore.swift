public import Catalogue
public import Model
import Platform

/// The notifications that were shown, so that each is shown once, whatever is started again meanwhile.
public final class NotificationStore: Store {
    public struct OfPlan: Hashable, Sendable {
        /// The last journal entry that people know of; `nil` while the plan's charts have not all been here.
        public let journalNumber: Int?
        /// `true` if people know that it is not ready, and it has not become ready since.
        public let isUnready: Bool
    }

    /// What people know of each plan, by notifications or by having read its changes.
    public func ofPlans() throws(LibraryError) -> [PlanID: OfPlan] {
        return try database.dictionary(
            """
            SELECT plan_id, max(told.journal_number, coalesce(seen.journal_number, 0)), unready
            FROM told_plans AS told LEFT JOIN seen_plans AS seen USING (plan_id)
            """
        ) { row in
            (PlanID(row.text(0)), OfPlan(journalNumber: row.isNull(1) ? nil : row.integer(1), isUnready: row.integer(2) != 0))
        }
    }

    /// Notes that people know of the changes of these plans up to an entry of the journal.
    public func note(changesOf plans: [PlanID], upTo number: Int) throws(LibraryError) {
        try database.write { () throws(LibraryError) in
            for plan in plans {
                try database.run(
                    """
                    INSERT INTO told_plans (plan_id, journal_number) SELECT id, ?2 FROM plans WHERE id = ?1
                    ON CONFLICT (plan_id) DO UPDATE SET journal_number = excluded.journal_number
                    """, [.id(plan), .integer(number)])
            }
        }
    }

    /// Notes that people know that a plan is not ready, or that it is ready again.
    public func note(_ plan: PlanID, isUnready: Bool) throws(LibraryError) {
        try database.run(
            """
            INSERT INTO told_plans (plan_id, unready) SELECT id, ?2 FROM plans WHERE id = ?1
            ON CONFLICT (plan_id) DO UPDATE SET unready = excluded.unready
            """, [.id(plan), .flag(isUnready)])
    }

    /// `true` if people know that the service refuses the token.
    public var isRefusalKnown: Bool { get throws(LibraryError) { try database.number(.refusalNotified) != nil } }

    /// Notes that people know since `time` that the service refuses the token; `nil` if it accepts it. Writes only if that is news.
    public func note(refusalAt time: Timestamp?) throws(LibraryError) {
        guard try isRefusalKnown != (time != nil) else { return }
        try database.set(.refusalNotified, to: time.map { Int($0.nanoseconds) })
    }
}
