extension MarkSums {
    /// The marks that must be added to `target` before a former state of a file, which has `marks`, is dropped: those that would otherwise
    /// be lost, because each state in `states` has fewer of them. `target` is one of these states.
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
