public import Model

extension PlanningCenterClient {
    /// A plan's running order with the charts of each item. What is no chart is listed apart.
    public func contents(of plan: Plan) async throws(ServiceFailure) -> PlanContents {
        let place = ["service_types", plan.serviceType.text, "plans", plan.id.text]
        let items = try await list(
            Resource.self, at: address(place + ["items"], query: "include=song,arrangement,key&per_page=100"),
            what: "the running order of \(plan.displayName)")
        let attachments = try await list(
            Resource.self, at: address(place + ["all_attachments"], query: "per_page=100"),
            what: "the files of \(plan.displayName)")
        return PlanAssembly(
            plan: plan, rules: choice.rules(for: plan.serviceType), items: items.data, included: items.included,
            attachments: attachments.data
        ).contents
    }
}
