import JSON
public import Model
public import Platform

/// Reads plans, charts and marks from a service like Planning Center Services.
@LoopActor
public final class PlanningCenterClient {
    let account: Account
    let log: Log
    /// The musician's id, requested once.
    var knownPerson: String?
    /// The account that the latest checked token belongs to; no account if the service did not name it.
    var holder: (token: Secret, account: ServiceAccount?)?
    var knownNames: [ServiceTypeID: String] = [:]
    /// The address of the marks service, if that service last answered that it has no marks of others.
    public internal(set) var noMarksAt: String?
    /// Set once the service has refused the token; no requests are sent while it is set.
    var refusal: ServiceFailure?
    /// The token in use; it may be replaced while the program runs.
    var credentials: Secret
    /// The present reading of the token, which all requests that were refused in the meantime share.
    var reading: Task<ServiceFailure?, Never>?
    /// Whether failed requests are repeated; set to `false` while a person waits for the answer.
    public var asksAgain = true
    /// Repeats since the last good answer.
    var repeatsInARow = 0
    /// The service's time according to the answers since `forgetClock()`.
    public internal(set) var clock = ServiceClock()
    /// The only origin that receives the token.
    let ownOrigin: String?
    let transport: any HTTPTransport
    let time: any TimeKeeper
    let budget: RateBudget
    let randomness: any RandomSource
    /// Decides which of a plan's PDFs are charts.
    let choice: ChartChoice
    /// How songs in files are drawn.
    public var rules: ChartChoice.Rules { choice.usual }
    let kept: TaggedAnswers
    /// Decodes long answers, which would block the loop, on another thread.
    private let side: SideThread

    /// The most bytes that are decoded on the loop; this takes a few milliseconds.
    private static let mostOnTheLoop = 64 << 10

    /// `randomness` spreads retries. With `answers`, the service does not send lists again that are unchanged since an earlier run.
    public convenience init(
        account: Account, choice: ChartChoice = ChartChoice(), transport: any HTTPTransport, time: any TimeKeeper, log: Log,
        answers: (any AnswerStore)? = nil, randomness: any RandomSource = SystemRandomness(), side: SideThread = SideThread()
    ) {
        self.init(
            account: account, choice: choice, transport: transport, time: time, log: log,
            kept: TaggedAnswers(store: answers, account: account.publicID, time: time), randomness: randomness, side: side)
    }

    init(
        account: Account, choice: ChartChoice, transport: any HTTPTransport, time: any TimeKeeper, log: Log, kept: TaggedAnswers,
        randomness: any RandomSource, side: SideThread = SideThread()
    ) {
        (self.side, self.account, self.transport, self.time) = (side, account, transport, time)
        (self.log, self.randomness, self.choice, self.kept) = (log, randomness, choice, kept)
        credentials = account.credentials
        budget = RateBudget(time: time)
        knownPerson = account.personID
        ownOrigin = (try? WebAddress(account.apiURL, .plain))?.origin
    }

    /// The present wait for the service's rate limit; `nil` if no request waits.
    public var wait: ServiceWait? { budget.wait }

    /// Sets the function that is called whenever a request begins to wait, and when the last one stops waiting.
    public func onWait(_ body: @escaping @LoopActor () -> Void) { budget.onWait = body }

    /// Writes new answers, if there are any, to the store for the next run. Call this once the answers have been processed.
    public func saveAnswers() { kept.save() }

    /// An address below `apiURL`; each id in `path` stays a single part, whatever characters it contains.
    func address(_ path: [String], query: String = "") throws(ServiceFailure) -> WebAddress {
        var text = account.apiURL
        while text.hasSuffix("/") { text.removeLast() }
        for part in path {
            guard let encoded = WebAddress.encoded(part) else {
                throw .notUnderstood(what: "an id", why: "\"\(part)\" cannot be requested")
            }
            text += "/" + encoded
        }
        guard let address = try? WebAddress(query.isEmpty ? text : "\(text)?\(query)", .plain) else {
            throw .refused("api_url in the configuration cannot be used; it must look like \(Account.usualURL)")
        }
        return address
    }

    /// One page of a list, or a single resource. If it is unchanged, the service does not send it again, and the kept answer is used.
    func page<Element: Decodable & Sendable>(
        _ element: Element.Type, at address: WebAddress, what: String
    ) async throws(ServiceFailure) -> Document<Element> {
        let former = kept[address]
        var response = try await answer(.get, address, etag: former?.etag, what: what)
        if response.status == 304, let former {
            if former.isMeant(by: response),
                let document = try? await decode(Document<Element>.self, from: HTTPResponse(status: 200, body: former.body), what: what)
            {
                return document
            }
            // The 304 refers to another answer than the kept one, or this version of the program does not understand the kept answer.
            kept.forget(address)
            response = try await answer(.get, address, what: what)
        }
        let document = try await decode(Document<Element>.self, from: response, what: what)
        // Keep only an answer that has been understood: a broken one would be confirmed by each 304.
        kept.keep(response, for: address)
        return document
    }

    /// Decodes an answer; a long one is decoded on another thread.
    func decode<Value: Decodable & Sendable>(
        _ type: Value.Type, from response: HTTPResponse, what: String
    ) async throws(ServiceFailure) -> Value {
        let body = response.body
        do {
            guard body.count > Self.mostOnTheLoop else { return try JSONReader.decode(type, from: body) }
            return try await side.run { () throws(any Error) in try JSONReader.decode(type, from: body) }
        } catch {
            let start = response.body.prefix(64).first { !($0 == 32 || (9...13).contains($0)) }
            let isPage = start == UInt8(ascii: "<")
            throw .notUnderstood(
                what: what, why: isPage ? ServiceFailure.webPage : explain(error))
        }
    }
}
