import Acceptance
public import Catalogue
public import Model

/// The layers of marks that the service has or that others in the band share.
public final class LayerStore: Store {
    let charts: ChartStore
    let journal: JournalStore
    let matches: MatchStore
    let plans: PlanStore

    init(_ catalogue: OpenCatalogue, charts: ChartStore, journal: JournalStore, matches: MatchStore, plans: PlanStore) {
        self.charts = charts
        self.journal = journal
        self.matches = matches
        self.plans = plans
        super.init(catalogue)
    }

    /// Stores the layers that a poll of `plan` returned, all of them or, if this throws, none. Returns and journals the changes;
    /// writes nothing if there are none.
    ///
    /// Layers missing from the answer stay as they are: an answer with less in it deletes nothing. If a missing layer is on a chart
    /// that the plan still shows, it is flagged once. A layer that its owner deleted is kept with its `deletedAt` and is not drawn.
    ///
    /// `faults` has the reasons why layers could not be read in full. The good copy of a layer stays until a newer copy can be
    /// read. A copy that contradicts itself, has an absurd time of deletion or is on another chart must be confirmed for an hour
    /// (`doubts()`). An older copy must be accepted by the user. If the poll `isSuspect`, that is, had something older, the user
    /// must accept any removal of marks too.
    @discardableResult
    public func update(
        layers: [Layer], faults: [LayerID: String] = [:], of plan: PlanID, isSuspect: Bool = false, at time: Timestamp
    ) throws(LibraryError) -> [LibraryChange] {
        var seen: Set<LayerID> = []
        // If the service sends a layer twice, the last copy counts.
        let layers = layers.reversed().filter { seen.insert($0.id).inserted }.sorted { $0.id < $1.id }
        return try database.write { () throws(LibraryError) in
            var changes: [LibraryChange] = []
            for sent in layers {
                let (layer, markedOn) = try present(sent, at: time)
                changes += try adopt(try SentLayer(layer), fault: faults[layer.id], isSuspect: isSuspect, at: time)
                if let markedOn {
                    try database.run(
                        "UPDATE layers SET marked_on = ? WHERE id = ? AND attachment_id = ? AND marked_on IS NULL",
                        [.hash(markedOn), .id(layer.id), .id(layer.attachment)])
                }
                guard try isKnown(layer.id) else { continue }
                try database.run(
                    "INSERT INTO layer_plans (plan_id, layer_id) VALUES (?, ?) ON CONFLICT DO NOTHING", [.id(plan), .id(layer.id)])
                try database.run("DELETE FROM gone_layers WHERE plan_id = ? AND layer_id = ?", [.id(plan), .id(layer.id)])
            }
            let shown = try attachmentsSent(of: plan)
            changes += try flagMissingLayers(of: plan, sent: seen, on: shown, at: time)
            try endDoubts(on: shown, of: plan, besides: seen, at: time)
            try journal.record(changes, at: time)
            return changes
        }
    }

    /// A layer that was sent, with its marks encoded: encoding takes long, so it is done once.
    struct SentLayer {
        var layer: Layer
        let text: String

        init(_ layer: Layer, text: String) { (self.layer, self.text) = (layer, text) }
        init(_ layer: Layer) throws(LibraryError) { self.init(layer, text: try MarksText.write(layer.marks, of: layer.id)) }
    }

    /// Stores a layer that somebody in the band shares. Returns the changes.
    func update(ofBand sent: SentLayer, fault: String?, at time: Timestamp) throws(LibraryError) -> [LibraryChange] {
        let layer = try present(sent.layer, at: time).layer
        return try adopt(SentLayer(layer, text: sent.text), fault: fault, isSuspect: false, at: time)
    }

    /// Stops drawing layers, but keeps their contents. Returns the changes, and journals them if `isNews`.
    func stopDrawing(_ ids: [LayerID], isNews: Bool = true, at time: Timestamp) throws(LibraryError) -> [LibraryChange] {
        var changes: [LibraryChange] = []
        for id in ids {
            try database.run("DELETE FROM layer_doubts WHERE layer_id = ?", [.id(id)])
            guard var layer = try layers(where: "id = ?", .id(id)).first, layer.deletedAt == nil else { continue }
            layer.deletedAt = time
            if let change = try adopt(try SentLayer(layer)) { changes.append(change) }
        }
        if isNews { try journal.record(changes, at: time) }
        return changes
    }

    /// The layers of an attachment, including deleted ones, ordered by id.
    public func all(of attachment: AttachmentID) throws(LibraryError) -> [Layer] {
        try layers(where: "attachment_id = ?", .id(attachment)).sorted { $0.id < $1.id }
    }

