import Model
import Platform

/// Keeps the account's requests within half of the service's limit, since the musician's other apps share the rest.
@LoopActor
final class RateBudget {
    /// The documented limit, until the service's headers give another.
    private var limit = 100
    private var period: Duration = .seconds(20)
    /// When our requests in the last period were made, oldest first. The budget holds for every stretch as long as the period, so
    /// it does not matter when the service begins to count.
    private var made: [Moment] = []
    /// The last request count that the service sent, and when it arrived. The count includes other programs' requests.
    private var counted: (count: Int, at: Moment)?
    /// Set after a 429: no requests are made before this time.
    private var pausedUntil: Moment?
    /// How many requests are waiting for their turn, and the latest time at which the wait ends.
    private var waiting = (requests: 0, until: Moment(nanoseconds: 0))
    /// Called whenever a request begins to wait, and when the last one stops waiting.
    var onWait: (@LoopActor () -> Void)?
    private let time: any TimeKeeper

    init(time: any TimeKeeper) { self.time = time }

    /// The present wait; `nil` if there is none.
    var wait: ServiceWait? {
        guard waiting.requests > 0 else { return nil }
        return ServiceWait(waiting.until - time.now, isAsked: pausedUntil.map { time.now < $0 } ?? false)
    }

    /// Waits until another request is within the budget, and counts it.
    func spend() async throws(ServiceFailure) {
        while true {
            let now = time.now
            if let pausedUntil, now < pausedUntil {
                try await wait(until: pausedUntil)
                continue
            }
            made.removeAll { now - $0 >= period }
            if let counted, now - counted.at >= period { self.counted = nil }
            let budget = max(limit / 2, 1)
            if made.count < budget, counted.map({ $0.count + made.count { [at = $0.at] moment in moment > at } < budget }) ?? true {
                made.append(now)
                return
            }
            // Wait until either our oldest request or the service's count is a period old.
            let next = [made.count >= budget ? made.first : nil, counted?.at].compactMap(\.self).min() ?? now
            try await wait(until: next + period)
        }
    }

    /// Notes the limit, period and count in an answer's headers. A limit of 0 is ignored, and so is a period outside 1 s to 1 h.
    func note(_ response: HTTPResponse) {
        if let counted = Self.number("x-pco-api-request-rate-limit", in: 0...1_000_000, of: response), counted > 0 { limit = counted }
        // No real period is longer than an hour; a longer one is a mistake and must not stop us for good.
        if let counted = Self.number("x-pco-api-request-rate-period", in: 0...3601, of: response), (1...3600).contains(counted) {
            period = .seconds(counted)
        }
        // The count includes requests by other programs with the same account.
        if let counted = Self.number("x-pco-api-request-rate-count", in: 0...1_000_000, of: response) { self.counted = (counted, time.now) }
    }

    /// Stops all requests for this long; an earlier pause that ends later still holds.
    func pause(for duration: Duration) {
        let end = time.now + duration
        pausedUntil = pausedUntil.map { max($0, end) } ?? end
    }

    /// How long to wait after this 429: the time that the answer states, or else one period.
    func retryAfter(_ response: HTTPResponse) -> Duration { askedWait(response) ?? period }

    /// How long an answer asks us to wait, at most a day; `nil` if it names no time. A date is ignored, since either clock may be wrong.
    func askedWait(_ response: HTTPResponse) -> Duration? {
        Self.number("retry-after", in: 0...86_400, of: response).map { .seconds($0) }
    }

    private func wait(until moment: Moment) async throws(ServiceFailure) {
        waiting = (waiting.requests + 1, waiting.requests == 0 ? moment : max(waiting.until, moment))
        onWait?()
        defer {
            waiting.requests -= 1
            if waiting.requests == 0 { onWait?() }
        }
        do {
            try await time.sleep(until: moment)
        } catch {
            throw .cancelled
        }
    }

    /// The number in a header. The period is sent both as `20` and as `20 seconds`.
    private static func number(_ header: String, in range: ClosedRange<Int>, of response: HTTPResponse) -> Int? {
        response.headers[header].flatMap { OutsideNumber(leading: $0) }?.whole(in: range)
    }
}

/// Whether a failed request is repeated, and after what wait.
///
/// The wait is random, between zero and a bound that doubles up to 8 s (full jitter), so clients that failed together do not return
/// together.
struct Backoff {
    /// The most repeats after the first try.
    static let mostRepeats = 2
    /// The most repeats between two good answers. While the service is down, a hundred plans share these few.
    static let mostRepeatsInARow = 4
    /// A request that has already taken longer than this is not repeated.
    static let longest: Duration = .seconds(30)
    private static let pause = GrowingPause(first: .milliseconds(500), most: .seconds(8))

    /// The wait before repeat number `number`, counted from 0; `spread` is from 0 to 1.
    static func wait(_ number: Int, spread: Double) -> Duration { pause.after(number + 1) * min(max(spread, 0), 1) }
}
