public import Model

/// How a file of the user's marks stands, without its marks, which cost much more to read.
public struct MarkFileState: Hashable, Sendable {
    public let path: String
    /// The file as it was when it was read last.
    public let stamp: FileStamp
    public let attachment: AttachmentID?
    /// Why it could not be understood the last time.
    public let fault: String?
    /// Whether it was ever understood.
    public let hasContent: Bool
    /// What was not understood when it last was, and is not drawn or not as it was made: a sentence each.
    public let notes: [String]
}

extension Library {
    /// How every file of the user's marks that is known stands, in the order of their paths.
    public func markFileStates() throws(LibraryError) -> [MarkFileState] {
        try database.rows(
            """
            SELECT path, device, inode, size, modified, changed, attachment_id, fault, marks IS NOT NULL, nullif(notes, '[]') FROM local_files
            ORDER BY path
            """
        ) { row throws(LibraryError) in
            MarkFileState(
                path: row.text(0),
                stamp: Self.stamp(row, from: 1), attachment: row.optionalText(6).map { AttachmentID($0) }, fault: row.optionalText(7),
                hasContent: row.integer(8) != 0,
                notes: try row.optionalText(9).map { text throws(LibraryError) in try StoredJSON.read([String].self, text, in: database) }
                    ?? [])
        }
    }
}
