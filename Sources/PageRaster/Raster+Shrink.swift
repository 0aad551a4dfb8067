extension Raster {
    /// Becomes `source` at a smaller size: each pixel is the exact mean of the area that it covers.
    ///
    /// Positions are counted in whole fractions of a pixel, so that nothing is lost to rounding before the end.
    public func shrink(_ source: Raster, width: Int, height: Int) throws(RasterFailure) {
        precondition(width <= source.width && height <= source.height, "only ever smaller")
        try prepare(width: width, height: height)
        let sums = UnsafeMutablePointer<Int>.allocate(capacity: width * 3)
        let totals = UnsafeMutablePointer<Int>.allocate(capacity: width * 3)
        defer {
            sums.deallocate()
            totals.deallocate()
        }
        totals.initialize(repeating: 0, count: width * 3)
        let area = source.width * source.height
        var target = 0
        // Row y of the source reaches from y·height to (y+1)·height, row t of the target from t·H to (t+1)·H.
        for y in 0..<source.height {
            Self.sum(source.row(y), count: source.width, into: sums, count: width)
            let end = (y + 1) * height
            let targetEnd = (target + 1) * source.height
            guard end >= targetEnd else {
                Self.add(sums, times: height, to: totals, count: width * 3)
                continue
            }
            Self.add(sums, times: targetEnd - y * height, to: totals, count: width * 3)
            Self.write(totals, dividedBy: area, to: row(target), count: width)
            totals.update(repeating: 0, count: width * 3)
            Self.add(sums, times: end - targetEnd, to: totals, count: width * 3)
            target += 1
        }
    }

    // These loops are `while` loops over pointers: they see every pixel, and a debug build is slow at ranges.

    /// Sums one row into `targetCount` pixels of three channels, each pixel of the source counting `targetCount` in all.
    private static func sum(_ row: UnsafeMutablePointer<UInt32>, count: Int, into sums: UnsafeMutablePointer<Int>, count targetCount: Int) {
        var target = 0
        var index = 0
        var position = 0
        var indexEnd = targetCount
        var targetEnd = count
        while target < targetCount {
            var red = 0
            var green = 0
            var blue = 0
            while position < targetEnd {
                let next = indexEnd < targetEnd ? indexEnd : targetEnd
                let weight = next &- position
                let word = Int(truncatingIfNeeded: row[index])
                red = red &+ ((word &>> 16) & 255) &* weight
                green = green &+ ((word &>> 8) & 255) &* weight
                blue = blue &+ (word & 255) &* weight
                position = next
                if position == indexEnd {
                    index = index &+ 1
                    indexEnd = indexEnd &+ targetCount
                }
            }
            sums[target &* 3] = red
            sums[target &* 3 &+ 1] = green
            sums[target &* 3 &+ 2] = blue
            target = target &+ 1
            targetEnd = targetEnd &+ count
        }
    }

    private static func add(_ sums: UnsafeMutablePointer<Int>, times weight: Int, to totals: UnsafeMutablePointer<Int>, count: Int) {
        var index = 0
        while index < count {
            totals[index] = totals[index] &+ sums[index] &* weight
            index = index &+ 1
        }
    }

    private static func write(
        _ totals: UnsafeMutablePointer<Int>, dividedBy area: Int, to row: UnsafeMutablePointer<UInt32>, count: Int
    ) {
        for x in 0..<count {
            let channels = (0..<3).map { (totals[x * 3 + $0] + area / 2) / area }
            row[x] = UInt32(channels[0] << 16 | channels[1] << 8 | channels[2])
        }
    }
}
