package import Model

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

    package static func optional(_ value: Int?) -> SQLValue { value.map { .integer($0) } ?? .null }

    package static func flag(_ value: Bool) -> SQLValue { .integer(value ? 1 : 0) }

    package static func id(_ value: some OpaqueIdentifier) -> SQLValue { .text(value.text) }

    package static func hash(_ value: ChartHash) -> SQLValue { .text(value.digest.hex) }

    /// In nanoseconds, which are exact for every time.
    package static func time(_ value: Timestamp?) -> SQLValue { value.map { .integer($0.nanoseconds) } ?? .null }
}
