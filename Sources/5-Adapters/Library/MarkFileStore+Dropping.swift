import Catalogue
import Model

extension MarkFileStore {
    /// Drops a file's stored states beyond the limit. States whose marks are all in another state go first: a user who erases one
    /// mark at a time, saving each time, should not lose the state that had them all. Then those that nobody needs a note of, as where marks
    /// were only changed; then the states with the fewest marks, oldest first. Marks that would exist nowhere else, and were not deleted or changed, move to the oldest state on the same pages that
    /// has room. Returns how many marks found no room.
    func drop(beyond history: MarkHistory, of path: String, _ files: [WrittenFile]) throws(LibraryError) -> Int {
        var states = try self.history(where: "path = ?", [.text(path)])
        var lost = 0
        while states.count > history.states, let oldest = states.indices.last {
            let isSpare = { (one: Int) in states.indices.contains { $0 != one && states[one].sums.subtracting(states[$0].sums).isEmpty } }
            let rank = { (one: Int) in (states[one].isAccepted ? 0 : 1, states[one].count) }
            let poorest = states.indices.reversed().min { rank($0) < rank($1) } ?? oldest
            let spare = states.indices.last(where: isSpare)
            let dropped = states.remove(at: spare ?? poorest)
            // If no states are kept, marks are not kept either.
            if spare == nil, !states.isEmpty {
                lost += try handOver(dropped, to: &states, history, deleted: try idsDeleted(in: files.last { $0.file.path == path }))
            }
            try database.run("DELETE FROM former_marks WHERE number = ?", [.integer(dropped.number)])
        }
        return lost
    }

    /// Moves marks that are only in `dropped` to another state. Returns how many marks found no room.
    private func handOver(
        _ dropped: HistoryEntry, to states: inout [HistoryEntry], _ history: MarkHistory, deleted: Set<String>
    ) throws(LibraryError) -> Int {
        let layer = LocalFile.layerID(ofFile: dropped.path)
        let marks = try text(of: dropped).map { text throws(LibraryError) in try MarksText.read(text, of: layer) } ?? []
        let present =
            if let id = dropped.attachment { try sums(ofFilesFor: AttachmentID(id)) } else { try sums(of: dropped.path) ?? MarkSums([]) }
        let others = states.map(\.sums) + [present]
        let settled = deleted.union(try living(marks, of: dropped))
        let kept = marks.filter { !settled.contains($0.id) }
        func outlasting(_ target: MarkSums) -> [Mark] { MarkSums.outlasting(kept, besides: others, addedTo: target) }
        let lost = outlasting(MarkSums([])).count
        guard lost > 0 else { return 0 }
        // Marks fit only the pages that they were made on. The search starts with the oldest state, which is last.
        for place in states.indices.reversed() where states[place].madeOn == dropped.madeOn {
            guard let former = try text(of: states[place]) else { continue }
            let added = outlasting(states[place].sums)
            let text = try MarksText.write(try MarksText.read(former, of: layer) + added, of: layer)
            guard text.utf8.count <= history.joinedBytes else { continue }
            states[place].sums = MarkSums(states[place].sums.values + MarkSums(of: added).values)
            // The number of marks stays as first recorded: what is moved here is no loss of its own.
            try database.run(
                """
                UPDATE former_marks SET marks = ?2, sums = ?3,
                    noticed_at = max(noticed_at, (SELECT noticed_at FROM former_marks WHERE number = ?4))
                WHERE number = ?1
                """, [.integer(states[place].number), .text(text), .text(states[place].sums.text), .integer(dropped.number)])
            return 0
        }
        return lost
    }

    func text(of state: HistoryEntry) throws(LibraryError) -> String? {
        try database.row("SELECT marks FROM former_marks WHERE number = ?", [.integer(state.number)]) { $0.text(0) }
    }

    /// The ids of the marks that a layer has deleted: all marks that the file accounts for, except the marks that it shows.
    private func idsDeleted(in file: WrittenFile?) throws(LibraryError) -> Set<String> {
        guard let file, !file.accountedFor.isEmpty else { return [] }
        return file.accountedFor.subtracting(try MarksText.read(file.text ?? "[]", of: file.file.layerID).map(\.id))
    }
}
