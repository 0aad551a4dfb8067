public import Catalogue
public import Model

extension MarkFileStore {
    /// The former states of a chart's files, newest first.
    public func history(of attachment: AttachmentID) throws(LibraryError) -> [FormerMarks] {
        let present = try sums(ofFilesFor: attachment)
        return try history(
            where: "attachment_id = ?1 OR path IN (SELECT path FROM local_files WHERE attachment_id = ?1)", [.id(attachment)]
        ).map { $0.state(besides: present) }
    }

    /// The losses to report to people until they accept them. A loss is reported if at least half of the marks in a file's state
    /// are missing, or if ten or more marks vanished at the same time, even from several files. For each file, the result has the
    /// state with the most marks that no file of its chart has now.
    ///
    /// If `time` is given, the result has instead each file that vanished since then and is still gone, however many marks it lost; but of
    /// files whose marks were all in another one, too, only that one.
    public func vanishedMarks(goneSince time: Timestamp? = nil) throws(LibraryError) -> [AttachmentID: [FormerMarks]] {
        let isTold = time == nil ? "NOT accepted" : "vanished_at >= ? AND path NOT IN (SELECT path FROM local_files)"
        let states = try history(where: "\(isTold) AND attachment_id IS NOT NULL", time.map { [.time($0)] } ?? [])
        var lost: [(chart: AttachmentID, state: FormerMarks)] = []
        for case (let id?, let states) in Dictionary(grouping: states, by: \.attachment) {
            let present = try sums(ofFilesFor: AttachmentID(id))
            // The newest state is first.
            var counted = MarkSums([])
            for state in states {
                let found = try vanished(from: state, besides: present)
                guard found.missing > 0 else { continue }
                if time != nil {
                    let missing = state.sums.subtracting(present)
                    if missing.subtracting(counted).isEmpty { continue }
                    counted = MarkSums(counted.values + missing.subtracting(counted).values)
                }
                lost.append((AttachmentID(id), found))
            }
        }
        if time == nil {
            let atOnce = Dictionary(lost.map { ($0.state.vanishedAt, $0.state.missing) }, uniquingKeysWith: +)
            for place in lost.indices { lost[place].state.isOfMany = atOnce[lost[place].state.vanishedAt, default: 0] >= Self.many }
            lost.removeAll { !$0.state.isOfMany && $0.state.missing * 2 < $0.state.marks }
        }
        return Dictionary(grouping: lost, by: \.chart).mapValues { states in
            let worst = Dictionary(states.map { (Array($0.state.path.utf8), $0.state) }) { $0.missing < $1.missing ? $1 : $0 }
            return worst.values.sorted { $0.path.precedesByBytes($1.path) }
        }
    }

    /// If this many marks vanish at the same time, the loss is always reported, since no musician would want it to go unnoticed.
    private static var many: Int { 10 }

    /// The state as the file itself had it, without the marks that were moved here from other states. Of its marks that no file of the chart
    /// draws now, those whose ids live on in the file were changed, and are not missing.
    private func vanished(from state: HistoryEntry, besides present: MarkSums) throws(LibraryError) -> FormerMarks {
        let found = state.state(besides: present)
        guard found.missing > 0, state.sums.count > state.count || LocalFile.keepsIDs(state.path), let text = try text(of: state) else {
            return found
        }
        let marks = try MarksText.read(text, of: LocalFile.layerID(ofFile: state.path))
        let own = Array(marks.lazy.filter { $0.drawingSum != nil }.prefix(state.count))
        let missing = missing(of: own, besides: present, living: try living(marks, of: state)).count
        return FormerMarks(number: state.number, path: state.path, vanishedAt: state.vanishedAt, marks: own.count, missing: missing)
    }

