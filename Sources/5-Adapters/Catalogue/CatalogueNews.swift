public import Model
import Platform

/// A report that the catalogue was not in the state in which it was left.
public enum CatalogueNews: Hashable, Sendable, CustomStringConvertible {
    /// The catalogue could not be used, and was replaced by a backup from this time.
    case restored(CatalogueCondition, backup: Timestamp, setAside: String?)
    /// The catalogue could not be used and had no backup: a new one was created, which knows none of the `charts` next to it.
    case begunAnew(CatalogueCondition, charts: Int, setAside: String?)
    /// The process that used the catalogue had to give it up, but saved all its contents first.
    case putBack(setAside: String?)
    /// The catalogue is not the last one that was used here, but it is used anyway.
    case replaced(regained: RegainedChoices?)

    public var description: String {
        switch self {
        case .restored(let condition, let backup, let setAside):
            "the catalogue \(condition.sentenceOfThePast): the backup of \(LocalTime.minute(nanosecondsSinceEpoch: backup.nanoseconds)) is used instead"
                + Self.kept(setAside)
                + "; what changed since then comes from the service and your mark files, but make pins, hidden marks and changes for tonight since then again"
        case .begunAnew(let condition, let charts, let setAside):
            "the catalogue \(condition.sentenceOfThePast), and there is no backup of it: a new one is started" + Self.kept(setAside)
                + Self.beside(charts) + ": run '\(woodshed("sync"))' as soon as there is a network"
        case .putBack(let setAside):
            "the catalogue or a file beside it was removed, replaced or damaged while it was in use: everything that was known is in place again"
                + Self.kept(setAside)
        case .replaced(let regained):
            "another catalogue was put in place of the one that was left here, and is used from now on; what it is missing comes from the service and your mark files, but set recent pins and hidden marks again"
                + (regained.map { "; \($0.sentence)" } ?? "")
        }
    }

    private static func beside(_ charts: Int) -> String {
        if charts == 0 { return "; there are no charts beside it, and only the service knows what the plans need" }
        return "; the \(charts == 1 ? "chart" : "\(charts) charts") beside it stay\(charts == 1 ? "s" : "") and can be opened in the "
            + "music folder, but only the service knows which plans need them"
    }

    private static func kept(_ path: String?) -> String { path.map { "; what was there is kept as \($0)" } ?? "" }
}

/// Choices that an older catalogue lacked and that were copied from a backup: neither the service nor any file has them.
public struct RegainedChoices: Hashable, Sendable {
    /// How many plans are pinned again.
    public internal(set) var pins = 0
    /// How many layers and files are hidden or shown again.
    public internal(set) var layers = 0
    /// When the backup was made.
    public let backup: Timestamp

    /// For example `1 pin and 2 hidden or shown layers come from the backup of 2026-11-22 10:04`.
    var sentence: String {
        let parts = [
            pins > 0 ? (pins == 1 ? "1 pin" : "\(pins) pins") : nil,
            layers > 0 ? (layers == 1 ? "1 hidden or shown layer" : "\(layers) hidden or shown layers") : nil,
        ].compactMap(\.self)
        return parts.joined(separator: " and ") + (pins + layers == 1 ? " comes" : " come") + " from the backup of "
            + LocalTime.minute(nanosecondsSinceEpoch: backup.nanoseconds)
    }
}

extension Database {
    /// Copies the user's choices from the newest intact backup, if that backup is a later state of this catalogue. Pins and vanished marks
    /// are added; other choices in the backup replace those of the catalogue. Returns how much was regained; `nil` if no pin, layer or file
    /// was.
    package func regainChoices(in folder: String) throws(LibraryError) -> RegainedChoices? {
        guard let backup = try CatalogueBackups(of: folder).newestWhole else { return nil }
        try run("ATTACH DATABASE ? AS backup", [.text(backup.path)])
        defer { _ = try? run("DETACH DATABASE backup") }
        // A backup of another library, or one older than this catalogue, has nothing to add.
        let goesOn = try row(
            """
            SELECT 1 FROM main.journal AS own JOIN backup.journal AS later USING (number, at, change)
            WHERE number = (SELECT max(number) FROM main.journal)
            """
        ) { _ in true }
        guard goesOn == true else { return nil }
        var regained = RegainedChoices(backup: backup.madeAt)
        try write { () throws(LibraryError) in
            regained.pins = try regainPins()
            regained.layers = try regain("hidden_layers", not: "shown_layers") + regain("shown_layers", not: "hidden_layers")
            regained.layers += try run(
                """
                DELETE FROM main.hidden_layers WHERE layer_id IN (SELECT id FROM backup.layers)
                    AND (attachment_id, layer_id) NOT IN (SELECT attachment_id, layer_id FROM backup.hidden_layers)
                    AND (SELECT max(number) FROM backup.journal) > (SELECT max(number) FROM main.journal)
                """)
            // Vanished marks are stored nowhere else.
            try copy("former_marks", where: "TRUE")
            try regainTonightSets()
            // A backup by an older program has no tables for bands.
            guard try has("SELECT 1 FROM backup.sqlite_schema WHERE name = 'band_shares'") else { return }
            // Charts that the user stopped sharing since then must not be shared again.
            try run("DELETE FROM main.band_shares")
            try copy("band_shares", where: "TRUE")
            try copy("band_left_out", where: "TRUE")
            if try has("SELECT 1 FROM backup.sqlite_schema WHERE name = 'band_decisions'") {
                try run("DELETE FROM main.band_decisions")
                try copy("band_decisions", where: "TRUE")
            }
            // The musician's way of viewing each song is stored nowhere else.
            guard try has("SELECT 1 FROM backup.sqlite_schema WHERE name = 'song_views'") else { return }
            try run("DELETE FROM main.song_views")
            try copy("song_views", where: "TRUE")
        }
        return regained.pins + regained.layers > 0 ? regained : nil
    }

