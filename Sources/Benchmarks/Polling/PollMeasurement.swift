/// What one sync cost the process that did it.
struct PollMeasurement: Codable {
    var requests = 0
    /// Bytes of answers' bodies and of charts, after decompression.
    var received = 0
    /// Bytes written to files, the few with which the process wakes its own loop included.
    var written = 0
    var cpuMilliseconds = 0.0
}

/// A poller's result: the first sync, the polls after it that find nothing new, and its peak memory.
struct PollRecord: Codable {
    var first = PollMeasurement()
    var idle: [PollMeasurement] = []
    var peakMebibytes = 0.0
    /// What did not work, which makes the figures worthless.
    var setbacks: [String] = []
}