    /// The layers that the service no longer sends although it did not report their deletion.
    public func gone() throws(LibraryError) -> Set<LayerID> {
        Set(try database.rows("SELECT layer_id FROM gone_layers") { LayerID($0.text(0)) })
    }

    private func layers(where condition: String, _ value: SQLValue) throws(LibraryError) -> [Layer] {
        try database.rows(
            "SELECT id, attachment_id, person_name, name, revision, updated_at, deleted_at, marks FROM layers WHERE \(condition)",
            [value]
        ) { row throws(LibraryError) in
            let id = LayerID(row.text(0))
            return Layer(
                id: id, attachment: AttachmentID(row.text(1)), personName: row.text(2), name: row.text(3), revision: row.integer(4),
                updatedAt: row.time(5), deletedAt: row.time(6), marks: try MarksText.read(row.text(7), of: id))
        }
    }

    /// The layer as it is to be stored: if its chart was uploaded again, the layer is moved to the chart that plans now show.
    /// `markedOn` is the chart that the marks were made on, if they were made on a different chart.
    private func present(_ sent: Layer, at time: Timestamp) throws(LibraryError) -> (layer: Layer, markedOn: ChartHash?) {
        let kept = try database.row("SELECT attachment_id FROM layers WHERE id = ?", [.id(sent.id)]) { AttachmentID($0.text(0)) }
        let match = try matches.present(sent.attachment, keptOn: kept, at: time)
        var layer = sent
        layer.attachment = match.attachment
        return (layer, match.markedOn)
    }

    private func isKnown(_ layer: LayerID) throws(LibraryError) -> Bool {
        try database.has("SELECT 1 FROM layers WHERE id = ?", [.id(layer)])
    }

    /// Stores as much of a layer as can be trusted.
    private func adopt(
        _ sentLayer: SentLayer, fault: String?, isSuspect: Bool, at time: Timestamp
    ) throws(LibraryError) -> [LibraryChange] {
        let sent = sentLayer.layer
        let former = try doubt(about: sent.id)
        // Layers are compared as text, so that an unchanged layer costs no decoding.
        if fault == nil, former == nil, try isSame(sentLayer) { return [] }
        var known = try known(of: sent, at: time)
        known.isSuspect = isSuspect
        let kept = known.kept
        let decision = LayerDecision(sent: sent, digest: Self.digest(of: sentLayer), fault: fault, known: known, at: time)
        var changes: [LibraryChange] = []
        if decision.isAdopted, let change = try adopt(sentLayer) { changes.append(change) }
        guard decision.doubt != former else { return changes }
        try set(doubt: decision.doubt, about: sent, on: decision.isAdopted ? sent.attachment : kept?.attachment ?? sent.attachment)
        if let doubt = decision.doubt, doubt.reason != former?.reason {
            let chart = try charts.chartName(kept?.attachment ?? sent.attachment)
            changes.append(.layerDoubted(.init(sent, chart: chart), doubt.reason))
        }
        return changes
    }

    private func known(of sent: Layer, at time: Timestamp) throws(LibraryError) -> LayerDecision.KnownLayer {
        let kept = try layers(where: "id = ?", .id(sent.id)).first
        return LayerDecision.KnownLayer(
            kept: kept, doubt: try doubt(about: sent.id),
            successor: try kept.flatMap { kept throws(LibraryError) in
                try matches.isReplaced(kept.attachment, by: sent.attachment, at: time) ? sent.attachment : nil
            }, clockAhead: try ServiceRecord(catalogue).clockAhead ?? .zero)
    }

    /// Returns whether one of these layers is older than its stored state: a sign that the service's data was restored from a backup.
    public func isPutBack(_ sent: [Layer], faults: [LayerID: String], at time: Timestamp) throws(LibraryError) -> Bool {
        for layer in sent where faults[layer.id] == nil {
            let isCandidate = try database.has(
                "SELECT 1 FROM layers WHERE id = ? AND (revision > ? OR updated_at > ?)",
                [.id(layer.id), .integer(layer.revision), .time(layer.updatedAt)])
            guard isCandidate else { continue }
            let layer = try present(layer, at: time).layer
            if LayerDecision.isSign(layer, fault: nil, known: try known(of: layer, at: time), at: time) { return true }
        }
        return false
    }

    private static func digest(of sent: SentLayer) -> Digest {
        let layer = sent.layer
        return SHA256.digest(
            of: [
                layer.attachment.text, "\(layer.revision)", layer.updatedAt?.description ?? "", layer.deletedAt?.description ?? "",
                sent.text,
            ].joined(separator: "\n"))
    }

