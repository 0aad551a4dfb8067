package import DemoService
package import Model
import Synchronization

/// The demo's stand-in for the service, which also counts requests and fails when a test demands it.
package final class StandIn: Sendable {
    /// The applications through which users sign in with a browser: the first has no secret, the second has the secret of the demo's token.
    package static let publicApplication = "woodshed-demo-public"
    package static let confidentialApplication = "woodshed-demo-confidential"

    private let service: DemoService
    private let gate: StandInGate

    /// Starts a stand-in. Without `servesAnnotations`, requests for annotations get a 404, as from the real service.
    package static func start(
        port: UInt16 = 0, limit: RateLimit = .generous, servesAnnotations: Bool = true, load: DemoLoad? = nil,
        clock: @escaping @Sendable () -> Duration = { DemoService.systemTime() }, onEdit: @escaping @Sendable (String) -> Void = { _ in }
    ) throws(Trouble) -> StandIn {
        let gate = StandInGate(clock: clock, servesAnnotations: servesAnnotations)
        let service = try DemoService.start(port: port, limit: limit, load: load, clock: clock, gate: gate, onEdit: onEdit)
        gate.inner.withLock { $0.service = service }
        return StandIn(service, gate)
    }

    private init(_ service: DemoService, _ gate: StandInGate) { (self.service, self.gate) = (service, gate) }

    package func stop() { service.stop() }

    package var apiURL: String { service.apiURL }
    package var annotationsURL: String { service.annotationsURL }
    package var controlURL: String { service.controlURL }
    package var state: DemoState { service.state }

    /// An attachment's current bytes; nil if there are none.
    package func bytes(of attachment: String) -> [UInt8]? { state.attachments.first { $0.id == attachment }?.bytes }

    /// The attachment of the chart that a layer is drawn on.
    package func attachment(under layer: String) -> String? { state.layers.first { $0.id == layer }?.attachment }

    /// Makes an edit, and returns a one-line description.
    @discardableResult
    package func edit(_ edit: DemoEdit) throws(Trouble) -> String { try service.edit(edit) }

    package var statistics: DemoStatistics { gate.inner.withLock(\.statistics) }

    /// Resets all counts except those of downloads in progress.
    package func resetStatistics() {
        gate.inner.withLock {
            let inFlight = $0.statistics.downloadsInFlight
            $0.statistics = DemoStatistics()
            $0.statistics.downloadsInFlight = inFlight
            $0.statistics.mostDownloadsInFlight = inFlight
        }
    }

    package func serveAnnotations(_ isOn: Bool) { gate.inner.withLock { $0.servesAnnotations = isOn } }

    /// Makes tokens of later sign-ins expire after this many seconds.
    package func setSignInsLast(_ seconds: Int) { gate.inner.withLock { $0.signIns.lasts = seconds } }

    /// Revokes all sign-ins with a browser, as if at the service.
    package func withdrawSignIns() { gate.inner.withLock { $0.signIns.forgetAll() } }

    /// Switches a fault on for a route, for a number of requests or until it is switched off with `nil`.
    package func setFault(_ fault: DemoFault?, on route: DemoRoute, times: Int? = nil) {
        gate.inner.withLock { inner in
            inner.faults[route] = fault.map { .init(fault: $0, left: times ?? .max) }
            inner.torn = []
        }
    }
}