    /// Adds the backup's pins, and returns their number. A pinned plan that is missing is copied as a whole, since a pin without
    /// its plan would keep nothing.
    private func regainPins() throws(LibraryError) -> Int {
        let missing = try rows("SELECT plan_id FROM backup.pins WHERE plan_id NOT IN (SELECT id FROM main.plans)") { $0.text(0) }
        let attachments = "(SELECT attachment_id FROM backup.item_attachments WHERE plan_id = ?1)"
        let charts = "hash IN (SELECT hash FROM backup.attachment_charts WHERE attachment_id IN \(attachments))"
        for plan in missing {
            for (table, condition) in [
                ("plans", "id = ?1"), ("attachments", "id IN \(attachments)"), ("charts", charts), ("chart_pages", charts),
                ("attachment_charts", "attachment_id IN \(attachments)"), ("items", "plan_id = ?1"), ("item_attachments", "plan_id = ?1"),
                ("left_out", "plan_id = ?1"), ("song_texts", "digest IN (SELECT digest FROM backup.item_songs WHERE plan_id = ?1)"),
                ("item_songs", "plan_id = ?1"), ("item_capos", "plan_id = ?1"), ("tonight_sets", "plan_id = ?1"),
            ] {
                try copy(table, where: condition, [.text(plan)])
            }
        }
        return try copy("pins", where: "TRUE")
    }

    /// Adds the backup's sets for one evening, which are stored nowhere else, with the items that are stored for them.
    private func regainTonightSets() throws(LibraryError) {
        guard try has("SELECT 1 FROM backup.sqlite_schema WHERE name = 'tonight_sets'") else { return }
        try run("DELETE FROM main.tonight_sets")
        try run("DELETE FROM main.items WHERE place >= \(TonightPlaces.first)")
        let ofPlans = "plan_id IN (SELECT id FROM main.plans)"
        let stored = "item_place >= \(TonightPlaces.first) AND \(ofPlans)"
        let attachments = "(SELECT attachment_id FROM backup.item_attachments WHERE \(stored))"
        let charts = "hash IN (SELECT hash FROM backup.attachment_charts WHERE attachment_id IN \(attachments))"
        for (table, condition) in [
            ("attachments", "id IN \(attachments)"), ("charts", charts), ("chart_pages", charts),
            ("attachment_charts", "attachment_id IN \(attachments)"), ("items", "place >= \(TonightPlaces.first) AND \(ofPlans)"),
            ("item_attachments", stored), ("song_texts", "digest IN (SELECT digest FROM backup.item_songs WHERE \(stored))"),
            ("item_songs", stored), ("item_capos", stored), ("tonight_sets", ofPlans),
        ] {
            try copy(table, where: condition)
        }
    }

    /// Applies the backup's choice for each layer, because the backup's choice is the later one.
    private func regain(_ table: String, not other: String) throws(LibraryError) -> Int {
        let added = try copy(table, where: "TRUE")
        guard added > 0 else { return 0 }
        try run("DELETE FROM main.\(other) WHERE (attachment_id, layer_id) IN (SELECT attachment_id, layer_id FROM backup.\(table))")
        return added
    }

    /// Copies missing rows. A backup by an older program may lack the table, or some of its columns.
    @discardableResult
    private func copy(_ table: String, where condition: String, _ values: [SQLValue] = []) throws(LibraryError) -> Int {
        let columns = try rows(
            "SELECT name FROM pragma_table_info(?1, 'main') INTERSECT SELECT name FROM pragma_table_info(?1, 'backup')", [.text(table)]
        ) { $0.text(0) }.joined(separator: ", ")
        guard !columns.isEmpty else { return 0 }
        return try run(
            "INSERT OR IGNORE INTO main.\(table) (\(columns)) SELECT \(columns) FROM backup.\(table) WHERE \(condition)", values)
    }
}
