/// What the stand-in has been asked for so far.
public struct DemoStatistics: Sendable, Hashable {
    /// Requests to the API and the annotations, including those that were refused.
    public internal(set) var requests = 0
    /// The same by route, for example "GET /service_types/{id}/plans".
    public internal(set) var byRoute: [String: Int] = [:]
    /// Requests answered 304.
    public internal(set) var unchanged = 0
    /// Requests answered 429.
    public internal(set) var overLimit = 0
    /// Requests affected by a fault that was switched on.
    public internal(set) var faults = 0
    /// Requests to the file server that contained credentials, which are none of its business.
    public internal(set) var credentialsAtFiles = 0
    /// How often each attachment was opened, by id.
    public internal(set) var opens: [String: Int] = [:]
    /// How often each attachment's bytes were sent, by id.
    public internal(set) var downloads: [String: Int] = [:]
    /// Downloads of which the last byte has not been sent yet.
    public internal(set) var downloadsInFlight = 0
    /// The most of them at one time.
    public internal(set) var mostDownloadsInFlight = 0

    private static let words: Set<String> = [
        "services", "v2", "current", "me", "people", "schedules", "service_types", "plans", "plan_times", "items", "all_attachments",
        "attachments",
        "open", "annotations", "v1", "layers",
    ]

    /// A request's method and path with all ids replaced, without the API's prefix.
    static func route(method: String, segments: some Sequence<String>) -> String {
        let parts = segments.map { words.contains($0) ? $0 : "{id}" }
        let shown = parts.starts(with: ["services", "v2"]) ? parts.dropFirst(2) : parts[...]
        return "\(method) /\(shown.joined(separator: "/"))"
    }
}
