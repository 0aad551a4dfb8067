public import Catalogue
public import Model
import Platform

/// Facts about the service as a whole: the settings of the last requests, the difference of the clocks, and whether polls fail.
public final class ServiceRecord: Store {
    // MARK: - Polls that fail

    /// The trouble that polls have met since the service last answered in full; `nil` if the last one did.
    public var failingPolls: FailingPolls? {
        get throws(LibraryError) {
            try database.row("SELECT since, reason FROM failing_polls") { row in
                FailingPolls(since: row.moment(0), reason: row.words(1).text, brief: row.words(1).meaning)
            }
        }
    }

    /// Notes what a poll met; `nil` if all was answered. Writes only what is news: without a network, a poll meets the same all evening.
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

    /// The account whose plans are here; `nil` if the service never named one.
    public var account: ServiceAccount? {
        get throws(LibraryError) {
            guard let text = try database.row("SELECT account FROM service_account", [], { $0.text(0) }) else { return nil }
            return try StoredJSON.read(ServiceAccount.self, text, in: database)
        }
    }

    /// Notes the account that the service names, and returns the one whose plans are here if it is another. Nothing of that account may be
    /// changed then, until a person confirms that this is meant.
    public func otherHolder(than named: ServiceAccount) throws(LibraryError) -> ServiceAccount? {
        let known = try account
        if let known, !known.isSame(as: named) {
            try database.run(
                "UPDATE service_account SET other = ?1 WHERE other IS NOT ?1", [.text(try StoredJSON.write(named, in: database))])
            return known
        }
        // An organisation that is not named this time is the same as before.
        guard known != named, known?.organisation == nil || named.organisation != nil else {
            let isDoubted = try database.has("SELECT 1 FROM service_account WHERE other IS NOT NULL")
            if isDoubted { try database.run("UPDATE service_account SET other = NULL") }
            return nil
        }
        try database.run(
            "INSERT OR REPLACE INTO service_account (id, account) VALUES (1, ?)", [.text(try StoredJSON.write(named, in: database))])
        return nil
    }

    /// The other account that the service names, until it is accepted.
    public var otherAccount: ServiceAccount? {
        get throws(LibraryError) {
            guard let text = try database.row("SELECT other FROM service_account WHERE other IS NOT NULL", [], { $0.text(0) }) else {
                return nil
            }
            return try StoredJSON.read(ServiceAccount.self, text, in: database)
        }
    }

    /// Accepts the other account that the service names. Returns it; `nil` if there is none.
    public func acceptAccount() throws(LibraryError) -> ServiceAccount? {
        guard let other = try otherAccount else { return nil }
        try database.run("UPDATE service_account SET account = other, other = NULL")
        return other
    }

    // MARK: - The clocks

    /// How far this machine's clock was ahead of the service's when they were last compared; `nil` if they agreed.
    public var clockAhead: Duration? {
        get throws(LibraryError) { try database.number(.clockAhead).map { .nanoseconds($0) } }
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
            try database.set(.clockAhead, to: ahead.map { Int(Timestamp(sinceEpoch: $0).nanoseconds) })
            guard difference < .zero - Self.smallestSetting || difference > Self.smallestSetting else { return }
            // A plan that is gone counts as unchanged until then; both times are meaningless now.
            try database.run("UPDATE plans SET changed_at = ?", [.time(now)])
            for table in ["held_back", "gone_plans", "gone_layers", "layer_doubts", "download_faults", "failing_polls"] {
                try database.run("UPDATE \(table) SET since = ?", [.time(now)])
            }
        }
    }

    /// Less than the part of an hour that would matter.
    private static var smallestSetting: Duration { .seconds(300) }

    // MARK: - The settings of the last requests

    /// When the service sent these plans whole, and with which settings, if it has not answered in full since.
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

    /// Notes that the service sent these plans whole, without an answer in full.
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

    /// The settings with which the service last answered in full; `nil` if they were not noted.
    public var askedSettings: AskedSettings? {
        get throws(LibraryError) {
            guard let text = try database.row("SELECT settings FROM asked_settings", [], { $0.text(0) }) else { return nil }
            return try StoredJSON.read(AskedSettings.self, text, in: database)
        }
    }

    /// Notes the settings with which the service answered in full; writes nothing if they are the same.
    public func recordAsked(with settings: AskedSettings) throws(LibraryError) {
        guard try askedSettings != settings else { return }
        try database.run(
            "INSERT INTO asked_settings (id, settings) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET settings = excluded.settings",
            [.text(try StoredJSON.write(settings, in: database))])
    }
}

/// The service's answers, so that it need not send the same again.
public final class StoredAnswers: Store {
    /// How many bytes of answers are kept; beyond that the oldest go. It is what the coming plans of a busy quarter need.
    private static var mostOfAnswers: Int { 4 << 20 }

    /// The answer that was kept under this name; `nil` if there is none, or if it is not as it was written.
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

    /// Keeps answers under their names, all of them or, when it throws, none; `nil` drops one.
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
    /// A checksum that shows whether an answer is as it was written, and under the name that it was written under.
    fileprivate func sum(under name: Digest) -> String {
        SHA256.digest(of: Array("\(name.hex) \(sentAt.nanoseconds) \(etag.utf8.count) \(etag) ".utf8) + body).hex
    }
}
