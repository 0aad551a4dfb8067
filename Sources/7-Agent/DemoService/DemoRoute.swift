/// What a client asks the stand-in for; faults are switched on for each route separately.
public enum DemoRoute: String, Sendable, Hashable, CaseIterable, Codable {
    /// Who the token belongs to.
    case me
    /// The plans that a person is scheduled in.
    case schedules
    /// Service types and their plans.
    case plans
    /// A plan's running order.
    case items
    /// A plan's attachments.
    case attachments
    /// Gives the address of an attachment's bytes.
    case open
    /// An attachment's bytes, at the file server.
    case file
    /// Layers of marks.
    case layers

    /// The route of a request to the API server; `nil` if faults cannot be switched on for it.
    init?(method: String, segments: [String]) {
        if segments.starts(with: ["annotations", "v1", "layers"]) {
            self = .layers
            return
        }
        guard segments.starts(with: ["services", "v2"]) else { return nil }
        let path = Array(segments.dropFirst(2))
        switch (path.first, path.count, path.last) {
        case ("me", 1, _): self = .me
        case ("people", 3, "schedules"): self = .schedules
        case ("service_types", 5, "items"): self = .items
        case ("service_types", 5, "all_attachments"): self = .attachments
        case ("service_types", ...3, _): self = .plans
        case ("attachments", 3, "open") where method == "POST": self = .open
        default: return nil
        }
    }
}
