extension MarkSums {
    /// The marks to add to `target` before a former state of a file, with these `marks`, is dropped. Each state in `states` has fewer of
    /// these marks, so they would be lost. `target` is one of the states.
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
