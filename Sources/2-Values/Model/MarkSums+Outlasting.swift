extension MarkSums {
    /// Those of `marks`, which are of a former state of a file, that stand nowhere else: none of the other `states` has them as often as they
    /// are here. They are taken over into `target`, one of these states, as far as it lacks them, before the former one is dropped.
    public static func outlasting(_ marks: [Mark], besides states: [MarkSums], addedTo target: MarkSums) -> [Mark] {
        let own = MarkSums(of: marks)
        let alone = states.reduce(into: Set(own.values)) { $0.formIntersection(own.subtracting($1).values) }
        var lacking = Dictionary(own.subtracting(target).values.map { ($0, 1) }, uniquingKeysWith: +)
        return marks.filter { mark in
            guard let sum = mark.drawingSum, alone.contains(sum), let count = lacking[sum], count > 0 else { return false }
            lacking[sum] = count - 1
            return true
        }
    }
}
