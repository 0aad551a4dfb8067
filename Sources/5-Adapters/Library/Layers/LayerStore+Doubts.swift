import Belief
public import Catalogue
public import Model

/// Layers whose newest version from the service was not accepted, and plans for which the service does not send any marks.
extension LayerStore {
    /// The layers that are not shown exactly as the service last sent them; those on one chart come together.
    public func doubts() throws(LibraryError) -> [LayerDoubt] {
        try database.rows(
            """
            SELECT layer_id, attachment_id, name, person_name, since, reason,
                is_partial = 0 AND EXISTS (SELECT 1 FROM layers WHERE id = layer_id AND deleted_at IS NULL AND marks <> '[]')
            FROM layer_doubts ORDER BY attachment_id, layer_id
            """
        ) { row throws(LibraryError) in
            LayerDoubt(
                layer: LayerID(row.text(0)), attachment: AttachmentID(row.text(1)), name: row.text(2), personName: row.text(3),
                since: Timestamp(nanoseconds: Int64(row.integer(4))),
                reason: try StoredJSON.read(LayerDoubt.Reason.self, row.text(5), in: database), keepsFormer: row.integer(6) != 0)
        }
    }

    func doubt(about layer: LayerID) throws(LibraryError) -> LayerDecision.Doubt? {
        try database.row("SELECT since, reason, told, is_partial, accepted FROM layer_doubts WHERE layer_id = ?", [.id(layer)]) {
            row throws(LibraryError) in
            LayerDecision.Doubt(
                since: Timestamp(nanoseconds: Int64(row.integer(0))),
                reason: try StoredJSON.read(LayerDoubt.Reason.self, row.text(1), in: database),
                told: try digest(row.text(2)), isPartial: row.integer(3) != 0, isAccepted: row.integer(4) != 0)
        }
    }

    /// Writes down what is still doubtful about a layer that was sent as `told`; with `nil`, that nothing is.
    func set(doubt: LayerDecision.Doubt?, about told: Layer, on attachment: AttachmentID) throws(LibraryError) {
        guard let doubt else {
            try database.run("DELETE FROM layer_doubts WHERE layer_id = ?", [.id(told.id)])
            return
        }
        try database.run(
            """
            INSERT OR REPLACE INTO layer_doubts (layer_id, attachment_id, name, person_name, since, reason, told, is_partial, accepted)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .id(told.id), .id(attachment), .text(told.name), .text(told.personName), .time(doubt.since),
                .text(try StoredJSON.write(doubt.reason, in: database)), .text(doubt.told.hex), .flag(doubt.isPartial),
                .flag(doubt.isAccepted),
            ])
    }

    /// Accepts that marks on a chart are older at the service than here: its next word about them is taken. Returns whether any are.
    nonisolated static func acceptPast(on attachment: AttachmentID, in database: Database) throws(LibraryError) -> Bool {
        try database.run(
            """
            UPDATE layer_doubts SET accepted = 1 WHERE attachment_id = ? AND NOT accepted
                AND (reason ->> '$.older' IS NOT NULL OR reason ->> '$.putBack' IS NOT NULL)
            """, [.id(attachment)]) > 0
    }

    /// Ends the doubts about layers on these charts that the service has not named for `plan` for an hour: that is how long it takes to
    /// believe it. Since when is not kept for a layer of which nothing was ever shown; there the age of the doubt counts.
    func endDoubts(
        on attachments: Set<AttachmentID>, of plan: PlanID, besides told: Set<LayerID>, at now: Timestamp
    ) throws(LibraryError) {
        for doubt in try doubts() where attachments.contains(doubt.attachment) && !told.contains(doubt.layer) {
            try database.run(
                """
                DELETE FROM layer_doubts WHERE layer_id = ?1
                    AND coalesce((SELECT since FROM gone_layers WHERE plan_id = ?2 AND layer_id = ?1), since) <= ?3
                """, [.id(doubt.layer), .id(plan), .time(now - .seconds(3600))])
        }
    }

    private func digest(_ hex: String) throws(LibraryError) -> Digest {
        guard let digest = Digest(hex: hex) else { throw .damaged(path: database.path, message: "\"\(hex)\" is not a digest") }
        return digest
    }

    // MARK: Marks that are not sent at all

    /// Writes down why the service does not send the marks on a plan; with `nil`, that it does.
    public func note(marksUntold reason: String?, of plan: PlanID, at time: Timestamp) throws(LibraryError) {
        let known = try database.row("SELECT reason FROM untold_marks WHERE plan_id = ?", [.id(plan)]) { $0.text(0) }
        guard known != reason else { return }
        guard let reason else {
            try database.run("DELETE FROM untold_marks WHERE plan_id = ?", [.id(plan)])
            return
        }
        guard try plans.contents(of: plan) != nil else { return }
        try database.run(
            """
            INSERT INTO untold_marks (plan_id, since, reason) VALUES (?, ?, ?)
            ON CONFLICT (plan_id) DO UPDATE SET reason = excluded.reason
            """, [.id(plan), .time(time), .text(reason)])
    }

    /// The plans whose marks the service does not send, since when, and why.
    public func untoldMarks() throws(LibraryError) -> [PlanID: (since: Timestamp, reason: String)] {
        let rows = try database.rows("SELECT plan_id, since, reason FROM untold_marks") { row in
            (PlanID(row.text(0)), (since: Timestamp(nanoseconds: Int64(row.integer(1))), reason: row.text(2)))
        }
        return Dictionary(uniqueKeysWithValues: rows)
    }

    /// Whether there are marks from the service on a plan.
    public func hasLayers(on plan: PlanID) throws(LibraryError) -> Bool {
        try database.row(
            """
            SELECT 1 FROM layer_plans JOIN layers ON id = layer_id WHERE plan_id = ? AND deleted_at IS NULL AND marks <> '[]' LIMIT 1
            """, [.id(plan)]
        ) { _ in true } ?? false
    }

    /// The names of the layers that the service no longer names, by the chart that they are kept on.
    public func goneNames() throws(LibraryError) -> [AttachmentID: [String]] {
        let rows = try database.rows(
            """
            SELECT DISTINCT id, attachment_id, name, person_name FROM layers JOIN gone_layers ON layer_id = id
            WHERE deleted_at IS NULL AND marks <> '[]' ORDER BY id
            """
        ) { row in
            (AttachmentID(row.text(1)), Layer.displayName(row.text(2), by: row.text(3)))
        }
        return Dictionary(grouping: rows, by: \.0).mapValues { $0.map(\.1) }
    }
}