    /// The ids of a state's marks that its file still has for the same chart, whatever the marks draw now. Ids that several marks have are
    /// left out, since they do not tell which mark it was.
    func living(_ marks: [Mark], of state: HistoryEntry) throws(LibraryError) -> Set<String> {
        guard let attachment = state.attachment, LocalFile.keepsIDs(state.path) else { return [] }
        let text = try database.row(
            "SELECT marks FROM local_files WHERE path = ? AND attachment_id = ?", [.text(state.path), .text(attachment)]
        ) { $0.optionalText(0) }
        let present = try MarksText.read((text ?? nil) ?? "[]", of: LocalFile.layerID(ofFile: state.path))
        let own = marks.lazy.filter { $0.drawingSum != nil }.prefix(state.count)
        return Self.idsOfOne(own).intersection(Self.idsOfOne(present))
    }

    private static func idsOfOne(_ marks: some Sequence<Mark>) -> Set<String> {
        Set(Dictionary(marks.map { ($0.id, 1) }, uniquingKeysWith: +).lazy.filter { $0.value == 1 }.map(\.key))
    }

    /// The marks that are neither drawn by the chart's files, which have the sums `present`, nor alive.
    private func missing(of marks: [Mark], besides present: MarkSums, living: Set<String>) -> [Mark] {
        var present = Dictionary(present.values.map { ($0, 1) }, uniquingKeysWith: +)
        func isThere(_ mark: Mark) -> Bool {
            guard let sum = mark.drawingSum else { return true }
            present[sum, default: 0] -= 1
            return present[sum, default: 0] >= 0
        }
        // What a living mark draws stands for no other one.
        for mark in marks where living.contains(mark.id) { _ = isThere(mark) }
        return marks.filter { !living.contains($0.id) && !isThere($0) }
    }

    /// The marks in a former state of a chart's file that none of the chart's files has now, placed on the chart's pages. If marks are gone,
    /// those that were only changed are left out. `nil` if there is no such state.
    public func missingMarks(of number: Int, on attachment: AttachmentID) throws(LibraryError) -> MarkFile? {
        guard try history(of: attachment).contains(where: { $0.number == number }),
            let state = try history(where: "number = ?", [.integer(number)]).first
        else { return nil }
        let row = try database.row("SELECT marks, sheets, marked_on FROM former_marks WHERE number = ?", [.integer(number)]) {
            (marks: $0.text(0), sheets: $0.optionalText(1), markedOn: $0.optionalText(2))
        }
        guard let row else { return nil }
        let marks = try MarksText.read(row.marks, of: LocalFile.layerID(ofFile: state.path))
        let present = try sums(ofFilesFor: attachment)
        var missing = missing(of: marks, besides: present, living: try living(marks, of: state))
        if missing.isEmpty { missing = self.missing(of: marks, besides: present, living: []) }
        Laying(sheets: try SheetsText.read(row.sheets, in: database), pages: try charts.geometries(of: attachment)).lay(&missing)
        let chart = try row.markedOn.map { hex throws(LibraryError) in try database.hash(hex) }
        return MarkFile(reference: MarkFile.Reference(attachment: attachment, chart: chart), marks: missing)
    }

    /// The numbers of the states with marks that no file of their chart has now, and that nobody has accepted the loss of.
    func statesWithLosses() throws(LibraryError) -> Set<Int> {
        var numbers: Set<Int> = []
        let states = try history(where: "NOT accepted AND attachment_id IS NOT NULL", [])
        for case (let id?, let states) in Dictionary(grouping: states, by: \.attachment) {
            let present = try sums(ofFilesFor: AttachmentID(id))
            for state in states {
                let found = try vanished(from: state, besides: present)
                if found.missing > 0 { numbers.insert(state.number) }
            }
        }
        return numbers
    }

    /// Accepts the losses of the states with these numbers.
    func accept(_ numbers: Set<Int>) throws(LibraryError) {
        for number in numbers { try database.run("UPDATE former_marks SET accepted = 1 WHERE number = ?", [.integer(number)]) }
    }

