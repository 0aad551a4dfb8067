/// What one sync cost the process that made it.
struct PollMeasurement: Codable {
    var requests = 0
    /// Bytes of answers' bodies and charts, after decompression.
    var received = 0
    /// Bytes written to files.
    var written = 0
    var cpuMilliseconds = 0.0
}

/// What a poller tells: the first sync, polls after it that find nothing new, and the most memory it ever had.
struct PollRecord: Codable {
    var first = PollMeasurement()
    var idle: [PollMeasurement] = []
    var peakMebibytes = 0.0
    /// What did not work, which makes the figures worthless.
    var setbacks: [String] = []
}
