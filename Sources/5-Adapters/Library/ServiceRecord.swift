public import Catalogue
public import Model
import Platform

/// Facts about the service as a whole: the settings of the last requests, the difference between the clocks, and failing polls.
public final class ServiceRecord: Store {
    // MARK: - Polls that fail

    /// Since when and why polls have failed; `nil` if the service answered the last poll completely.
    public var failingPolls: FailingPolls? {
        get throws(LibraryError) {
            try database.row("SELECT since, reason FROM failing_polls") { row in
                FailingPolls(since: row.moment(0), reason: row.words(1).text, brief: row.words(1).meaning)
            }
        }
    }

    /// Stores the failure of a poll; `nil` if all was answered. Writes only changes: without a network, every poll fails in the same way.
    public func note(failing polls: FailingPolls?) throws(LibraryError) {
        let known = try failingPolls
        guard let polls else {
            if known != nil { try database.run("DELETE FROM failing_polls") }
            return
        }
        guard known?.isSame(as: polls) != true else { return }
        try database.run(
            "INSERT INTO failing_polls (id, since, reason) VALUES (1, ?, ?) ON CONFLICT (id) DO UPDATE SET reason = excluded.reason",
            [.time(polls.since), .text(polls.reason, meaning: polls.brief)])
    }

    // MARK: - The account whose plans are here

    /// The account whose plans are stored; `nil` if the service never named an account.
    public var account: ServiceAccount? {
        get throws(LibraryError) {
            guard let text = try database.row("SELECT account FROM service_account", [], { $0.text(0) }) else { return nil }
            return try StoredJSON.read(ServiceAccount.self, text, in: database)
        }
    }

    /// Compares the account that the service names with the stored one. If the two differ, stores the new account as the other one and
    /// returns the stored account, whose data must not be changed until the user accepts the other one. If they agree, returns `nil`.
    public func otherHolder(than named: ServiceAccount) throws(LibraryError) -> ServiceAccount? {
        let known = try account
        if let known, !known.isSame(as: named) {
            try database.run(
                "UPDATE service_account SET other = ?1 WHERE other IS NOT ?1", [.text(try StoredJSON.write(named, in: database))])
            return known
        }
        // An organisation that is not named this time counts as unchanged.
        guard known != named, known?.organisation == nil || named.organisation != nil else {
            let isDoubted = try database.has("SELECT 1 FROM service_account WHERE other IS NOT NULL")
            if isDoubted { try database.run("UPDATE service_account SET other = NULL") }
            return nil
        }
        try database.run(
            "INSERT OR REPLACE INTO service_account (id, account) VALUES (1, ?)", [.text(try StoredJSON.write(named, in: database))])
        return nil
    }

    /// The other account that the service names, until the user accepts it.
    public var otherAccount: ServiceAccount? {
        get throws(LibraryError) {
            guard let text = try database.row("SELECT other FROM service_account WHERE other IS NOT NULL", [], { $0.text(0) }) else {
                return nil
            }
            return try StoredJSON.read(ServiceAccount.self, text, in: database)
        }
    }

    /// Accepts the other account that the service names, and returns it; `nil` if there is none.
    public func acceptAccount() throws(LibraryError) -> ServiceAccount? {
        guard let other = try otherAccount else { return nil }
        try database.run("UPDATE service_account SET account = other, other = NULL")
        return other
    }

    // MARK: - The clocks

    /// How far this machine's clock was ahead of the service's at the last comparison; `nil` if the clocks agreed.
    public var clockAhead: Duration? {
        get throws(LibraryError) { try database.number(.clockAhead).map { .nanoseconds($0) } }
    }

    /// Stores how far this machine's clock is ahead of the service's, if that is too far; `nil` if the clocks agree.
    ///
    /// If the difference has changed by more than five minutes, a clock was set, and hours counted from before are meaningless:
    /// everything that takes an hour to confirm starts again at `now`.
    public func record(clockAhead ahead: Duration?, at now: Timestamp) throws(LibraryError) {
        let known = try clockAhead
        let difference = (ahead ?? .zero) - (known ?? .zero)
        // Differences below a minute are ignored, so that a slightly wrong clock does not cause a write at every poll.
        guard (ahead == nil) != (known == nil) || difference <= .seconds(-60) || difference >= .seconds(60) else { return }
        // All times change together or not at all: the next comparison finds the clock unchanged, and would not restart any hour.
        try database.write { () throws(LibraryError) in
            try database.set(.clockAhead, to: ahead.map { Int(Timestamp(sinceEpoch: $0).nanoseconds) })
            guard difference < .zero - Self.smallestSetting || difference > Self.smallestSetting else { return }
            // How long a plan stayed unchanged is counted from its last change, and for a plan that is gone, until it vanished.
            // Both times are meaningless once a clock was set, so both become `now`.
            try database.run("UPDATE plans SET changed_at = ?", [.time(now)])
            for table in ["held_back", "gone_plans", "gone_layers", "layer_doubts", "download_faults", "failing_polls"] {
                try database.run("UPDATE \(table) SET since = ?", [.time(now)])
            }
        }
    }

