import Glibc
package import Platform

/// A catalogue that is being moved from one library to another, on this machine or a different one.
package enum MovedCatalogue {
    /// A complete, checked copy of a library's catalogue, under a temporary name next to it.
    package static func copy(from folder: String) throws(LibraryError) -> TemporaryFile {
        let source = try CatalogueFile.openToRead(in: folder)
        defer { source.close() }
        return try source.unpublishedCopy(inFolderOf: CatalogueFile.path(in: folder)) { _ in }
    }

    /// The hashes of all charts in a copy of a catalogue, including former charts.
    package static func charts(in copy: borrowing TemporaryFile) throws(LibraryError) -> Set<String> {
        let database = try Database(path: copy.path, access: .readOnly)
        defer { database.close() }
        return Set(try database.rows("SELECT hash FROM charts") { $0.text(0) })
    }

    /// Adapts a copy to the library in whose folder it was put. Each path in a `former` folder becomes a path in the folder `now`.
    /// The copy gets a new number, so that neither library mistakes the other's catalogue for an older copy of its own.
    package static func settle(_ copy: TemporaryFile, folders: [(former: String, now: String)]) throws(LibraryError) {
        switch try CatalogueCondition.of(copy.path, thoroughly: true) {
        case .intact, .blank: break
        case .damaged(let message): throw .damaged(path: copy.path, message: message)
        case .missing, .empty, .foreign: throw .foreign(path: copy.path)
        }
        let database = try Database(path: copy.path, access: .readWrite)
        defer { database.close() }
        try database.run("PRAGMA trusted_schema = OFF")
        // Our catalogues have no triggers or views; in another program's file, the statements below would run them.
        let foreign = try database.row("SELECT count(*) FROM sqlite_schema WHERE type IN ('trigger', 'view')") { $0.integer(0) }
        guard foreign == 0 else { throw .foreign(path: copy.path) }
        // The file still has only its temporary name, so its loss does no harm.
        try database.run("PRAGMA journal_mode = MEMORY")
        try Migration.apply(Migration.all, to: database)
        try database.write { () throws(LibraryError) in
            for (former, now) in folders where former != now {
                for (table, column, start) in paths {
                    let begin = start + former + "/"
                    try database.run(
                        "UPDATE OR REPLACE \(table) SET \(column) = ?1 || substr(\(column), ?2 + 1) WHERE substr(\(column), 1, ?2) = ?3",
                        [.text(start + now + "/"), .integer(begin.unicodeScalars.count), .text(begin)])
                }
            }
            // The links are created again in the new library's folder of links.
            try database.run("UPDATE links SET stands = 0")
            // By the numbers of another machine's disk, a set would be taken for one that was renamed. It is known by its place, and by its
            // charts.
            try database.run("DELETE FROM set_devices")
        }
        _ = try CatalogueGeneration(of: Folder.parent(of: copy.path)).renumber(database)
    }

    /// The columns that contain paths of files, each with the text that precedes the path in the column.
    static let paths = [
        ("local_files", "path", ""), ("former_files", "path", ""), ("former_marks", "path", ""), ("mark_sums", "path", ""),
        ("parts", "path", ""), ("part_values", "path", ""), ("sets", "path", ""), ("set_files", "path", ""),
        ("links", "path", ""), ("links", "target", ""), ("hidden_layers", "layer_id", "file:"), ("shown_layers", "layer_id", "file:"),
        ("followed_layers", "layer_id", "file:"),
    ]
}
