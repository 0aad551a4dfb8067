package import Model

extension Timestamp {
    /// Whether something has an earlier time than before. A time that is still to come was never right, so that nothing need be later; `now`
    /// is the time by the clock that gave those times, which is the service's.
    package static func runsBackwards(from former: Timestamp?, to told: Timestamp?, at now: Timestamp) -> Bool {
        guard let former, let told else { return false }
        return told < former && former <= now + .seconds(86_400)
    }
}
