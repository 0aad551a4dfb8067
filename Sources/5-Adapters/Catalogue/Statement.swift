import CSQLite

/// A prepared statement, kept for its next use.
@usableFromInline
final class Statement {
    private let raw: OpaquePointer

    init(owning raw: OpaquePointer) {
        self.raw = raw
    }

    deinit {
        sqlite3_finalize(raw)
    }

    /// The row that the last step came to; valid until the next one.
    @usableFromInline
    var row: Row { Row(of: raw) }

    /// Whether it changes nothing in the file.
    var isReadOnly: Bool { sqlite3_stmt_readonly(raw) != 0 }

    func step() -> Int32 { sqlite3_step(raw) }

    /// Makes it ready for its next use and drops what was bound.
    @usableFromInline
    func reset() {
        sqlite3_reset(raw)
        sqlite3_clear_bindings(raw)
    }

    /// Binds `values` to the parameters of the statement; there must be one for each.
    @usableFromInline
    func bind(_ values: [SQLValue]) {
        precondition(values.count == Int(sqlite3_bind_parameter_count(raw)), "a value for each place")
        for (index, value) in values.enumerated() {
            let code = bind(value, at: Int32(index + 1))
            precondition(code == SQLITE_OK, "cannot bind: \(String(cString: sqlite3_errstr(code)))")
        }
    }

    private func bind(_ value: SQLValue, at place: Int32) -> Int32 {
        switch value {
        case .null: sqlite3_bind_null(raw, place)
        case .integer(let number): sqlite3_bind_int64(raw, place, number)
        case .real(let number): sqlite3_bind_double(raw, place, number)
        case .bytes(let bytes):
            bytes.withUnsafeBytes {
                sqlite3_bind_blob64(raw, place, $0.baseAddress ?? UnsafeRawPointer(Self.nothing), UInt64($0.count), Self.copied)
            }
        case .text(var text):
            // With its length, so that a NUL inside does not cut it off.
            text.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) {
                    sqlite3_bind_text64(raw, place, $0.baseAddress ?? Self.nothing, UInt64($0.count), Self.copied, UInt8(SQLITE_UTF8))
                }
            }
        }
    }

    // An empty text has no address of its own, and a null address would bind NULL.
    nonisolated(unsafe) private static let nothing: UnsafePointer<CChar> = {
        let pointer = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
        pointer.initialize(to: 0)
        return UnsafePointer(pointer)
    }()

    /// SQLITE_TRANSIENT, a cast that Swift does not import: SQLite takes a copy.
    private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}
