/// One request, whole: its body has arrived.
public struct WebRequest: Sendable {
    /// The verb as sent, in capitals.
    public let method: String
    /// The path without the query, percent-decoded once. It has no `.` or `..` segment.
    public let path: String
    /// The query's parameters in the order sent, decoded; a name may stand more than once.
    public let query: [(name: String, value: String)]
    /// The header lines in the order sent.
    public private(set) var headers: [(name: String, value: String)]
    public internal(set) var body: [UInt8] = []

    /// The path's parts between slashes, without empty ones.
    public var segments: [String] { path.split(separator: "/").map(String.init) }

    /// The first value of a query parameter.
    public func parameter(_ name: String) -> String? {
        query.first { $0.name == name }?.value
    }

    /// The first value of a header, whatever the case of its name.
    public func header(_ name: String) -> String? {
        let wanted = name.lowercased()
        return headers.first { $0.name.lowercased() == wanted }?.value
    }

    /// The same request as if it had come without a header.
    public func without(header name: String) -> WebRequest {
        var request = self
        request.headers.removeAll { $0.name.lowercased() == name.lowercased() }
        return request
    }
}
