/// A musician's drawn and shared marks, as the tests remember them: the library under test is not asked.
struct Musician: Hashable {
    /// The place of each mark, by chart.
    typealias Marks = [String: [String: Double]]

    var marks: Marks = [:]
    var sharesAll = false
    /// The choices for single charts.
    var shares: [String: Bool] = [:]
    var hasLeft = false

    /// The marks that the others must see.
    var shared: Marks { hasLeft ? [:] : marks.filter { !$0.value.isEmpty && shares[$0.key] ?? sharesAll } }
}