    /// Accepts that a chart's files lost marks. Returns whether there was a loss to report.
    func acceptVanishedMarks(of attachment: AttachmentID) throws(LibraryError) -> Bool {
        guard try vanishedMarks()[attachment] != nil else { return false }
        return try database.run("UPDATE former_marks SET accepted = 1 WHERE attachment_id = ? AND NOT accepted", [.id(attachment)]) > 0
    }

    /// Stores the states of files that are about to lose marks, and returns the states' numbers. Whether the marks have vanished
    /// shows only after all `files` are stored: the marks may be in another file now.
    func keepFormer(of files: [WrittenFile], _ gone: [String], at now: Timestamp) throws(LibraryError) -> [Int] {
        var numbers: [Int] = []
        func keep(_ path: String, besides sums: MarkSums, accountedFor ids: Set<String> = [], isAccepted: Bool) throws(LibraryError) {
            guard let former = try self.sums(of: path) else { return }
            var rest = former.subtracting(sums)
            if !rest.isEmpty, !ids.isEmpty { rest = rest.subtracting(try self.sums(of: ids, in: path)) }
            guard !rest.isEmpty else { return }
            if let number = try self.keep(path, former, vanished: rest.count, isAccepted: isAccepted, at: now) { numbers.append(number) }
        }
        for file in files {
            guard let sums = file.sums else { continue }
            // If the file now belongs to another chart, its marks are missing from the former chart.
            if let chart = try otherChart(of: file, at: now) {
                try keep(file.file.path, besides: MarkSums([]), isAccepted: try hasLeft(chart, file.file.path))
            } else {
                try keep(file.file.path, besides: sums, accountedFor: file.accountedFor, isAccepted: false)
            }
        }
        // A user who deletes a file knows that its marks are gone, and needs no note.
        for path in gone { try keep(path, besides: MarkSums([]), isAccepted: true) }
        return numbers
    }

    /// The sums of the marks with these ids in the file's last known state.
    private func sums(of ids: Set<String>, in path: String) throws(LibraryError) -> MarkSums {
        let text = try database.row("SELECT marks FROM local_files WHERE path = ?", [.text(path)]) { $0.optionalText(0) }
        let marks = try MarksText.read((text ?? nil) ?? "[]", of: LocalFile.layerID(ofFile: path))
        return MarkSums(of: marks.filter { ids.contains($0.id) })
    }

    /// The new chart of a file that now names another chart than before; `nil` if the new chart has replaced the former one, since
    /// nothing is missing then.
    private func otherChart(of file: WrittenFile, at now: Timestamp) throws(LibraryError) -> AttachmentID? {
        guard let present = file.file.attachment, let known = try writtenFile(at: file.file.path)?.file, let former = known.attachment,
            former != present, known.content?.reference != file.file.content?.reference,
            try matches.present(MarkFileMatch(former), at: now).attachment != present
        else { return nil }
        return present
    }

    /// Returns whether an unaccepted loss by this file on this chart is recorded already. Moving the marks back to the chart then
    /// needs no second report.
    private func hasLeft(_ attachment: AttachmentID, _ path: String) throws(LibraryError) -> Bool {
        try database.has(
            "SELECT 1 FROM former_marks WHERE path = ? AND attachment_id = ? AND NOT accepted", [.text(path), .id(attachment)])
    }

    /// Stores the present record of a file as a former state with the sums `marks`. Returns the state's number.
    @discardableResult
    func keep(_ path: String, _ marks: MarkSums, vanished: Int, isAccepted: Bool, at now: Timestamp) throws(LibraryError) -> Int? {
        try database.row(
            """
            INSERT INTO former_marks (path, attachment_id, marked_on, vanished_at, marks, sheets, sums, count, vanished, accepted)
            SELECT path, attachment_id, marked_on, ?2, marks, sheets, ?3, ?4, ?5, ?6 FROM local_files WHERE path = ?1 RETURNING number
            """,
            [.text(path), .time(now), .text(marks.text), .integer(marks.count), .integer(vanished), .flag(isAccepted)]
        ) { $0.integer(0) }
    }

