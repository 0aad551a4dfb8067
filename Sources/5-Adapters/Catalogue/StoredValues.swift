package import Model

// What the catalogue contains, read back as the values that it was written from.

extension Database {
    package func hash(_ hex: String) throws(LibraryError) -> ChartHash {
        guard let digest = Digest(hex: hex) else { throw .damaged(path: path, message: "a chart's hash is \"\(hex)\"") }
        return ChartHash(digest)
    }
}

extension Row {
    package func stamp(from column: Int32) -> FileStamp {
        FileStamp(
            device: UInt64(bitPattern: Int64(integer(column))), inode: UInt64(bitPattern: Int64(integer(column + 1))),
            size: integer(column + 2), modified: Int64(integer(column + 3)), changed: Int64(integer(column + 4)))
    }
}
