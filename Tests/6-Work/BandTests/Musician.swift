/// What somebody drew and shares, as the tests remember it: the library under test is not asked.
struct Musician: Hashable {
    /// Of each chart, where each mark is.
    typealias Marks = [String: [String: Double]]

    var marks: Marks = [:]
    var sharesAll = false
    /// What was said of single charts.
    var shares: [String: Bool] = [:]
    var hasLeft = false

    /// What the others are to see.
    var shared: Marks { hasLeft ? [:] : marks.filter { !$0.value.isEmpty && shares[$0.key] ?? sharesAll } }
}