    private func isSame(_ sent: SentLayer) throws(LibraryError) -> Bool {
        let layer = sent.layer
        return try database.has(
            """
            SELECT 1 FROM layers
            WHERE (id, attachment_id, person_name, name, revision, updated_at, deleted_at) IS (?1, ?2, ?3, ?4, ?5, ?6, ?7)
                AND (marks = ?8 OR deleted_at IS NOT NULL AND ?8 = '[]')
            """,
            [
                .id(layer.id), .id(layer.attachment), .text(layer.personName), .text(layer.name), .integer(layer.revision),
                .time(layer.updatedAt), .time(layer.deletedAt), .text(sent.text),
            ]
        )
    }

    /// Stores a layer unless it is unchanged, and returns the change.
    private func adopt(_ sent: SentLayer) throws(LibraryError) -> LibraryChange? {
        if try isSame(sent) { return nil }
        var (layer, marks) = (sent.layer, sent.text)
        let old = try layers(where: "id = ?", .id(layer.id)).first
        // If the deletion turns out to be a mistake, the layer's marks are needed.
        if layer.deletedAt != nil, layer.marks.isEmpty, let old {
            layer.marks = old.marks
            marks = try MarksText.write(layer.marks, of: layer.id)
        }
        // A layer that drew nothing before, or was on another chart, has no marks from an older version of this chart.
        let isSameWork = "attachment_id = excluded.attachment_id AND deleted_at IS NULL AND marks <> '[]'"
        try database.put(
            "layers", key: "id",
            [
                "id": .id(layer.id), "attachment_id": .id(layer.attachment), "person_name": .text(layer.personName),
                "name": .text(layer.name), "revision": .integer(layer.revision), "updated_at": .time(layer.updatedAt),
                "deleted_at": .time(layer.deletedAt), "marks": .text(marks), "marks_version": .text(MarksText.version(of: marks).hex),
                "last_page": .optional(layer.marks.map(\.page.value).max()),
            ],
            also: ", marked_on = CASE WHEN \(isSameWork) THEN marked_on END, accepted_on = CASE WHEN \(isSameWork) THEN accepted_on END")
        return LibraryChange.between(old, layer, chart: try charts.chartName(layer.attachment))
    }

    /// The charts of a plan for which the service should send layers: the charts that the service now shows in the plan. If a
    /// chart has left the plan, even if that change is held back, layers on the chart do not count as missing.
    private func attachmentsSent(of plan: PlanID) throws(LibraryError) -> Set<AttachmentID> {
        var contents = try plans.heldBack(of: plan)
        if contents == nil { contents = try plans.contents(of: plan) }
        return Set(contents?.attachments.map(\.id) ?? [])
    }

    /// Flags the layers that vanished without explanation; returns a change for each that was not already flagged for another plan.
    private func flagMissingLayers(
        of plan: PlanID, sent: Set<LayerID>, on shown: Set<AttachmentID>, at time: Timestamp
    ) throws(LibraryError) -> [LibraryChange] {
        let missing = try database.rows(
            """
            SELECT id, attachment_id, EXISTS (SELECT 1 FROM gone_layers WHERE layer_id = id)
            FROM layer_plans JOIN layers ON id = layer_id
            WHERE plan_id = ?1 AND deleted_at IS NULL
                AND NOT EXISTS (SELECT 1 FROM gone_layers WHERE layer_id = id AND plan_id = ?1)
            ORDER BY id
            """, [.id(plan)]
        ) { row in (LayerID(row.text(0)), AttachmentID(row.text(1)), row.integer(2) != 0) }
        .filter { !sent.contains($0.0) }
        guard !missing.isEmpty else { return [] }
        var changes: [LibraryChange] = []
        for (id, attachment, isKnownElsewhere) in missing where shown.contains(attachment) {
            try database.put("gone_layers", ["plan_id": .id(plan), "layer_id": .id(id), "since": .time(time)])
            guard !isKnownElsewhere, let layer = try layers(where: "id = ?", .id(id)).first else { continue }
            changes.append(.layerGone(.init(layer, chart: try charts.chartName(attachment))))
        }
        return changes
    }
}

