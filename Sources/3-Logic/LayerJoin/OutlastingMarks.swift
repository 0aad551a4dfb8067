public import Model

/// Which marks of a former state of a file stand nowhere else, so that they are taken over into another state before theirs is dropped.
public enum OutlastingMarks {
    /// Those of `marks` that none of the `states` has as often as they are here, as far as `target`, one of these, lacks them.
    public static func of(_ marks: [Mark], besides states: [MarkSums], addedTo target: MarkSums) -> [Mark] {
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
