import Catalogue
import Model

/// What time it is, when it comes to deleting anything. This machine's clock may be years off, and so may the service's: a time is
/// believed if both agree on it, and agree again a day later.
extension PlanStore {
    /// How far apart the two polls are that confirm a time.
    static var watch: Duration { .seconds(86_400) }

    /// Notes a poll at which the service sent everything and agreed with us about the time. Returns the latest time that was
    /// confirmed by a poll at least a day before this one; `nil` if there was none. Ages are counted up to that time.
    func settledTime(trusting now: Timestamp) throws(LibraryError) -> Timestamp? {
        // A time in the future came from clocks that were wrong: start again.
        guard let watched = try stamp("watched"), watched <= now else {
            try set("watched", to: now)
            try database.run("DELETE FROM stamps WHERE name = 'settled'")
            return nil
        }
        guard now - watched >= Self.watch else { return try stamp("settled") }
        try set("settled", to: watched)
        try set("watched", to: now)
        return watched
    }

    /// Writes down which plans are past, each with the time when that was first seen; a plan that is no longer past is forgotten.
    func notePastPlans(at now: Timestamp) throws(LibraryError) {
        let past = try allContents().map(\.plan).filter { $0.isPast(at: now) }.map(\.id)
        let seen = Dictionary(
            uniqueKeysWithValues: try database.rows("SELECT plan_id, since FROM past_plans") { row in
                (PlanID(row.text(0)), Timestamp(nanoseconds: Int64(row.integer(1))))
            })
        for plan in Set(seen.keys).subtracting(past) { try database.run("DELETE FROM past_plans WHERE plan_id = ?", [.id(plan)]) }
        for plan in past where seen[plan].map({ $0 > now }) ?? true {
            try database.run(
                "INSERT INTO past_plans (plan_id, since) VALUES (?, ?) ON CONFLICT (plan_id) DO UPDATE SET since = excluded.since",
                [.id(plan), .time(now)])
        }
    }

    private func stamp(_ name: String) throws(LibraryError) -> Timestamp? {
        try database.row("SELECT at FROM stamps WHERE name = ?", [.text(name)]) { Timestamp(nanoseconds: Int64($0.integer(0))) }
    }

    private func set(_ name: String, to time: Timestamp) throws(LibraryError) {
        try database.run(
            "INSERT INTO stamps (name, at) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET at = excluded.at", [.text(name), .time(time)])
    }
}
