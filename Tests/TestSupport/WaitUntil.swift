import Platform
public import Testing

/// Waits for something that another process does, looking every few milliseconds; fails the test after some minutes, for a busy machine, or the time given.
@LoopActor
public func waitUntil(
    within limit: Duration = .seconds(400), _ what: @LoopActor () async throws -> Bool, sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    let clock = SystemClock()
    let deadline = clock.now + limit
    while try await !what() {
        try #require(clock.now < deadline, "waited for \(limit)", sourceLocation: sourceLocation)
        try await clock.sleep(for: .milliseconds(5))
    }
}
