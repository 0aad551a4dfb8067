public import Model
import Platform

/// A chart that is uploaded anew at the service is another attachment: the marks that somebody made on the former one are meant for it.
extension Library {
    /// The same match or, where no plan shows that chart any more that is still to come or pinned, the chart that such a plan shows in its
    /// place: one with the same bytes, or the only one with the same file name for an item of the same title.
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
        // Where it could be either, it is neither.
        guard equal.count == 1 else { return match }
        let bytes = try charts(of: match.attachment).first
        return MarkFileMatch(equal[0], markedOn: match.markedOn ?? bytes)
    }

    /// The files that are for charts which no plan shows any more that is still to come or pinned, with those charts.
    public func filesOfFormerCharts(at now: Timestamp) throws(LibraryError) -> [(path: String, attachment: AttachmentID)] {
        let files = try database.rows(
            "SELECT path, attachment_id FROM local_files WHERE attachment_id IS NOT NULL AND marks IS NOT NULL ORDER BY path"
        ) { row in (path: row.text(0), attachment: AttachmentID(row.text(1))) }
        let shown = Set(try shown(Set(files.map(\.attachment)).sorted(), at: now))
        return files.filter { !shown.contains($0.attachment) }
    }

    /// Has a file be for another chart from now on, with all that is known of it: whether it is hidden, and on which bytes its marks were
    /// made and accepted. Returns whether it still was for `former`.
    @discardableResult
    public func pass(_ path: String, from former: AttachmentID, to match: MarkFileMatch) throws(LibraryError) -> Bool {
        try database.write { () throws(LibraryError) in
            let changes = try database.run(
                "UPDATE local_files SET attachment_id = ?, marked_on = coalesce(marked_on, ?) WHERE path = ? AND attachment_id = ?",
                [.id(match.attachment), .optional(match.markedOn?.digest.hex), .text(path), .id(former)])
            guard changes > 0 else { return false }
            for table in ["hidden_layers", "shown_layers"] {
                try database.run(
                    "UPDATE OR REPLACE \(table) SET attachment_id = ? WHERE attachment_id = ? AND layer_id = ?",
                    [.id(match.attachment), .id(former), .id(LocalFile.layerID(ofFile: path))])
            }
            return true
        }
    }

    /// What the user's files draw on charts that nobody sees, though a plan that is still to come or pinned has a chart which they may be
    /// meant for just as well: one of the same name, or one with the same bytes where they name nothing else. By path.
    public func marksOnOthers(at now: Timestamp) throws(LibraryError) -> [MarksOnAnother] {
        var found: [MarksOnAnother] = []
        for (path, attachment) in try filesOfFormerCharts(at: now) where try hasMarks(path) {
            let titles = try titles(of: attachment)
            let fileTitle = try fileTitle(of: attachment)
            for other in try shown(namesakes(of: attachment), at: now) {
                let others = try self.titles(ofShown: other)
                guard titles.subtracting([fileTitle]).isEmpty || !titles.isDisjoint(with: others) else { continue }
                found.append(
                    MarksOnAnother(path: path, filename: try chartName(attachment), attachment: attachment, other: other, isShown: false))
                break
            }
        }
        let byBytes = try database.rows(
            """
            SELECT path, attachment_id FROM local_files
            WHERE attachment_id IS NOT NULL AND said_chart IS NOT NULL AND said_pdf IS NULL AND coalesce(marks, '[]') <> '[]'
                AND said_attachment IS NOT attachment_id ORDER BY path
            """
        ) { row in (path: row.text(0), attachment: AttachmentID(row.text(1))) }
        for (path, attachment) in byBytes where try isShown(attachment, at: now) {
            guard let other = try shown(attachmentsWithBytes(of: attachment), at: now).first else { continue }
            found.append(
                MarksOnAnother(path: path, filename: try chartName(attachment), attachment: attachment, other: other, isShown: true))
        }
        return found.sorted { $0.path.precedesByBytes($1.path) }
    }

    private func hasMarks(_ path: String) throws(LibraryError) -> Bool {
        try database.row("SELECT 1 FROM local_files WHERE path = ? AND marks <> '[]'", [.text(path)]) { _ in true } ?? false
    }

    private func shown(_ attachments: [AttachmentID], at now: Timestamp) throws(LibraryError) -> [AttachmentID] {
        var shown: [AttachmentID] = []
        for attachment in attachments where try isShown(attachment, at: now) { shown.append(attachment) }
        return shown
    }

    private func isShown(_ attachment: AttachmentID, at now: Timestamp) throws(LibraryError) -> Bool {
        try database.row(
            """
            SELECT 1 FROM item_attachments JOIN plans ON plans.id = plan_id
            WHERE attachment_id = ? AND (last_time IS NULL OR last_time >= ? OR plan_id IN (SELECT plan_id FROM pins)) LIMIT 1
            """, [.id(attachment), .time(now - Plan.graceAfterLastTime)]
        ) { _ in true } ?? false
    }

    /// The other attachments that have the bytes of this one, those of its name first.
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

    /// The other attachments of this one's file name.
    private func namesakes(of attachment: AttachmentID) throws(LibraryError) -> [AttachmentID] {
        try database.rows(
            """
            SELECT id FROM attachments WHERE id <> ?1 AND filename = (SELECT filename FROM attachments WHERE id = ?1) ORDER BY id
            """, [.id(attachment)]
        ) { AttachmentID($0.text(0)) }
    }

    /// The titles, folded, of the items that show an attachment, or showed it when links were made to it.
    private func titles(of attachment: AttachmentID) throws(LibraryError) -> Set<String> {
        let links = try database.rows("SELECT path FROM links WHERE attachment_id = ?", [.id(attachment)]) { row in
            let link = ChartLink(path: row.text(0), attachment: attachment, target: "")
            return FileName.folded(String(link.name.dropLast(4).drop { $0.isASCII && $0.isNumber }.drop { $0 == " " }))
        }
        return try titles(ofShown: attachment).union(links)
    }

    /// What a link is called that bears the name of the file: it tells no title, for it may be that of any song with several charts.
    private func fileTitle(of attachment: AttachmentID) throws(LibraryError) -> String {
        let name = try chartName(attachment)
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
