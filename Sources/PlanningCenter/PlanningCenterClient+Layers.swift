public import Model
import Platform

extension PlanningCenterClient {
    /// The layers of marks on a plan's charts; `nil` where the service offers none, which is no error.
    public func layers(of plan: Plan) async throws(ServiceFailure) -> [Layer]? {
        guard var place = account.annotationsURL else { return nil }
        while place.hasSuffix("/") { place.removeLast() }
        let what = "the marks of \(plan.displayName)"
        guard let id = ServiceAddress.encoded(plan.id.text),
            let address = ServiceAddress("\(place)/layers?where%5Bplan_id%5D=\(id)&per_page=100")
        else { throw .refused("the address of the annotations in the configuration cannot be used; it has to look like https://host/path") }
        do {
            let found = try await list(LayerResource.self, at: address, what: what).data
            let unreadable = found.reduce(0) { $0 + $1.unreadableMarks }
            if unreadable > 0 { log.warning("\(what): \(unreadable) of them cannot be read and are not shown") }
            // A living layer that comes without a list of marks is no reason to forget those that are here.
            return found.filter { $0.hasMarks || $0.layer.deletedAt != nil }.map(\.layer)
        } catch .missing {
            if !hasToldOfMissingAnnotations { log.info("this service offers no annotations; only your local ones are shown") }
            hasToldOfMissingAnnotations = true
            return nil
        }
    }
}
