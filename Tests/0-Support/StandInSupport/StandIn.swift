package import DemoService
package import Model
import Synchronization

/// The demo's stand-in of the service, which counts its requests for a test and fails on demand.
package final class StandIn: Sendable {
    /// The applications through which people sign in with a browser: one without a secret, and one with the same as the token's.
    package static let publicApplication = "woodshed-demo-public"
    package static let confidentialApplication = "woodshed-demo-confidential"

    private let service: DemoService
    private let gate: StandInGate

    /// Starts one. Without `servesAnnotations`, the annotation extension answers 404, as the real service does.
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

    /// An attachment's current bytes; `nil` if the stand-in has none.
    package func bytes(of attachment: String) -> [UInt8]? { state.attachments.first { $0.id == attachment }?.bytes }

    /// The chart that a layer is drawn on.
    package func attachment(under layer: String) -> String? { state.layers.first { $0.id == layer }?.attachment }

    /// Makes an edit; returns the change in one line.
    @discardableResult
    package func edit(_ edit: DemoEdit) throws(Trouble) -> String { try service.edit(edit) }

    package var statistics: DemoStatistics { gate.inner.withLock(\.statistics) }

    /// Starts counting from zero again, except for downloads that are under way.
    package func resetStatistics() {
        gate.inner.withLock {
            let inFlight = $0.statistics.downloadsInFlight
            $0.statistics = DemoStatistics()
            $0.statistics.downloadsInFlight = inFlight
            $0.statistics.mostDownloadsInFlight = inFlight
        }
    }

    package func serveAnnotations(_ isOn: Bool) { gate.inner.withLock { $0.servesAnnotations = isOn } }

    /// Has the tokens of later sign-ins expire after this many seconds.
    package func setSignInsLast(_ seconds: Int) { gate.inner.withLock { $0.signIns.lasts = seconds } }

    /// As if all sign-ins with a browser had been withdrawn at the service.
    package func withdrawSignIns() { gate.inner.withLock { $0.signIns.forgetAll() } }

    /// Switches a fault on for a route, for a number of requests or until it is switched off with `nil`.
    package func setFault(_ fault: DemoFault?, on route: DemoRoute, times: Int? = nil) {
        gate.inner.withLock { inner in
            inner.faults[route] = fault.map { .init(fault: $0, left: times ?? .max) }
            inner.torn = []
        }
    }
}
