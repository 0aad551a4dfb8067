import CPixels

/// What is guessed of a pixel before only the difference is written, by PNG's numbers.
enum RowFilter: UInt8 {
    case none
    /// The pixel before.
    case before
    case above
    /// The mean of both.
    case average
    /// The one of these two and the pixel between them that is nearest to what a plane through them would have.
    case paeth

    /// The filter that leaves the least of a band.
    ///
    /// Paper and engraving repeat themselves, which is shorter than any difference. Where most pixels differ from their neighbours,
    /// as in a photograph, differences are shorter than the pixels; a few rows tell which.
    static func best(for rows: PackedRows, _ range: Range<Int>, _ layout: ImageLayout) -> RowFilter {
        let sample = stride(from: range.lowerBound, to: range.upperBound, by: 16)
        let bytes = layout.rowBytes - 1
        let repeats = sample.reduce(0) { $0 + woodshed_count_repeats(rows.row($1) + 1, bytes, layout.channels) }
        guard repeats * 2 < sample.underestimatedCount * bytes else { return .none }
        guard range.count > 1 else { return .before }
        func remainder(_ filter: RowFilter) -> UInt64 {
            sample.reduce(0) { sum, y in
                let y = max(y, range.lowerBound + 1)
                return sum
                    + woodshed_filtered_sum(Int32(filter.rawValue), rows.row(y) + 1, rows.row(y - 1) + 1, bytes, layout.channels)
            }
        }
        let sums = [RowFilter.before, .above, .average, .paeth].map { (filter: $0, sum: remainder($0)) }
        return sums.min { $0.sum < $1.sum }?.filter ?? .before
    }
}
