import CSQLite
package import Model

/// One row of a result, read by column number.
@usableFromInline
package struct Row: ~Copyable {
    private let raw: OpaquePointer

    package init(of raw: OpaquePointer) {
        self.raw = raw
    }

    package func isNull(_ column: Int32) -> Bool { sqlite3_column_type(raw, column) == SQLITE_NULL }

    package func integer(_ column: Int32) -> Int { Int(sqlite3_column_int64(raw, column)) }

    package func real(_ column: Int32) -> Double { sqlite3_column_double(raw, column) }

    package func text(_ column: Int32) -> String {
        guard let bytes = sqlite3_column_text(raw, column) else { return "" }
        let count = Int(sqlite3_column_bytes(raw, column))
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    package func bytes(_ column: Int32) -> [UInt8] {
        guard let bytes = sqlite3_column_blob(raw, column) else { return [] }
        return Array(UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(raw, column))))
    }

    /// Passes the bytes of a text to `body`.
    package func withText<Result>(_ column: Int32, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let bytes = sqlite3_column_text(raw, column)
        return body(UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : Int(sqlite3_column_bytes(raw, column))))
    }

    package func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

    package func time(_ column: Int32) -> Timestamp? {
        isNull(column) ? nil : Timestamp(nanoseconds: sqlite3_column_int64(raw, column))
    }
}
