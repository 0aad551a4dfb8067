public import Catalogue
public import Model

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

    /// Writes down how far this machine's clock is ahead of the service's, if that is too far; `nil` if they agree.
    ///
    /// If the clock was set since the last comparison, no hours can be counted across that: whatever takes an hour to confirm
    /// starts again at `now`.
    public func record(clockAhead ahead: Duration?, at now: Timestamp) throws(LibraryError) {
        let known = try clockAhead
        let difference = (ahead ?? .zero) - (known ?? .zero)
        // To the minute, so that nothing is written at every poll if the clock runs slightly wrong.
        guard (ahead == nil) != (known == nil) || difference <= .seconds(-60) || difference >= .seconds(60) else { return }
        // All or nothing: the next comparison finds the same clock, and would not begin any hour again.
        try database.write { () throws(LibraryError) in
            if let ahead {
                try set("clock ahead", to: Timestamp(sinceEpoch: ahead))
            } else {
                try database.run("DELETE FROM stamps WHERE name = 'clock ahead'")
            }
            guard difference < .zero - Self.smallestSetting || difference > Self.smallestSetting else { return }
            // A plan that is gone counts as unchanged until it went; both times are meaningless now.
            try database.run("UPDATE plans SET changed_at = ?", [.time(now)])
            for table in ["held_back", "gone_plans", "gone_layers", "layer_doubts", "download_faults"] {
                try database.run("UPDATE \(table) SET since = ?", [.time(now)])
            }
        }
    }

    /// Less than the part of an hour that would matter.
    private static var smallestSetting: Duration { .seconds(300) }

    /// How far this machine's clock was ahead of the service's when they were last compared; `nil` if they agreed.
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
    /// Writes down the settings with which the service sent all that it has; nothing if they are written down already.
    public func recordAsked(with settings: AskedSettings) throws(LibraryError) {
        guard try askedSettings != settings else { return }
        try database.run(
            "INSERT INTO asked_settings (id, settings) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET settings = excluded.settings",
            [.text(try StoredJSON.write(settings, in: database))])
    }

    /// The settings with which the service last sent all that it has; `nil` if they were not written down.
    public var askedSettings: AskedSettings? {
        get throws(LibraryError) {
            guard let text = try database.row("SELECT settings FROM asked_settings", [], { $0.text(0) }) else { return nil }
            return try StoredJSON.read(AskedSettings.self, text, in: database)
        }
    }
}
