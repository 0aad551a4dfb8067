/// The faults that are switched on, by route.
struct FaultSwitches: Sendable {
    private struct Switch {
        let fault: DemoFault
        /// For how many more requests; `nil` until it is switched off.
        var left: Int?
    }

    private var switches: [DemoRoute: Switch] = [:]

    mutating func set(_ fault: DemoFault?, on route: DemoRoute, times: Int?) {
        switches[route] = fault.map { Switch(fault: $0, left: times.map { max(0, $0) }) }
    }

    /// The fault for the request that has just arrived.
    mutating func take(_ route: DemoRoute?) -> DemoFault? {
        guard let route, let found = switches[route] else { return nil }
        guard let left = found.left else { return found.fault }
        switches[route]?.left = left - 1
        if left <= 1 { switches[route] = nil }
        return left > 0 ? found.fault : nil
    }
}
