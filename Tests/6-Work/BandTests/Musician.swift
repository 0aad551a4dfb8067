/// A musician's drawn and shared marks, as recorded by the tests, without the library under test.
struct Musician: Hashable {
    /// The position of each mark, by chart.
    typealias Marks = [String: [String: Double]]

    var marks: Marks = [:]
    var sharesAll = false
    /// The choices for single charts.
    var shares: [String: Bool] = [:]
    var hasLeft = false

    /// The marks that the others must see.
    var shared: Marks { hasLeft ? [:] : marks.filter { !$0.value.isEmpty && shares[$0.key] ?? sharesAll } }
}