    /// The least difference by which a clock must be set to count: a smaller one does not matter within an hour.
    private static var smallestSetting: Duration { .seconds(300) }

    // MARK: - The settings of the last requests

    /// When, and with which settings, the service sent each of these plans, if it has not answered completely since.
    public var askedPlans: [PlanID: (at: Timestamp, settings: AskedSettings?)] {
        get throws(LibraryError) {
            let rows = try database.rows("SELECT plan_id, asked_at, settings FROM asked_plans") {
                (plan: PlanID($0.text(0)), at: $0.moment(1), settings: $0.optionalText(2))
            }
            var asked: [PlanID: (at: Timestamp, settings: AskedSettings?)] = [:]
            for row in rows {
                asked[row.plan] = (
                    row.at,
                    try row.settings.map { text throws(LibraryError) in try StoredJSON.read(AskedSettings.self, text, in: database) }
                )
            }
            return asked
        }
    }

    /// Notes that the service sent these plans completely, but did not answer the whole poll.
    public func note(asked plans: [PlanID], with settings: AskedSettings?, at time: Timestamp) throws(LibraryError) {
        let text = try settings.map { settings throws(LibraryError) in try StoredJSON.write(settings, in: database) }
        try database.write { () throws(LibraryError) in
            for plan in plans {
                try database.run(
                    "INSERT OR REPLACE INTO asked_plans (plan_id, asked_at, settings) VALUES (?, ?, ?)",
                    [.id(plan), .time(time), text.map { .text($0) } ?? .null])
            }
        }
    }

    /// The settings with which the service last answered completely; `nil` if they were not stored.
    public var askedSettings: AskedSettings? {
        get throws(LibraryError) {
            guard let text = try database.row("SELECT settings FROM asked_settings", [], { $0.text(0) }) else { return nil }
            return try StoredJSON.read(AskedSettings.self, text, in: database)
        }
    }

    /// Stores the settings with which the service answered completely; writes nothing if they are unchanged.
    public func recordAsked(with settings: AskedSettings) throws(LibraryError) {
        guard try askedSettings != settings else { return }
        try database.run(
            "INSERT INTO asked_settings (id, settings) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET settings = excluded.settings",
            [.text(try StoredJSON.write(settings, in: database))])
    }
}

/// The service's answers, stored so that the service need not send the same data twice.
public final class StoredAnswers: Store {
    /// How many bytes of answers are stored before the oldest are dropped: enough for the coming plans of a busy quarter.
    private static var mostOfAnswers: Int { 4 << 20 }

    /// The answer stored under this name; `nil` if there is none, or if it has been altered since it was stored.
    public func answer(_ name: Digest) throws(LibraryError) -> StoredAnswer? {
        let found = try database.row("SELECT etag, body, told_at, sum FROM answers WHERE name = ?", [.text(name.hex)]) { row in
            (
                StoredAnswer(etag: row.text(0), body: row.bytes(1), sentAt: row.moment(2)),
                sum: row.text(3)
            )
        }
        guard let (answer, sum) = found, sum == answer.sum(under: name) else { return nil }
        return answer
    }

    /// Stores answers under their names, all of them or, if this throws, none; a `nil` answer deletes the stored one. Then deletes
    /// the oldest answers beyond the limit.
    public func save(_ answers: [Digest: StoredAnswer?]) throws(LibraryError) {
        try database.write { () throws(LibraryError) in
            for (name, answer) in answers.sorted(by: { $0.key < $1.key }) {
                guard let answer else {
                    try database.run("DELETE FROM answers WHERE name = ?", [.text(name.hex)])
                    continue
                }
                try database.run(
                    """
                    INSERT INTO answers (name, etag, size, told_at, sum, body) VALUES (?, ?, ?, ?, ?, ?)
                    ON CONFLICT (name) DO UPDATE SET
                        etag = excluded.etag, size = excluded.size, told_at = excluded.told_at, sum = excluded.sum, body = excluded.body
                    """,
                    [
                        .text(name.hex), .text(answer.etag), .integer(answer.size), .time(answer.sentAt), .text(answer.sum(under: name)),
                        .bytes(answer.body),
                    ])
            }
            try database.run(
                """
                DELETE FROM answers WHERE name IN (
                    SELECT name FROM (SELECT name, sum(size) OVER (ORDER BY told_at DESC, name) AS together FROM answers)
                    WHERE together > ?)
                """, [.integer(Self.mostOfAnswers)])
        }
    }
}

extension StoredAnswer {
    /// A checksum that shows whether an answer is unaltered, and still under the name that it was stored under.
    fileprivate func sum(under name: Digest) -> String {
        SHA256.digest(of: Array("\(name.hex) \(sentAt.nanoseconds) \(etag.utf8.count) \(etag) ".utf8) + body).hex
    }
}