/// Layers whose newest version from the service was not accepted, and plans for which the service sends no marks.
extension LayerStore {
    /// The layers that are not shown exactly as they were last sent; layers on one chart are adjacent.
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
                since: row.moment(4),
                reason: try StoredJSON.read(LayerDoubt.Reason.self, row.text(5), in: database), keepsFormer: row.integer(6) != 0)
        }
    }

    func doubt(about layer: LayerID) throws(LibraryError) -> LayerDecision.Doubt? {
        try database.row("SELECT since, reason, told, is_partial, accepted FROM layer_doubts WHERE layer_id = ?", [.id(layer)]) {
            row throws(LibraryError) in
            guard let digest = Digest(hex: row.text(2)) else {
                throw .damaged(path: database.path, message: "\"\(row.text(2))\" is not a digest")
            }
            return LayerDecision.Doubt(
                since: row.moment(0), reason: try StoredJSON.read(LayerDoubt.Reason.self, row.text(1), in: database), sent: digest,
                isPartial: row.integer(3) != 0, isAccepted: row.integer(4) != 0)
        }
    }

    /// Stores the remaining doubt about the layer `sent`; `nil` ends every doubt.
    func set(doubt: LayerDecision.Doubt?, about sent: Layer, on attachment: AttachmentID) throws(LibraryError) {
        guard let doubt else {
            try database.run("DELETE FROM layer_doubts WHERE layer_id = ?", [.id(sent.id)])
            return
        }
        try database.put(
            "layer_doubts", key: "layer_id",
            [
                "layer_id": .id(sent.id), "attachment_id": .id(attachment), "name": .text(sent.name), "person_name": .text(sent.personName),
                "since": .time(doubt.since), "reason": .text(try StoredJSON.write(doubt.reason, in: database)),
                "told": .text(doubt.sent.hex), "is_partial": .flag(doubt.isPartial), "accepted": .flag(doubt.isAccepted),
            ])
    }

    /// Accepts that the service's marks on a chart are older than those here, so that the next copy sent is adopted. Returns
    /// whether any marks were still to be accepted.
    func acceptPast(on attachment: AttachmentID) throws(LibraryError) -> Bool {
        try database.run(
            """
            UPDATE layer_doubts SET accepted = 1 WHERE attachment_id = ? AND NOT accepted
                AND (reason ->> '$.older' IS NOT NULL OR reason ->> '$.putBack' IS NOT NULL)
            """, [.id(attachment)]) > 0
    }

    /// Ends the doubts about layers on these charts that the service has not sent for `plan` for an hour; after that time the
    /// absence is accepted. For a layer that was never shown, the time of absence is not stored, so the age of the doubt counts.
    func endDoubts(
        on attachments: Set<AttachmentID>, of plan: PlanID, besides sent: Set<LayerID>, at now: Timestamp
    ) throws(LibraryError) {
        let others = try doubts().filter { !sent.contains($0.layer) && !BandStore.isOfBand($0.layer) }
        for doubt in others where attachments.contains(doubt.attachment) {
            try database.run(
                """
                DELETE FROM layer_doubts WHERE layer_id = ?1
                    AND coalesce((SELECT since FROM gone_layers WHERE plan_id = ?2 AND layer_id = ?1), since) <= ?3
                """, [.id(doubt.layer), .id(plan), .time(now - .seconds(3600))])
        }
    }

    // MARK: Plans whose marks are not sent at all

    /// Stores why the service does not send the marks on a plan; `nil` if it sends them.
    public func note(marksUntold reason: String?, of plan: PlanID, at time: Timestamp) throws(LibraryError) {
        let known = try database.row("SELECT reason FROM untold_marks WHERE plan_id = ?", [.id(plan)]) { $0.text(0) }
        guard known != reason else { return }
        if reason == nil { try database.run("DELETE FROM untold_marks WHERE plan_id = ?", [.id(plan)]) }
        guard let reason, try plans.has(plan) else { return }
        try database.run(
            """
            INSERT INTO untold_marks (plan_id, since, reason) VALUES (?, ?, ?)
            ON CONFLICT (plan_id) DO UPDATE SET reason = excluded.reason
            """, [.id(plan), .time(time), .text(reason)])
    }

    /// The plans whose marks the service does not send, since when, and why.
    public func untoldMarks() throws(LibraryError) -> [PlanID: (since: Timestamp, reason: String)] {
        try database.dictionary("SELECT plan_id, since, reason FROM untold_marks") { row in
            (PlanID(row.text(0)), (since: row.moment(1), reason: row.text(2)))
        }
    }

    /// Returns whether the service has marks on a plan.
    public func hasLayers(on plan: PlanID) throws(LibraryError) -> Bool {
        try database.has(
            """
            SELECT 1 FROM layer_plans JOIN layers ON id = layer_id WHERE plan_id = ? AND deleted_at IS NULL AND marks <> '[]' LIMIT 1
            """, [.id(plan)]
        )
    }

    /// The names of the layers that the service no longer sends, grouped by the chart that they are kept on.
    public func goneNames() throws(LibraryError) -> [AttachmentID: [String]] {
        try database.groups(
            """
            SELECT DISTINCT id, attachment_id, name, person_name FROM layers JOIN gone_layers ON layer_id = id
            WHERE deleted_at IS NULL AND marks <> '[]' ORDER BY id
            """
        ) { row in (AttachmentID(row.text(1)), Layer.displayName(row.text(2), by: row.text(3))) }
    }
}
