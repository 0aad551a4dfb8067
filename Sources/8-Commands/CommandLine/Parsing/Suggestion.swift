/// "Did you mean": the known word that is most similar to a mistyped one.
package enum Suggestion {
    /// The most similar of `candidates`, if it is similar enough to be what was meant.
    package static func nearest(to word: String, among candidates: [String]) -> String? {
        // One mistake for every three letters; with more it is a different word.
        let limit = max(1, min(3, word.count / 3))
        let ranked = candidates.map { (word: $0, distance: distance(word.lowercased(), $0.lowercased())) }
        return ranked.filter { $0.distance <= limit }.min { $0.distance < $1.distance }?.word
    }

    /// The end of a message: empty, or "; did you mean 'show'?".
    package static func text(for word: String, among candidates: [String]) -> String {
        nearest(to: word, among: candidates).map { "; did you mean '\($0)'?" } ?? ""
    }

    /// How many letters must be added, removed, changed or swapped with their neighbour.
    package static func distance(_ left: String, _ right: String) -> Int {
        let left = Array(left)
        let right = Array(right)
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for row in left.indices {
            var current = [row + 1]
            for column in right.indices {
                var best = min(current[column] + 1, last[column + 1] + 1, last[column] + (left[row] == right[column] ? 0 : 1))
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    best = min(best, beforeLast[column - 1] + 1)
                }
                current.append(best)
            }
            (beforeLast, last) = (last, current)
        }
        return last[right.count]
    }
}
