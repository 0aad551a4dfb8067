import Platform

/// Keeps the account's requests under half of what the service allows, since the musician's other apps share the rest.
@LoopActor
final class RateBudget {
    /// The documented limit, until the service's headers tell another.
    private var limit = 100
    private var period: Duration = .seconds(20)
    /// When our requests of the last period were made, oldest first: in no stretch of that length are there more than the
    /// budget, wherever the service begins to count.
    private var made: [Moment] = []
    /// What the service counted last, others' requests among it, and when it said so.
    private var told: (count: Int, at: Moment)?
    /// Set by a 429: nobody asks before.
    private var pausedUntil: Moment?
    private let time: any TimeKeeper

    init(time: any TimeKeeper) {
        self.time = time
    }

    /// Waits until another request is within the budget, and counts it.
    func take() async throws(ServiceFailure) {
        while true {
            let now = time.now
            if let pausedUntil, now < pausedUntil {
                try await wait(until: pausedUntil)
                continue
            }
            made.removeAll { now - $0 >= period }
            if let told, now - told.at >= period { self.told = nil }
            let budget = max(limit / 2, 1)
            if made.count < budget, told.map({ $0.count + made.count { [at = $0.at] moment in moment > at } < budget }) ?? true {
                made.append(now)
                return
            }
            // Whichever has to grow old first.
            let next = [made.count >= budget ? made.first : nil, told?.at].compactMap(\.self).min() ?? now
            try await wait(until: next + period)
        }
    }

    /// Takes in what an answer says about the limit.
    func note(_ response: HTTPResponse) {
        if let told = Self.number("x-pco-api-request-rate-limit", in: 0...1_000_000, of: response), told > 0 { limit = told }
        // An hour is longer than any period in use; more is a mistake that must not stop us for good.
        if let told = Self.number("x-pco-api-request-rate-period", in: 0...3601, of: response), (1...3600).contains(told) {
            period = .seconds(told)
        }
        // Includes what others asked on the same account.
        if let told = Self.number("x-pco-api-request-rate-count", in: 0...1_000_000, of: response) {
            self.told = (told, time.now)
        }
    }

    /// Lets nobody ask for a while.
    func pause(for duration: Duration) {
        let end = time.now + duration
        pausedUntil = pausedUntil.map { max($0, end) } ?? end
    }

    /// How long to wait after this 429; a period where it does not say.
    func retryAfter(_ response: HTTPResponse) -> Duration { askedWait(response) ?? period }

    /// How long an answer asks to be waited for; a date is not understood, since whose clock is right is not known.
    func askedWait(_ response: HTTPResponse) -> Duration? {
        Self.number("retry-after", in: 0...86_400, of: response).map { .seconds($0) }
    }

    private func wait(until moment: Moment) async throws(ServiceFailure) {
        do {
            try await time.sleep(until: moment)
        } catch {
            throw .cancelled
        }
    }

    /// The period has been seen as `20` and as `20 seconds`.
    private static func number(_ header: String, in range: ClosedRange<Int>, of response: HTTPResponse) -> Int? {
        response.headers[header].flatMap { OutsideNumber(leading: $0) }?.whole(in: range)
    }
}
