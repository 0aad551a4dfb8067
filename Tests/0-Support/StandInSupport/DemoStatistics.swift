/// Counts of the requests to the stand-in service.
package struct DemoStatistics: Sendable, Hashable {
    /// Requests for the API, the annotations and the sign-ins, including refused ones. Downloads of files are not counted here.
    package internal(set) var requests = 0
    package internal(set) var byRoute: [String: Int] = [:]
    package internal(set) var unchanged = 0
    package internal(set) var overLimit = 0
    package internal(set) var faults = 0
    /// Requests to the file server with credentials, which clients must not send there.
    package internal(set) var credentialsAtFiles = 0
    package internal(set) var opens: [String: Int] = [:]
    package internal(set) var downloads: [String: Int] = [:]
    /// Downloads whose last byte has not been sent yet.
    package internal(set) var downloadsInFlight = 0
    package internal(set) var mostDownloadsInFlight = 0

    private static let words: Set<String> = [
        "services", "v2", "current", "me", "people", "schedules", "service_types", "plans", "plan_times", "items", "all_attachments",
        "attachments",
        "open", "annotations", "v1", "layers",
    ]

    /// A request's method and path, with ids replaced and without the API's prefix.
    static func route(method: String, segments: some Sequence<String>) -> String {
        let parts = segments.map { words.contains($0) ? $0 : "{id}" }
        let shown = parts.starts(with: ["services", "v2"]) ? parts.dropFirst(2) : parts[...]
        return "\(method) /\(shown.joined(separator: "/"))"
    }
}

/// The kinds of requests to the stand-in. Faults are switched on for each route separately.
package enum DemoRoute: String, Sendable, Hashable, CaseIterable {
    /// The person to whom the token belongs.
    case me
    case schedules
    case plans
    case items
    case attachments
    /// Returns the address of an attachment's bytes.
    case open
    /// An attachment's bytes, at the file server.
    case file
    case layers

    /// The route of a request to the API server; nil if faults do not apply to it.
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
