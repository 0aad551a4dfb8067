import FoundationEssentials
import Model
public import Platform

/// Reads plans, charts and marks from a service like Planning Center Services.
@LoopActor
public final class PlanningCenterClient {
    let account: Account
    let log: Log
    /// Found out once: who the musician is, and how the service types are called.
    var knownPerson: String?
    var knownNames: [ServiceTypeID: String] = [:]
    var hasToldOfMissingAnnotations = false
    private let transport: any HTTPTransport
    private let budget: RateBudget
    private let jitter: @LoopActor () -> Double

    /// How often a request is repeated after a 429, and the longest wait for it.
    private static let mostRetries = 2
    private static let longestWait: Duration = .seconds(60)
    /// 200 pages of 100 are far more than any plan has; a list without end is a mistake.
    private static let mostPages = 200

    /// Makes a client. `jitter` spreads retries and gives numbers from 0 to 1.
    public init(
        account: Account, transport: any HTTPTransport, time: any TimeKeeper, log: Log,
        jitter: @escaping @LoopActor () -> Double = { .random(in: 0..<1) }
    ) {
        self.account = account
        self.transport = transport
        self.log = log
        self.jitter = jitter
        budget = RateBudget(time: time)
        knownPerson = account.personID
    }

    /// An address below the service's; an id in `path` is one part of it, whatever it holds.
    func address(_ path: [String], query: String = "") throws(ServiceFailure) -> ServiceAddress {
        var text = account.apiURL
        while text.hasSuffix("/") { text.removeLast() }
        for part in path {
            guard let encoded = ServiceAddress.encoded(part) else {
                throw .notUnderstood(what: "an id", why: "\"\(part)\" cannot be asked for")
            }
            text += "/" + encoded
        }
        guard let address = ServiceAddress(query.isEmpty ? text : "\(text)?\(query)") else {
            throw .refused("the address of the service in the configuration cannot be used; it has to look like \(Account.usualURL)")
        }
        return address
    }

    /// All pages of a list.
    func list<Element: Decodable & Sendable>(
        _ element: Element.Type, at first: ServiceAddress, what: String
    ) async throws(ServiceFailure) -> (data: [Element], included: [Resource]) {
        var data: [Element] = []
        var included: [Resource] = []
        var address = first
        var seen: Set<ServiceAddress> = [first]
        while true {
            let document = try decode(Document<Element>.self, from: try await answer(.get, address, what: what), what: what)
            data += document.data
            included += document.included
            guard let next = document.next else { return (data, included) }
            guard let nextAddress = ServiceAddress(next, at: first), nextAddress.origin == first.origin else {
                throw .refused("the next page of \(what) is said to be at another host")
            }
            guard seen.insert(nextAddress).inserted else { throw .notUnderstood(what: what, why: "its pages go in a circle") }
            guard seen.count <= Self.mostPages else { throw .notUnderstood(what: what, why: "it has no end") }
            address = nextAddress
        }
    }

    /// A 2xx answer to one request, sent within the budget and again after a 429.
    func answer(
        _ method: HTTPRequest.Method, _ address: ServiceAddress, what: String
    ) async throws(ServiceFailure) -> HTTPResponse {
        var retries = 0
        while true {
            try await budget.take()
            let response = try await Self.understood { () async throws(HTTPFailure) in
                try await self.transport.send(self.request(method, address))
            }
            budget.note(response)
            if (200..<300).contains(response.status) { return response }
            guard response.status == 429 else { throw failure(response, what: what) }
            let wait = budget.retryAfter(response)
            guard retries < Self.mostRetries, wait <= Self.longestWait else { throw .rateLimited(retryAfter: wait) }
            retries += 1
            log.info("too many requests for this account; waiting \(wait.components.seconds) s")
            budget.pause(for: wait + .milliseconds(Int(jitter() * 1000)))
        }
    }

    private func request(_ method: HTTPRequest.Method, _ address: ServiceAddress) -> HTTPRequest {
        let ownOrigin = ServiceAddress(account.apiURL)?.origin
        return HTTPRequest(
            method, address.text,
            headers: [
                ("Accept", "application/vnd.api+json"), ("User-Agent", account.userAgent), ("X-PCO-API-Version", "2018-11-01"),
            ],
            credentials: address.origin == ownOrigin ? account.credentials : nil)
    }

    func decode<Value: Decodable>(_ type: Value.Type, from response: HTTPResponse, what: String) throws(ServiceFailure) -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(response.body))
        } catch {
            let start = response.body.prefix(64).first { !($0 == 32 || (9...13).contains($0)) }
            let isPage = start == UInt8(ascii: "<")
            throw .notUnderstood(
                what: what, why: isPage ? "a web page came in place of data; perhaps this network wants a log-in first" : explain(error))
        }
    }

    func bytes(
        _ request: HTTPRequest, into sink: @escaping @LoopActor (UnsafeRawBufferPointer) -> Bool
    ) async throws(ServiceFailure) -> HTTPResponse {
        try await Self.understood { () async throws(HTTPFailure) in try await self.transport.send(request, body: sink) }
    }
}
