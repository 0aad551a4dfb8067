import Model

/// Once a limit is exceeded, the cache is brought well below it, and rendering may fill it only up to the same point. If one of
/// the two went further than the other, every image rendered would cost another one, for ever.
extension CacheLimits {
    /// How much the images may take after there were too many: nine tenths of the limit.
    var targetBytes: Int { max(0, bytes.bytes) - max(0, bytes.bytes) / 10 }

    /// How much of the disk is to be free after it was short: a tenth more than the minimum.
    var targetFree: Int { mustBeFree + mustBeFree / 10 }

    /// As configured, but never so much that calculations with it could overflow.
    var mustBeFree: Int { min(max(0, leastFree.bytes), .max / 4) }
}
