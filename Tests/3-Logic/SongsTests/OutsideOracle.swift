import TestSupport

/// Results of music21, a library of musicologists, for notes and chords. They are in `oracle.txt`, which states how it was made.
enum OutsideOracle {
    struct KeyFacts {
        let name: String
        let scale: Set<String>
    }

    /// The fifteen major keys, from seven flats to seven sharps.
    static let keys = majors.map(\.name)
    static let majors = facts("key ") { !$0.hasSuffix("m") }
    static let minors = facts("key ") { $0.hasSuffix("m") }

    /// Notes moved by the interval from C (or A) to each of the keys, with the piano key of each result.
    static let major = rows("major ")
    static let minor = rows("minor ")

    /// Chord symbols, with the piano keys of their root and bass.
    static let chords: [(symbol: String, root: Int, bass: Int)] = lines("chords ").flatMap { $0.split(separator: " ") }.map { word in
        let parts = word.split(separator: ":")
        return (String(parts[0]), Int(parts[1])!, Int(parts[2])!)
    }

    private static func lines(_ start: String) -> [Substring] {
        let folder = Repository.module("SongsTests", in: "Tests").map { $0.dropFirst(Repository.path.count + 1) } ?? ""
        let text = (try? Repository.text(folder + "/oracle.txt")) ?? ""
        return text.split(separator: "\n").filter { $0.hasPrefix(start) }.map { $0.dropFirst(start.count) }
    }

    private static func named(_ start: String) -> [(name: String, words: [String])] {
        lines(start).map { line in
            let parts = line.split(separator: ": ")
            return (String(parts[0]), parts[1].split(separator: " ").map(String.init))
        }
    }

    private static func facts(_ start: String, of isIncluded: (String) -> Bool) -> [KeyFacts] {
        named(start).filter { isIncluded($0.name) }.map { KeyFacts(name: $0.name, scale: Set($0.words)) }
    }

    private static func rows(_ start: String) -> [String: [(name: String, pitch: Int)]] {
        Dictionary(
            uniqueKeysWithValues: named(start).map { name, words in
                (
                    name,
                    words.map { word in
                        let parts = word.split(separator: ":")
                        return (String(parts[0]), Int(parts[1])!)
                    }
                )
            })
    }
}
