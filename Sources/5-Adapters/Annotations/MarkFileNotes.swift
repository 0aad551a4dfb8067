/// Collects what was left out of a file, with one sentence for a thousand equal cases.
struct MarkFileNotes {
    private struct Note {
        let what: String
        let first: String
        var count: Int
    }

    /// At most as many kinds as the readers know: nothing that a file can invent, like names of tools, is part of a note.
    private var notes: [Note] = []

    /// Notes one case, or several in one place; `what` is in the plural and the same for all cases of a kind.
    mutating func add(_ what: String, count: Int = 1, at place: @autoclosure () -> String) {
        if let known = notes.firstIndex(where: { $0.what == what }) {
            notes[known].count += count
        } else {
            notes.append(Note(what: what, first: place(), count: count))
        }
    }

    /// One sentence for each kind.
    var sentences: [String] {
        notes.map { "\($0.what): \($0.count) (\($0.count > 1 ? "first on " : "")\($0.first))" }
    }
}
