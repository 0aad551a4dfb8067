import Platform

extension PlanningCenterClient {
    /// How often a request is repeated after a 429, and the longest wait that the service may then ask for.
    private static let mostWaits = 2
    static let longestWait: Duration = .seconds(60)
    private static let afterRefusal: Duration = .seconds(1)

    /// Returns a 2xx answer to one request, or the 304 to `etag`. The request waits until the budget allows it.
    ///
    /// After a 429, the client waits and sends the request again. A GET that failed because of the connection or of a fault of the
    /// service is repeated a few times; a forbidden request is not. If the token is refused, it is read again and the request is
    /// sent once more. After another refusal, no requests are sent until `resume()`.
    func answer(
        _ method: HTTPRequest.Method, _ address: WebAddress, etag: String? = nil, what: String
    ) async throws(ServiceFailure) -> HTTPResponse {
        var tries = Tries(begin: time.now)
        while true {
            if let refusal { throw refusal }
            if account.credentialSource?.isDue(credentials) == true, let failure = await renew(credentials), credentials.revealed.isEmpty {
                if case .notAuthorised(let why, _) = failure { throw refuse(why) }
                throw failure
            }
            try await budget.spend()
            // Another request may have been refused while this request waited for its turn.
            if let refusal { throw refusal }
            do throws(ServiceFailure) {
                let response = try await exchange(request(method, address, etag: etag), address.origin, &tries)
                if (200..<300).contains(response.status) || (response.status == 304 && etag != nil) {
                    repeatsInARow = 0
                    return response
                }
                try await overcome(failure(response, what: what), of: response, method, address, &tries)
            } catch .offline(let message) {
                try await pauseToRepeat(method, after: .offline(message), &tries)
            }
        }
    }

    /// The attempts to get one answer.
    private struct Tries {
        let begin: Moment
        /// The token that the latest request was sent with.
        var used = Secret("")
        var waits = 0
        var repeats = 0
        var wasRefused = false
    }

    private func exchange(
        _ request: HTTPRequest, _ origin: String, _ tries: inout Tries
    ) async throws(ServiceFailure) -> HTTPResponse {
        tries.used = credentials
        let response = try await Self.understood { () async throws(HTTPFailure) in try await self.transport.send(request) }
        budget.note(response)
        if origin == ownOrigin { clock.note(response, at: time.wallTime) }
        return response
    }

    /// Prepares to send the request again after this answer: waits, or renews the token. Throws if the request should not be repeated.
    private func overcome(
        _ trouble: ServiceFailure, of response: HTTPResponse, _ method: HTTPRequest.Method, _ address: WebAddress, _ tries: inout Tries
    ) async throws(ServiceFailure) {
        if response.status == 429 {
            let asked = budget.retryAfter(response)
            guard tries.waits < Self.mostWaits, asked <= Self.longestWait else { throw .rateLimited(retryAfter: asked) }
            tries.waits += 1
            log.info("too many requests for this account; waiting \(asked.components.seconds) s")
            budget.pause(for: asked + .seconds(1) * randomness.fraction())
            return
        }
        // Another host does not get the token, so a refusal by that host says nothing about the token.
        if case .notAuthorised(let message, _) = trouble, address.origin == ownOrigin {
            guard !tries.wasRefused else { throw refuse(message) }
            tries.wasRefused = true
            switch await renew(tries.used, wasRefused: true) {
            case nil: break
            case .notAuthorised(let why, _): throw refuse([message, why].filter { !$0.isEmpty }.joined(separator: "; "))
            // It is not known yet whether the token can be renewed, so do not refuse all requests.
            case let failure?: throw failure
            }
            // The service has been seen to refuse a good token for a moment: if the token is unchanged, wait before the next try.
            if credentials == tries.used { try await pause(for: Self.afterRefusal) }
            return
        }
        guard response.status >= 500 else { throw trouble }
        let asked = response.status == 503 ? budget.askedWait(response) ?? .zero : .zero
        guard asked <= Self.longestWait else { throw trouble }
        try await pauseToRepeat(method, after: trouble, asked: asked, &tries)
    }

    private func pauseToRepeat(
        _ method: HTTPRequest.Method, after trouble: ServiceFailure, asked: Duration = .zero, _ tries: inout Tries
    ) async throws(ServiceFailure) {
        let wait = Backoff.wait(tries.repeats, spread: randomness.fraction()) + asked
        guard asksAgain, method == .get, tries.repeats < Backoff.mostRepeats, repeatsInARow < Backoff.mostRepeatsInARow,
            time.now - tries.begin < Backoff.longest
        else { throw trouble }
        tries.repeats += 1
        repeatsInARow += 1
        try await pause(for: wait)
    }

    /// Forgets how the times in the service's earlier answers compared with this machine's clock.
    public func forgetClock() { clock = ServiceClock() }

    func pause(for duration: Duration) async throws(ServiceFailure) {
        do {
            try await time.sleep(for: duration)
        } catch {
            throw .cancelled
        }
    }

    private func request(_ method: HTTPRequest.Method, _ address: WebAddress, etag: String?) -> HTTPRequest {
        var headers = [
            (name: "Accept", value: "application/vnd.api+json"), (name: "User-Agent", value: account.userAgent),
            (name: "X-PCO-API-Version", value: "2018-11-01"),
        ]
        if let etag { headers.append(("If-None-Match", etag)) }
        var request = HTTPRequest(
            method, address.text, headers: headers, credentials: address.origin == ownOrigin ? credentials : nil,
            // A list of a hundred entries is about 100 kB, a list of marks a few MB; the answer to opening a file is only an address.
            maximumBytes: method == .post ? 64 << 10 : 6 << 20)
        request.staysAtOrigin = true
        return request
    }
}

// MARK: The token

extension PlanningCenterClient {
    /// Whether the service has refused the token, so that no requests are sent until `resume()`.
    public var isRefused: Bool { refusal != nil }

    /// Allows requests again after the service has refused the token. A token that is cheap to read, as from a file, is read again.
    public func resume() async {
        refusal = nil
        guard let source = account.credentialSource, source.isCheap else { return }
        // The token may be unreadable for now, for example while it is being written. If the present token is refused, that is reported.
        _ = await renew(credentials)
    }

    /// Stops all further requests and returns the failure with this message.
    func refuse(_ message: String) -> ServiceFailure {
        let failure = ServiceFailure.notAuthorised(message, isSignIn: account.isSignedIn)
        refusal = failure
        return failure
    }

    /// Reads the token again, unless it has been replaced since `used`; callers at the same time share one reading. Returns a
    /// failure, if any.
    func renew(_ used: Secret, wasRefused: Bool = false) async -> ServiceFailure? {
        guard credentials == used, let source = account.credentialSource else { return nil }
        let task =
            reading
            ?? spawn { [self] in
                defer { reading = nil }
                do {
                    credentials = try await source.read(wasRefused: wasRefused)
                    // The new token may belong to another person.
                    if credentials != used { knownPerson = account.personID }
                    return nil
                } catch let failure as ServiceFailure {
                    return failure
                } catch {
                    return .notAuthorised("\(error)")
                }
            }
        reading = task
        return await task.value
    }
}
