import Platform
public import Testing

/// Waits for something that another process does, looking every few milliseconds; fails the test after half a minute.
@LoopActor
public func waitUntil(
    _ what: @LoopActor () throws -> Bool, sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    let clock = SystemClock()
    let deadline = clock.now + .seconds(30)
    while try !what() {
        try #require(clock.now < deadline, "waited for half a minute", sourceLocation: sourceLocation)
        try await clock.sleep(for: .milliseconds(5))
    }
}
