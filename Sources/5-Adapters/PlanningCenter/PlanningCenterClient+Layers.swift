public import Model
import Platform

extension PlanningCenterClient {
    /// Whether any service is asked for marks.
    public var asksForMarks: Bool { account.annotationsURL != nil }

    /// The layers of marks on a plan's charts; `nil` if the service offers none, which is no error.
    public func layers(of plan: Plan) async throws(ServiceFailure) -> LayerList? {
        guard var place = account.annotationsURL else { return nil }
        while place.hasSuffix("/") { place.removeLast() }
        let what = "the marks of \(plan.displayName)"
        guard let id = ServiceAddress.encoded(plan.id.text),
            let address = ServiceAddress("\(place)/layers?where%5Bplan_id%5D=\(id)&per_page=100")
        else { throw .refused("annotations_url in the configuration cannot be used; it must look like https://host/path") }
        do {
            let found = try await list(LayerResource.self, at: address, what: what).data
            noMarksAt = nil
            let faults = found.compactMap { layer in layer.fault.map { (layer.layer.id, $0) } }
            return LayerList(layers: found.map(\.layer), faults: Dictionary(faults) { _, last in last })
        } catch .missing {
            if noMarksAt == nil { log.info("the service has no marks of others at \(place); only your own are shown") }
            noMarksAt = place
            return nil
        }
    }
}
