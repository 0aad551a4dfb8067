import Glibc
import Platform
public import Testing

/// Waits for something that another process does, looking every few milliseconds; fails the test where it has not come after half a
/// minute that the machine could spare for it, and says what it was: as described, or the line of source.
@LoopActor
public func waitUntil(
    _ what: @LoopActor () async throws -> Bool, for description: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    var time = FairTime()
    while try await !what() {
        time.look()
        if time.passed > .seconds(30) {
            let awaited = description ?? source(of: sourceLocation)
            try #require(Bool(false), "waited for \(time.passed), in vain: \(awaited)", sourceLocation: sourceLocation)
        }
        try await SystemClock().sleep(for: .milliseconds(5))
    }
}

/// The line of a test's source, where it is still there.
private func source(of place: SourceLocation) -> String {
    let file = Folder.parent(of: Folder.parent(of: #filePath)) + "/" + place.fileID
    let lines = (try? AtomicFile.read(file, limit: 1 << 20)).map {
        String(decoding: $0, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    }
    guard let lines, lines.indices.contains(place.line - 1) else { return "\(place.fileID):\(place.line)" }
    return String(lines[place.line - 1].drop { $0 == " " })
}
