import Platform
public import Testing

/// Waits for something that another process does, looking every few milliseconds; fails the test where it does not come at all, which
/// takes long to know on a busy machine.
@LoopActor
public func waitUntil(_ what: @LoopActor () async throws -> Bool, sourceLocation: SourceLocation = #_sourceLocation) async throws {
    let (clock, limit) = (SystemClock(), Duration.seconds(800))
    let deadline = clock.now + limit
    while try await !what() {
        try #require(clock.now < deadline, "waited for \(limit)", sourceLocation: sourceLocation)
        try await clock.sleep(for: .milliseconds(5))
    }
}
