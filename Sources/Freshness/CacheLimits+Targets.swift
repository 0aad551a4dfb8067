import Model

/// Once a limit is passed, the cache is brought a good way below it; what is made anew may go just as far. Were one of
/// them to reach farther than the other, every image made would cost another, for ever.
extension CacheLimits {
    /// What images may take once there were too many: nine tenths of the limit.
    var targetBytes: Int { max(0, bytes.bytes) - max(0, bytes.bytes) / 10 }

    /// What is to be free of the disk once it was short: a tenth more than must be.
    var targetFree: Int { mustBeFree + mustBeFree / 10 }

    /// As configured, but never so much that reckoning with it could overflow.
    var mustBeFree: Int { min(max(0, leastFree.bytes), .max / 4) }
}
