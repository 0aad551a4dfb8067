import Platform

extension Agent {
    /// Holds what would go over the network: no poll and no download begins any more. What runs comes to its end.
    public func suspend() { gate.close() }

    /// Lets polls and downloads begin again, also those that were held.
    public func resume() { gate.open() }

    /// Whether polls and downloads are held.
    public var isSuspended: Bool { !gate.isOpen }

    /// Ends every poll at once, also one that is held. Each answers with `PollOutcome.isCancelled`.
    public func cancelPolls() {
        for poll in polls.values { poll.cancel() }
    }
}
