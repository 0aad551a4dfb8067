/// A failure of the service, of the server of its files, or of the network between them and the client.
package enum DemoFault: Sendable, Hashable, CaseIterable {
    /// 401 in plain text, as for a revoked token.
    case unauthorised
    /// 403 with the service's hint, as for a person without access to the product.
    case forbidden
    /// 429 with this many seconds in `Retry-After`.
    case tooManyRequests(retryAfter: Int)
    /// 500 with a web page.
    case serverError
    /// The real response, one byte every 50 ms.
    case trickle
    /// The request is accepted and never answered.
    case silence
    /// The connection breaks off in the middle of the body.
    case cutOff
    /// `Content-Length` announces more than is sent.
    case lengthTooLong
    /// `Content-Length` announces less than the whole body, and only that much is sent, so the body looks complete.
    case lengthTooShort
    /// 200 with a login page, as from a hotel's network.
    case loginPage
    /// 302 to another host: from the API to the file server, from the file server to the API.
    case redirectElsewhere
    /// 302 to plain http on a host that is not this machine.
    case redirectToHTTP
    /// 302 to a file on the client's own disk.
    case redirectToFile
    /// The real response without its ETag, and in full even if the client sent an ETag.
    case withoutETag
    /// 200 with JSON that breaks off in the middle.
    case invalidJSON
    /// 200 with a gzip body of 1.3 MB that unpacks to 200 MiB.
    case gzipBomb
    /// The real response with a `links.next` at another host.
    case nextElsewhere
    /// The real response with a `links.next` that points to itself.
    case nextInALoop
    /// A file breaks off in the middle, and the next request is served from another file with the same length and date.
    case changedBetweenRanges

    package static let allCases: [DemoFault] = [
        .unauthorised, .forbidden, .tooManyRequests(retryAfter: 5), .serverError, .trickle, .silence, .cutOff, .lengthTooLong,
        .lengthTooShort, .loginPage, .redirectElsewhere, .redirectToHTTP, .redirectToFile, .withoutETag, .invalidJSON, .gzipBomb,
        .nextElsewhere, .nextInALoop, .changedBetweenRanges,
    ]
}
