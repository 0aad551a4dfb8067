import Platform
import TestSupport

/// The connection from one life of the agent to the service, with everything that can happen to an exchange.
@LoopActor
final class Line: HTTPTransport {
    private let clock: LifeClock
    private let simulation: Simulation
    private var network: SimulatedNetwork { simulation.service.network }

    init(_ clock: LifeClock, _ simulation: Simulation) {
        self.clock = clock
        self.simulation = simulation
    }

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        try await pass(request) { () async throws(HTTPFailure) in try await network.send(request) }
    }

    func send(
        _ request: HTTPRequest, body sink: @escaping @LoopActor (UnsafeRawBufferPointer) -> Bool
    ) async throws(HTTPFailure) -> HTTPResponse {
        var left = simulation.weather.strikes(onceIn: 6) ? Int.random(in: 0...40, using: &simulation.weather.random) : Int.max
        var isCut = false
        do throws(HTTPFailure) {
            return try await pass(request) { () async throws(HTTPFailure) in
                try await network.send(request) { bytes in
                    isCut = bytes.count > left
                    let taken = min(bytes.count, left)
                    left -= taken
                    return sink(UnsafeRawBufferPointer(rebasing: bytes[..<taken])) && !isCut
                }
            }
        } catch {
            if isCut { throw HTTPFailure(.interrupted, "broken off") }
            throw error
        }
    }

    private func pass(
        _ request: HTTPRequest, _ exchange: () async throws(HTTPFailure) -> HTTPResponse
    ) async throws(HTTPFailure) -> HTTPResponse {
        let address = request.url.dropFirst("https://service.test".count)
        simulation.trace.note("\(request.method.rawValue) \(address)")
        try await wait(simulation.weather.milliseconds(5...300))
        if simulation.weather.isOffline { throw HTTPFailure(.unreachable, "no network") }
        if simulation.weather.strikes(onceIn: 25) { throw HTTPFailure(.interrupted, "the line went dead") }
        if simulation.weather.strikes(onceIn: 25) { return HTTPResponse(status: 503) }
        if simulation.weather.strikes(onceIn: 40) { return HTTPResponse(status: 429, headers: ["retry-after": "7"]) }
        if simulation.weather.strikes(onceIn: 60) { return HTTPResponse(status: 200, body: Array("<html>log in</html>".utf8)) }
        let isFirstPage = !address.contains("offset=")
        if isFirstPage, address.contains("/schedules") { simulation.narrowRights() }
        if !isFirstPage, simulation.weather.strikes(onceIn: 3) { simulation.changeBetweenPages(of: address) }
        let moment = simulation.clock.now
        let answer = try await exchange()
        // The caller may be killed while it waits, and then never receives the answer.
        try await wait(.milliseconds(1))
        let honest = dated(answer)
        var (told, lie) = simulation.lies.bend(honest, to: String(address), at: simulation.clock.wallTime, &simulation.weather)
        // In the first answer after a change, some lies cannot be distinguished from the truth.
        if let word = lie, Lies.isTruthWhenNew(word), Truth.Question(address).map(simulation.truth.isNews) ?? true {
            (told, lie) = (honest, nil)
        }
        simulation.trace.note("\(answer.status) \(address)\(lie.map { ", \($0)" } ?? "")")
        if let question = Truth.Question(address) {
            let isTrue = lie == nil && answer.status == 200 && !hidesCharts(question)
            simulation.truth.answer(question, isFirstPage: isFirstPage, isTrue: isTrue, askedAt: moment)
        }
        return told
    }

    private func hidesCharts(_ question: Truth.Question) -> Bool {
        guard case .attachments(let id) = question, let plan = simulation.service.plans.first(where: { $0.id == id }) else { return false }
        return plan.charts.contains { simulation.service.hidden.contains($0.id) }
    }

    /// Adds the `Date` header; the service's own clock is right.
    private func dated(_ answer: HTTPResponse) -> HTTPResponse {
        let date = ["date": ServiceDate.text(simulation.clock.wallTime)]
        return HTTPResponse(status: answer.status, headers: answer.headers.merging(date) { first, _ in first }, body: answer.body)
    }

    private func wait(_ duration: Duration) async throws(HTTPFailure) {
        do {
            try await clock.sleep(for: duration)
        } catch {
            throw HTTPFailure(.cancelled, "cancelled")
        }
    }
}
