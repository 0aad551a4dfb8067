import Model
import Testing

/// Which marks of a former state must be copied to another state before the former one is dropped.
@Suite(.timeLimit(.minutes(5)))
struct OutlastingMarksTests {
    private func marks(_ places: [Int]) -> [Mark] {
        places.map { Mark(id: "\($0)", page: PageIndex(0), kind: .pen, points: [Mark.Point(x: Double($0) / 100, y: 0.5)]) }
    }

    private func outlasting(_ places: [Int], besides others: [[Int]], addedTo target: [Int]) -> [String] {
        let sums = (others + [target]).map { MarkSums(of: marks($0)) }
        return MarkSums.outlasting(marks(places), besides: sums, addedTo: sums[sums.count - 1]).map(\.id)
    }

    @Test func onlyWhatStandsNowhereElseIsTakenOver() {
        #expect(outlasting([1, 2, 3], besides: [[2]], addedTo: [3]) == ["1"])
        #expect(outlasting([1, 2, 3], besides: [], addedTo: []) == ["1", "2", "3"])
        #expect(outlasting([1, 2, 3], besides: [[1, 2, 3]], addedTo: [9]).isEmpty)
    }

    /// Identical marks are counted. One of the kept states must end with as many copies of a mark as the dropped state had.
    @Test func asManyAreThereAfterwardsAsInTheState() {
        #expect(outlasting([1, 1, 1], besides: [[1]], addedTo: [1]) == ["1", "1"])
        #expect(outlasting([1, 1, 1], besides: [[1, 1, 1]], addedTo: []).isEmpty)
        #expect(outlasting([1, 1], besides: [[1], [1]], addedTo: []) == ["1", "1"])
    }

    /// States are dropped in arbitrary order. The last state ends with as many copies of each mark as any state ever had.
    @Test(arguments: 0..<200) func nothingIsLostByDroppingStateAfterState(seed: Int) {
        var numbers = (0..<40).map { (seed * 7919 + $0 * $0 * 31 + $0 * 17) % 11 }
        var states: [[Int]] = []
        while numbers.count >= 4 {
            states.append(Array(numbers.prefix(1 + (numbers[0] + seed) % 4)))
            numbers.removeFirst(4)
        }
        func counts(_ state: [Int]) -> [Int: Int] { Dictionary(state.map { ($0, 1) }, uniquingKeysWith: +) }
        let most = states.map(counts).reduce(into: [:]) { $0.merge($1, uniquingKeysWith: max) }
        while states.count > 1 {
            let dropped = states.remove(at: (seed + states.count) % states.count)
            let target = states.count - 1
            states[target] += outlasting(dropped, besides: Array(states.dropLast()), addedTo: states[target]).compactMap { Int($0) }
        }
        #expect(counts(states[0]) == most)
    }
}
