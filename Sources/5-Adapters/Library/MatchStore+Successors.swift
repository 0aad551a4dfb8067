public import Catalogue
import ChartFiles
public import Model
import Platform

/// A chart that is uploaded again at the service becomes another attachment: marks made on the former attachment are meant for the new one.
extension MatchStore {
    /// Moves a match to the replacement of its chart. If a coming or pinned plan still shows the chart, the match stays. Otherwise
    /// it moves to a chart that such a plan shows: a chart with the same bytes, or the only chart with the same file name and
    /// title.
    public func present(_ match: MarkFileMatch, at now: Timestamp) throws(LibraryError) -> MarkFileMatch {
        guard try !isShown(match.attachment, at: now) else { return match }
        if let same = try shown(attachmentsWithBytes(of: match.attachment), at: now).first {
            return MarkFileMatch(same, markedOn: match.markedOn)
        }
        let former = try titles(of: match.attachment)
        var equal: [AttachmentID] = []
        for other in try shown(namesakes(of: match.attachment), at: now) {
            if try !former.isDisjoint(with: titles(ofShown: other)) { equal.append(other) }
        }
        // If there are two candidates, neither is used.
        guard equal.count == 1 else { return match }
        let bytes = try charts.all(of: match.attachment).first
        return MarkFileMatch(equal[0], markedOn: match.markedOn ?? bytes)
    }

    /// The chart on which to draw a layer that the service places on `sent`, and that is stored on `kept`.
    func present(_ sent: AttachmentID, keptOn kept: AttachmentID?, at now: Timestamp) throws(LibraryError) -> MarkFileMatch {
        let match = try present(MarkFileMatch(sent), at: now)
        // The layer may have moved to `kept` earlier, and the records by which the other `present` finds a replacement may be gone
        // since.
        guard match.attachment == sent, let kept, try isReplaced(sent, by: kept, at: now) else { return match }
        return MarkFileMatch(kept)
    }

    /// Moves the layers of a chart that was uploaded again to its replacement, unless a plan still shows the former chart.
    func passLayers(on former: AttachmentID, to other: AttachmentID, at now: Timestamp) throws(LibraryError) {
        guard try !isShown(former, at: now) else { return }
        let match = MarkFileMatch(other, markedOn: try charts.all(of: former).first)
        let layers = try database.rows("SELECT id FROM layers WHERE attachment_id = ? ORDER BY id", [.id(former)]) { LayerID($0.text(0)) }
        for layer in layers { try pass(layer, from: former, to: match) }
    }

    private func pass(_ layer: LayerID, from former: AttachmentID, to match: MarkFileMatch) throws(LibraryError) {
        try database.run(
            "UPDATE layers SET attachment_id = ?, marked_on = coalesce(marked_on, ?) WHERE id = ?",
            [.id(match.attachment), .optional(match.markedOn?.digest.hex), .id(layer)])
        try passChoices(about: layer, from: former, to: match.attachment)
    }

    /// Moves the choice to hide or show a layer or a file to another chart.
    private func passChoices(about layer: LayerID, from former: AttachmentID, to other: AttachmentID) throws(LibraryError) {
        for table in ["hidden_layers", "shown_layers"] {
            try database.run(
                "UPDATE OR REPLACE \(table) SET attachment_id = ? WHERE attachment_id = ? AND layer_id = ?",
                [.id(other), .id(former), .id(layer)])
        }
    }

    /// Returns whether plans show `other`, which has the same file name, but no longer `former`.
    func isReplaced(_ former: AttachmentID, by other: AttachmentID, at now: Timestamp) throws(LibraryError) -> Bool {
        guard former != other, try namesakes(of: former).contains(other), try !isShown(former, at: now) else { return false }
        return try isShown(other, at: now)
    }

    /// The files of charts that no coming or pinned plan shows any more, with those charts; but only if such a plan shows a chart
    /// with the same name or the same bytes. Among years of marks these files are few, and one search finds them all.
    public func filesOfFormerCharts(at now: Timestamp) throws(LibraryError) -> [(path: String, attachment: AttachmentID)] {
        try filesOfFormerCharts(at: now, where: "TRUE")
    }

    private func filesOfFormerCharts(
        at now: Timestamp, where condition: String
    ) throws(LibraryError) -> [(path: String, attachment: AttachmentID)] {
        let files = try filesWithCharts(where: condition)
        guard !files.isEmpty else { return [] }
        let shown = try shownCharts(at: now)
        return files.filter { file in
            !shown.ids.contains(file.attachment)
                && (shown.names.contains(file.name) || file.hashes.contains { shown.byHash[$0] != nil })
        }.map { ($0.path, $0.attachment) }
    }

