import CSQLite
package import Model

/// A prepared statement, kept for reuse.
@usableFromInline
final class Statement {
    private let raw: OpaquePointer

    init(owning raw: OpaquePointer) { self.raw = raw }

    deinit {
        sqlite3_finalize(raw)
    }

    /// The row of the last step; valid until the next step.
    @usableFromInline
    var row: Row { Row(of: raw) }

    /// `true` if the statement changes nothing in the file.
    var isReadOnly: Bool { sqlite3_stmt_readonly(raw) != 0 }

    func step() -> Int32 { sqlite3_step(raw) }

    /// How many of SQLite's own steps the statement has taken so far.
    var stepsTaken: Int { Int(sqlite3_stmt_status(raw, SQLITE_STMTSTATUS_VM_STEP, 0)) }

    /// Prepares the statement for its next use and drops the bound values.
    @usableFromInline
    func reset() {
        sqlite3_reset(raw)
        sqlite3_clear_bindings(raw)
    }

    /// Binds `values` to the statement's parameters; there must be exactly one value for each parameter.
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
            // The length is passed too, so that a NUL inside the text does not end it.
            text.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) {
                    sqlite3_bind_text64(raw, place, $0.baseAddress ?? Self.nothing, UInt64($0.count), Self.copied, UInt8(SQLITE_UTF8))
                }
            }
        }
    }

    // An empty text or blob has no address of its own, and SQLite would bind NULL for a null address.
    nonisolated(unsafe) private static let nothing: UnsafePointer<CChar> = {
        let pointer = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
        pointer.initialize(to: 0)
        return UnsafePointer(pointer)
    }()

    /// SQLITE_TRANSIENT, a cast that Swift does not import: it makes SQLite take a copy.
    private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}

/// A value to bind to a statement.
@usableFromInline
package enum SQLValue {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case bytes([UInt8])

    package static func integer(_ value: Int) -> SQLValue { .integer(Int64(value)) }

    package static func optional(_ text: String?) -> SQLValue { text.map { .text($0) } ?? .null }

    /// Stores a text for people and its value for the program in one column.
    package static func text(_ words: String, meaning: (any CustomStringConvertible)?) -> SQLValue {
        .text(words.replacing("\u{1F}", with: " ") + (meaning.map { "\u{1F}\($0)" } ?? ""))
    }

    package static func optional(_ value: Int?) -> SQLValue { value.map { .integer($0) } ?? .null }

    package static func flag(_ value: Bool) -> SQLValue { .integer(value ? 1 : 0) }

    package static func id(_ value: some OpaqueIdentifier) -> SQLValue { .text(value.text) }

    package static func hash(_ value: ChartHash) -> SQLValue { .text(value.digest.hex) }

    /// Stores a time in nanoseconds, which represent every time exactly.
    package static func time(_ value: Timestamp?) -> SQLValue { value.map { .integer($0.nanoseconds) } ?? .null }
}

/// One row of a result, read by column number.
@usableFromInline
package struct Row: ~Copyable {
    private let raw: OpaquePointer

    package init(of raw: OpaquePointer) { self.raw = raw }

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

    package func optionalInteger(_ column: Int32) -> Int? { isNull(column) ? nil : integer(column) }

    package func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

    /// A text for people and its value for the program; older catalogues have the text alone.
    package func words(_ column: Int32) -> (text: String, meaning: String?) {
        let parts = text(column).split(separator: "\u{1F}", maxSplits: 1, omittingEmptySubsequences: false).map { String($0) }
        return (parts[0], parts.count > 1 ? parts[1] : nil)
    }

    /// The time in a column; the epoch if the column is NULL.
    package func moment(_ column: Int32) -> Timestamp { Timestamp(nanoseconds: sqlite3_column_int64(raw, column)) }

    package func time(_ column: Int32) -> Timestamp? {
        isNull(column) ? nil : Timestamp(nanoseconds: sqlite3_column_int64(raw, column))
    }
}

// Conversions between the catalogue's columns and the values that they store.

extension Database {
    package func hash(_ hex: String) throws(LibraryError) -> ChartHash {
        guard let digest = Digest(hex: hex) else { throw .damaged(path: path, message: "a chart's hash is \"\(hex)\"") }
        return ChartHash(digest)
    }
}

extension FileStamp {
    /// Device, inode and size, by which a file is found again under another name.
    package var identity: [SQLValue] { [.integer(Int64(bitPattern: device)), .integer(Int64(bitPattern: inode)), .integer(size)] }
    /// All values of the stamp, in the order in which `Row.stamp` reads them.
    package var values: [SQLValue] { identity + [.integer(modified), .integer(changed)] }
}

extension Row {
    package func stamp(from column: Int32) -> FileStamp {
        FileStamp(
            device: UInt64(bitPattern: Int64(integer(column))), inode: UInt64(bitPattern: Int64(integer(column + 1))),
            size: integer(column + 2), modified: Int64(integer(column + 3)), changed: Int64(integer(column + 4)))
    }
}
