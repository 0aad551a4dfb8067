import CPoppler

/// Counts poppler's messages instead of letting them out.
struct MessageCount {
    private(set) var messages = 0

    mutating func count<Result>(during work: () -> Result) -> Result {
        withUnsafeMutablePointer(to: &messages) { messages in
            // The handler that came last is asked first.
            let handler = g_log_set_handler(
                "Poppler", GLogLevelFlags(rawValue: ~0),
                { _, _, _, messages in messages?.assumingMemoryBound(to: Int.self).pointee += 1 }, messages)
            defer { g_log_remove_handler("Poppler", handler) }
            return work()
        }
    }
}