    /// The files that were moved from the chart that they name, if a coming or pinned plan shows that chart again.
    public func filesToPassBack(at now: Timestamp) throws(LibraryError) -> [(path: String, from: AttachmentID, to: AttachmentID)] {
        let passedOn = try database.rows(
            """
            SELECT path, attachment_id, said_attachment FROM local_files
            WHERE attachment_id IS NOT NULL AND said_attachment IS NOT NULL AND said_attachment <> attachment_id ORDER BY path
            """
        ) { row in (path: row.text(0), from: AttachmentID(row.text(1)), to: AttachmentID(row.text(2))) }
        guard !passedOn.isEmpty else { return [] }
        let shown = try shownCharts(at: now).ids
        return passedOn.filter { shown.contains($0.to) }
    }

    /// Moves a file to another chart with its whole record: whether the file is hidden, and for which bytes its marks were made and
    /// accepted. Returns whether the file still belonged to `former`.
    @discardableResult
    public func pass(_ path: String, from former: AttachmentID, to match: MarkFileMatch) throws(LibraryError) -> Bool {
        try database.write { () throws(LibraryError) in
            if let before = match.markedOn, let now = try charts.all(of: match.attachment).first {
                try charts.followed.note(former, file: path, on: before, replacedBy: now)
            }
            let changes = try database.run(
                "UPDATE local_files SET attachment_id = ?, marked_on = coalesce(marked_on, ?) WHERE path = ? AND attachment_id = ?",
                [.id(match.attachment), .optional(match.markedOn?.digest.hex), .text(path), .id(former)])
            guard changes > 0 else { return false }
            try passChoices(about: LocalFile.layerID(ofFile: path), from: former, to: match.attachment)
            return true
        }
    }

    /// The user's files whose marks may be meant for another chart, ordered by path. Only charts of coming or pinned plans count.
    /// There are two cases:
    /// - No such plan shows the file's chart, but one shows a chart with the same file name and a title that fits.
    /// - Such a plan shows a chart with the same bytes. In addition, the file names its chart only by bytes, or the service no
    ///   longer lists a plan with the file's chart.
    public func marksOnOthers(at now: Timestamp) throws(LibraryError) -> [MarksOnAnother] {
        var found: [MarksOnAnother] = []
        for (path, attachment) in try filesOfFormerCharts(at: now, where: "marks <> '[]'") {
            let titles = try titles(of: attachment)
            let fileTitle = try fileTitle(of: attachment)
            for other in try shown(namesakes(of: attachment), at: now) {
                let others = try self.titles(ofShown: other)
                guard titles.subtracting([fileTitle]).isEmpty || !titles.isDisjoint(with: others) else { continue }
                found.append(
                    MarksOnAnother(
                        path: path, filename: try charts.chartName(attachment), attachment: attachment, other: other,
                        otherName: try charts.chartName(other), isShown: false))
                break
            }
        }
        let shown = try shownCharts(at: now)
        for file in try filesWithCharts(where: "marks <> '[]'") where shown.ids.contains(file.attachment) {
            // A reference by bytes fits either chart. A plan that was deleted and created again has the same charts as before.
            let mayBeEither = file.saysBytesOnly || !shown.named.contains(file.attachment)
            let twins = Set(file.hashes.flatMap { shown.byHash[$0] ?? [] }).subtracting([file.attachment])
            let meant = file.saysBytesOnly ? twins : twins.intersection(shown.named)
            guard mayBeEither, !meant.isEmpty else { continue }
            let name = try charts.chartName(file.attachment)
            guard let other = try attachmentsWithBytes(of: file.attachment).first(where: meant.contains) else { continue }
            found.append(
                MarksOnAnother(
                    path: file.path, filename: name, attachment: file.attachment, other: other, otherName: try charts.chartName(other),
                    isShown: true))
        }
        return found.sorted { $0.path.precedesByBytes($1.path) }
    }

    /// The charts of coming or pinned plans: their ids, their names, and their bytes.
    private func shownCharts(at now: Timestamp) throws(LibraryError) -> ShownCharts {
        let rows = try database.rows(
            """
            SELECT DISTINCT attachments.id, filename, hash, plan_id NOT IN (SELECT plan_id FROM gone_plans)
            FROM item_attachments JOIN plans ON plans.id = plan_id
                JOIN attachments ON attachments.id = item_attachments.attachment_id
                LEFT JOIN attachment_charts ON attachment_charts.attachment_id = attachments.id
            WHERE \(Self.isToCome)
            """, [.time(now - Plan.graceAfterLastTime)]
        ) { row in (id: AttachmentID(row.text(0)), name: row.text(1), hash: row.optionalText(2), isTold: row.integer(3) != 0) }
        var shown = ShownCharts()
        for row in rows {
            shown.ids.insert(row.id)
            shown.names.insert(row.name)
            if row.isTold { shown.named.insert(row.id) }
            if let hash = row.hash { shown.byHash[hash, default: []].insert(row.id) }
        }
        return shown
    }

