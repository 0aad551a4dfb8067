/// A way in which the service, the file host or the network in between fails.
///
/// It is sent as a JSON object whose `fault` names the case: `{"fault": "too-many-requests", "retry_after": 5}`.
public enum DemoFault: Sendable, Hashable, CaseIterable {
    /// 401 in plain text, as for a token that was withdrawn.
    case unauthorised
    /// 403 with the service's hint, as for someone without access to the product.
    case forbidden
    /// 429 with this many seconds in `Retry-After`.
    case tooManyRequests(retryAfter: Int)
    /// 500 with a web page.
    case serverError
    /// The true answer, one byte every 50 ms.
    case trickle
    /// The request is accepted and never answered.
    case silence
    /// The connection breaks off in the middle of the body.
    case cutOff
    /// `Content-Length` announces more than is sent.
    case lengthTooLong
    /// `Content-Length` announces less than there is, and only that much is sent: the body looks complete but is not.
    case lengthTooShort
    /// 200 with a log-in page, as from a hotel's network.
    case loginPage
    /// 302 to another host: from the API to the file server, from the file server to the API.
    case redirectElsewhere
    /// 302 to plain http on a host that is not this machine.
    case redirectToHTTP
    /// 302 to a file on the client's own disk.
    case redirectToFile
    /// The true answer without its ETag, even for clients that have one.
    case withoutETag
    /// 200 with JSON that breaks off in the middle.
    case invalidJSON
    /// 200 with 1.3 MB that unpack to 200 MiB.
    case gzipBomb
    /// The true answer with a `links.next` at another host.
    case nextElsewhere
    /// The true answer with a `links.next` that leads to itself.
    case nextInALoop
    /// A file breaks off in the middle, and when it is asked for again it is another one, with the same length and date.
    case changedBetweenRanges

    /// One of each, with its word in JSON and on the command line.
    private static let words: [(word: String, fault: DemoFault)] = [
        ("unauthorised", .unauthorised), ("forbidden", .forbidden), ("too-many-requests", .tooManyRequests(retryAfter: 5)),
        ("server-error", .serverError), ("trickle", .trickle), ("silence", .silence), ("cut-off", .cutOff),
        ("length-too-long", .lengthTooLong), ("length-too-short", .lengthTooShort), ("login-page", .loginPage),
        ("redirect-elsewhere", .redirectElsewhere), ("redirect-to-http", .redirectToHTTP), ("redirect-to-file", .redirectToFile),
        ("without-etag", .withoutETag), ("invalid-json", .invalidJSON), ("gzip-bomb", .gzipBomb), ("next-elsewhere", .nextElsewhere),
        ("next-in-a-loop", .nextInALoop), ("changed-between-ranges", .changedBetweenRanges),
    ]

    public static var allCases: [DemoFault] { words.map(\.fault) }
    public static var names: [String] { words.map(\.word) }

    public var name: String {
        if case .tooManyRequests = self { return "too-many-requests" }
        return Self.words.first { $0.fault == self }?.word ?? ""
    }

    /// The fault with this name, with a `Retry-After` of 5 s if it has one; `nil` if there is no such fault.
    public init?(name: String) {
        guard let fault = Self.words.first(where: { $0.word == name })?.fault else { return nil }
        self = fault
    }
}

extension DemoFault: Decodable {
    private enum Key: String, CodingKey {
        case fault
        case retryAfter = "retry_after"
    }

    public init(from decoder: any Decoder) throws {
        let body = try decoder.container(keyedBy: Key.self)
        let word = try body.decode(String.self, forKey: .fault)
        guard let fault = DemoFault(name: word) else {
            throw DecodingError.dataCorruptedError(forKey: .fault, in: body, debugDescription: "no such fault")
        }
        self = fault
        if case .tooManyRequests = fault, let seconds = try body.decodeIfPresent(Int.self, forKey: .retryAfter) {
            self = .tooManyRequests(retryAfter: seconds)
        }
    }
}
