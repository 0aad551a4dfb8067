/// One complete request, whose body has arrived.
public struct WebRequest: Sendable {
    /// The method as sent, in capitals.
    public let method: String
    /// The path without the query, percent-decoded once. It has no `.` or `..` segment.
    public let path: String
    /// The query's parameters in the order sent, decoded; a name may occur more than once.
    public let query: [(name: String, value: String)]
    /// The header lines in the order sent.
    public private(set) var headers: [(name: String, value: String)]
    public internal(set) var body: [UInt8] = []
    /// Where it comes from; `nil` on a Unix socket.
    public internal(set) var peer: IPAddress?

    /// The path's segments, without empty ones.
    public var segments: [String] { path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) } }

    /// The first value of a query parameter.
    public func parameter(_ name: String) -> String? {
        query.first { $0.name == name }?.value
    }

    /// The first value of a header, whatever the case of its name.
    public func header(_ name: String) -> String? {
        headers.first { Self.isSame($0.name, name) }?.value
    }

    /// Every value of a header, in the order sent.
    public func values(ofHeader name: String) -> [String] {
        headers.filter { Self.isSame($0.name, name) }.map(\.value)
    }

    /// Whether two header names are the same: only ASCII letters differ in case here.
    private static func isSame(_ one: String, _ other: String) -> Bool {
        one.utf8.count == other.utf8.count && zip(one.utf8, other.utf8).allSatisfy { $0 == $1 || small($0) == small($1) }
    }

    private static func small(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }

    /// The same request without a header.
    public func without(header name: String) -> WebRequest {
        var request = self
        request.headers.removeAll { Self.isSame($0.name, name) }
        return request
    }
}