    private struct ShownCharts {
        var ids: Set<AttachmentID> = []
        var names: Set<String> = []
        var byHash: [String: Set<AttachmentID>] = [:]
        /// The charts in plans that the service still lists.
        var named: Set<AttachmentID> = []
    }

    /// The files with readable marks that belong to a chart, by path, with the chart's name and bytes.
    private func filesWithCharts(where condition: String) throws(LibraryError) -> [FileWithChart] {
        let hashes = try database.groups(
            "SELECT attachment_id, hash FROM attachment_charts WHERE attachment_id IN (SELECT attachment_id FROM local_files)"
        ) { row in (AttachmentID(row.text(0)), row.text(1)) }
        return try database.rows(
            """
            SELECT path, attachment_id, filename,
                said_chart IS NOT NULL AND said_pdf IS NULL AND said_attachment IS NOT attachment_id
            FROM local_files JOIN attachments ON attachments.id = attachment_id
            WHERE marks IS NOT NULL AND \(condition) ORDER BY path
            """
        ) { row in
            let attachment = AttachmentID(row.text(1))
            return FileWithChart(
                path: row.text(0), attachment: attachment, name: row.text(2), hashes: hashes[attachment] ?? [],
                saysBytesOnly: row.integer(3) != 0)
        }
    }

    private struct FileWithChart {
        let path: String
        let attachment: AttachmentID
        /// The chart's file name, and the hashes of its bytes.
        let name: String
        let hashes: [String]
        /// `true` if the file names its chart only by the chart's bytes.
        let saysBytesOnly: Bool
    }

    /// SQL condition: a plan is coming, undated or pinned. The parameter is the earliest last time at which a plan counts as coming.
    private static var isToCome: String { "(last_time IS NULL OR last_time >= ? OR plans.id IN (SELECT plan_id FROM pins))" }

    private func shown(_ attachments: [AttachmentID], at now: Timestamp) throws(LibraryError) -> [AttachmentID] {
        var shown: [AttachmentID] = []
        for attachment in attachments where try isShown(attachment, at: now) { shown.append(attachment) }
        return shown
    }

    private func isShown(_ attachment: AttachmentID, at now: Timestamp) throws(LibraryError) -> Bool {
        try database.has(
            """
            SELECT 1 FROM item_attachments JOIN plans ON plans.id = plan_id
            WHERE attachment_id = ? AND \(Self.isToCome) LIMIT 1
            """, [.id(attachment), .time(now - Plan.graceAfterLastTime)]
        )
    }

    /// The other attachments with the same bytes; those with the same name come first.
    private func attachmentsWithBytes(of attachment: AttachmentID) throws(LibraryError) -> [AttachmentID] {
        try database.rows(
            """
            SELECT DISTINCT attachments.id, filename = (SELECT filename FROM attachments WHERE id = ?1) AS has_name
            FROM attachment_charts JOIN attachments ON attachments.id = attachment_id
            WHERE hash IN (SELECT hash FROM attachment_charts WHERE attachment_id = ?1) AND attachment_id <> ?1
            ORDER BY has_name DESC, attachments.id
            """, [.id(attachment)]
        ) { AttachmentID($0.text(0)) }
    }

    /// The other attachments with the same file name.
    private func namesakes(of attachment: AttachmentID) throws(LibraryError) -> [AttachmentID] {
        try database.rows(
            "SELECT id FROM attachments WHERE id <> ?1 AND filename = (SELECT filename FROM attachments WHERE id = ?1) ORDER BY id",
            [.id(attachment)]
        ) { AttachmentID($0.text(0)) }
    }

    /// The folded titles of the items that show an attachment, or that showed it when links were made for it.
    private func titles(of attachment: AttachmentID) throws(LibraryError) -> Set<String> {
        let links = try database.rows("SELECT path FROM links WHERE attachment_id = ?", [.id(attachment)]) { row in
            let link = ChartLink(path: row.text(0), attachment: attachment, target: "")
            return FileName.folded(String(link.name.dropLast(4).drop { $0.isASCII && $0.isNumber }.drop { $0 == " " }))
        }
        return try titles(ofShown: attachment).union(links)
    }

    /// The link name made from the file's name. It says nothing about the title: any song with several charts may have such a link.
    private func fileTitle(of attachment: AttachmentID) throws(LibraryError) -> String {
        let name = try charts.chartName(attachment)
        return FileName.folded(FileName.sanitised(name.lowercased().hasSuffix(".pdf") ? String(name.dropLast(4)) : name))
    }

    private func titles(ofShown attachment: AttachmentID) throws(LibraryError) -> Set<String> {
        Set(
            try database.rows(
                """
                SELECT DISTINCT title FROM item_attachments AS use JOIN items ON items.plan_id = use.plan_id AND items.place = use.item_place
                WHERE attachment_id = ?
                """, [.id(attachment)]
            ) { FileName.folded(FileName.sanitised($0.text(0))) })
    }
}
