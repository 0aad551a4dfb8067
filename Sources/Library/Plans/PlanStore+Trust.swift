public import Catalogue
public import Model

/// Which time it is, as far as anything may be deleted for it. A machine's clock may be years off, and so may the service's: what they
/// both say at once, and both say again a day later, is believed.
extension PlanStore {
    /// So long apart are the two polls that vouch for a time.
    static var watch: Duration { .seconds(86_400) }

    /// Takes note of a poll at which the service told everything and meant the same time as we, and returns the latest time that was
    /// vouched for by a poll at least a day before this one; `nil` where there was none. Age is counted to that.
    func settledTime(trusting now: Timestamp) throws(LibraryError) -> Timestamp? {
        // What is to come was told by clocks that were wrong: the watch begins anew.
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

    /// Writes down which plans are past, each since it was first seen so; one that is not any more is forgotten.
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

    /// Writes down how far this machine's clock is ahead of the service's, where that is too far; `nil` where they agree.
    ///
    /// Where the clock was set since it was last compared, hours cannot be counted across that: whatever an hour is to confirm
    /// waits for one from `now` on.
    public func record(clockAhead ahead: Duration?, at now: Timestamp) throws(LibraryError) {
        let known = try clockAhead
        let difference = (ahead ?? .zero) - (known ?? .zero)
        // To the minute, so that polls of a clock that goes wrong evenly write nothing.
        guard (ahead == nil) != (known == nil) || difference <= .seconds(-60) || difference >= .seconds(60) else { return }
        if let ahead {
            try set("clock ahead", to: Timestamp(sinceEpoch: ahead))
        } else {
            try database.run("DELETE FROM stamps WHERE name = 'clock ahead'")
        }
        guard difference < .zero - Self.smallestSetting || difference > Self.smallestSetting else { return }
        // A plan that is gone was told as it is until it went, and neither time is worth anything now.
        try database.run("UPDATE plans SET changed_at = ?", [.time(now)])
        for table in ["held_back", "gone_plans", "layer_doubts", "download_faults"] {
            try database.run("UPDATE \(table) SET since = ?", [.time(now)])
        }
    }

    /// Less than a part of an hour that would matter.
    private static var smallestSetting: Duration { .seconds(300) }

    /// How far this machine's clock was ahead of the service's when that was last asked; `nil` where they agreed.
    public var clockAhead: Duration? {
        get throws(LibraryError) { try stamp("clock ahead").map { $0 - Timestamp(nanoseconds: 0) } }
    }

    private func stamp(_ name: String) throws(LibraryError) -> Timestamp? {
        try database.row("SELECT at FROM stamps WHERE name = ?", [.text(name)]) { Timestamp(nanoseconds: Int64($0.integer(0))) }
    }

    private func set(_ name: String, to time: Timestamp) throws(LibraryError) {
        try database.run(
            "INSERT INTO stamps (name, at) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET at = excluded.at", [.text(name), .time(time)])
    }
}

// MARK: - What the service was asked

extension PlanStore {
    /// Writes down with which settings the service told all that it has; nothing where that is written already.
    public func recordAsked(with settings: AskedSettings) throws(LibraryError) {
        guard try askedSettings != settings else { return }
        try database.run(
            "INSERT INTO asked_settings (id, settings) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET settings = excluded.settings",
            [.text(try StoredJSON.write(settings, in: database))])
    }

    /// With which settings the service last told all that it has; `nil` where that was not written down.
    public var askedSettings: AskedSettings? {
        get throws(LibraryError) {
            guard let text = try database.row("SELECT settings FROM asked_settings", [], { $0.text(0) }) else { return nil }
            return try StoredJSON.read(AskedSettings.self, text, in: database)
        }
    }
}