    /// Deletes the states whose marks are all in files of the chart, or in those of `files` that have no other chart. Journals the
    /// losses of the other states, and drops states beyond the limit of `history`.
    func settle(_ numbers: [Int], with files: [WrittenFile], _ history: MarkHistory) throws(LibraryError) {
        var changes: [LibraryChange] = []
        for number in numbers {
            guard let kept = try self.history(where: "number = ?", [.integer(number)]).first else { continue }
            let attachment = kept.attachment.map { AttachmentID($0) }
            let others = try attachment.map { id throws(LibraryError) in try sums(ofFilesFor: id) } ?? MarkSums([])
            // The same marks in a file of another chart are a copy, not the marks that vanished here.
            let stored = files.filter { $0.file.attachment == nil || attachment == nil || $0.file.attachment == attachment }
            let present = MarkSums(others.values + stored.compactMap(\.sums?.values).joined())
            guard !kept.sums.subtracting(present).isEmpty else {
                try database.run("DELETE FROM former_marks WHERE number = ?", [.integer(number)])
                continue
            }
            let vanished = try vanished(from: kept, besides: present).missing
            // Nobody needs a note of marks that were only changed; what they drew before is kept all the same.
            try database.run(
                "UPDATE former_marks SET vanished = ?, accepted = max(accepted, ?) WHERE number = ?",
                [.integer(vanished), .flag(vanished == 0), .integer(number)])
            let lost = try drop(beyond: history, of: kept.path, files)
            let chart = try attachment.map { id throws(LibraryError) in LibraryChange.ChartReference(id: id, name: try charts.chartName(id))
            }
            if vanished > 0 { changes.append(.marksVanished(chart, path: kept.path, marks: vanished)) }
            if lost > 0 { changes.append(.formerMarksDropped(chart, path: kept.path, marks: lost)) }
        }
        try journal.record(changes, at: history.now)
    }

    struct HistoryEntry {
        let number: Int
        let path: String
        let attachment: String?
        /// The chart, and the file's pages with their sizes, that the marks were made on.
        let madeOn: [String?]
        let vanishedAt: Timestamp
        /// How many marks the state had, without those that were moved here from other states.
        let count: Int
        /// Whether nobody needs a note of the loss.
        let isAccepted: Bool
        var sums: MarkSums

        func state(besides present: MarkSums) -> FormerMarks {
            FormerMarks(number: number, path: path, vanishedAt: vanishedAt, marks: sums.count, missing: sums.subtracting(present).count)
        }
    }

    func history(where condition: String, _ values: [SQLValue]) throws(LibraryError) -> [HistoryEntry] {
        try database.rows(
            """
            SELECT number, path, attachment_id, vanished_at, sums, count, marked_on, sheets, accepted FROM former_marks
            WHERE \(condition) ORDER BY number DESC
            """, values
        ) { row in
            HistoryEntry(
                number: row.integer(0), path: row.text(1), attachment: row.optionalText(2), madeOn: [2, 6, 7].map { row.optionalText($0) },
                vanishedAt: row.moment(3), count: row.integer(5), isAccepted: row.integer(8) != 0,
                sums: MarkSums(text: row.text(4)))
        }
    }

    /// The sums of the marks that a known file draws; `nil` if the file could never be read.
    public func sums(of path: String) throws(LibraryError) -> MarkSums? {
        try database.row(
            "SELECT sums FROM mark_sums JOIN local_files USING (path) WHERE path = ? AND version = marks_version", [.text(path)]
        ) { MarkSums(text: $0.text(0)) }
    }

    /// The sums of the marks that all files of a chart draw together.
    func sums(ofFilesFor attachment: AttachmentID) throws(LibraryError) -> MarkSums {
        var all: [UInt64] = []
        for path in try database.rows("SELECT path FROM local_files WHERE attachment_id = ?", [.id(attachment)], { $0.text(0) }) {
            all += try sums(of: path)?.values ?? []
        }
        return MarkSums(all)
    }
}
