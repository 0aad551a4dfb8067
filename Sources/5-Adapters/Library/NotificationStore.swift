public import Catalogue
public import Model
import Platform

/// The notifications that were shown, stored so that each is shown only once, even if the program is restarted in between.
public final class NotificationStore: Store {
    public struct OfPlan: Hashable, Sendable {
        /// The last journal entry that the user has seen; `nil` until all of the plan's charts have been stored once.
        public let journalNumber: Int?
        /// `true` if the user knows that the plan is not ready, and the plan has not become ready since.
        public let isUnready: Bool
    }

    /// What the user knows about each plan, from notifications or from reading its changes.
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

    /// Notes that the user knows the changes of these plans up to a journal entry.
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

    /// Notes that the user knows that a plan is not ready, or that it is ready again.
    public func note(_ plan: PlanID, isUnready: Bool) throws(LibraryError) {
        try database.run(
            """
            INSERT INTO told_plans (plan_id, unready) SELECT id, ?2 FROM plans WHERE id = ?1
            ON CONFLICT (plan_id) DO UPDATE SET unready = excluded.unready
            """, [.id(plan), .flag(isUnready)])
    }

    /// `true` if the user knows that the service refuses the token.
    public var isRefusalKnown: Bool { get throws(LibraryError) { try database.number(.refusalNotified) != nil } }

    /// Notes that since `time` the user has known that the service refuses the token; `nil` if the token is accepted. Writes only changes.
    public func note(refusalAt time: Timestamp?) throws(LibraryError) {
        guard try isRefusalKnown != (time != nil) else { return }
        try database.set(.refusalNotified, to: time.map { Int($0.nanoseconds) })
    }
}
