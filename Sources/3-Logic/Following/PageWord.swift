/// A word that is printed on a page, and the box around it.
public struct PageWord: Hashable, Sendable {
    public var text: String
    public var from: PagePoint
    public var to: PagePoint

    public init(_ text: String, from: PagePoint, to: PagePoint) { (self.text, self.from, self.to) = (text, from, to) }

    /// Equal for words with the same letters, regardless of capitals and punctuation.
    var number: UInt32 {
        let letters = text.lowercased().unicodeScalars.filter { $0.properties.isAlphabetic || $0.properties.numericType != nil }
        return letters.reduce(2_166_136_261) { ($0 ^ $1.value) &* 16_777_619 }
    }
}

extension PageMap {
    /// Whether the word is above all music, like a title, or on a page without music. Only such a word identifies its place.
    func isHeading(_ word: PageWord) -> Bool {
        systems.allSatisfy { system in system.staves.first.map { word.to.y < min($0.left.y, $0.right.y) - 5 * $0.space } ?? true }
    }

    /// The number of the heading word nearest to a point, and how far away it is, as a fraction of the page's width.
    func nearestWord(to point: PagePoint) -> (number: Int, distance: Double)? {
        var best: (number: Int, distance: Double)?
        for (number, word) in words.enumerated() where isHeading(word) {
            let across = max(0, word.from.x - point.x, point.x - word.to.x)
            let down = max(0, word.from.y - point.y, point.y - word.to.y) * steepness
            let distance = (across * across + down * down).squareRoot()
            if distance < best?.distance ?? .infinity { best = (number, distance) }
        }
        return best
    }
}
