import Glibc
import Platform

/// Mutates bytes like a fuzzer, from a seed, so that a failing case can be repeated.
///
/// `WOODSHED_TEST_MUTATIONS` sets how many cases each test tries, and `WOODSHED_TEST_SEED` the seed. The current case is in the file `case`
/// of a `TemporaryFolder`, `/dev/shm/woodshed-test-…` or `/tmp/woodshed-test-…`, which stays after a crash.
public struct Mutator {
    private var chance: SeededGenerator
    private let samples: [[UInt8]]
    private let words: [[UInt8]]
    private let folder = TemporaryFolder()

    /// Numbers that often cause faults in readers of any format.
    private static let numbers = [
        "nan", "inf", "-inf", "1e999", "-1e999", "1e-999", "0", "-0", "-1", "9223372036854775807", "9223372036854775808", "1e40",
        "4294967296", "2147483648", "0x10", "1,5", "00", "", "99999999999999999999999999999999999999",
    ]

    /// Makes cases from `samples`. Some mutations insert one of `words`, which are words of the format, or a number that often causes
    /// faults.
    public init(_ samples: [[UInt8]], words: [String]) {
        let seed = UInt64(Asked.number("SEED", everyday: 1))
        chance = SeededGenerator(seed: seed)
        self.samples = samples
        self.words = (words + Self.numbers).map { Array($0.utf8) }
    }

    /// How many cases a test tries: `usual`, unless `WOODSHED_TEST_MUTATIONS` sets another number.
    public static func count(_ usual: Int) -> Int {
        Asked.number("MUTATIONS") ?? usual
    }

    /// The next case: a sample with one to eight mutations.
    public mutating func next() -> [UInt8] {
        var bytes = samples[Int.random(in: samples.indices, using: &chance)]
        for _ in 0..<Int.random(in: 1...8, using: &chance) { change(&bytes) }
        bytes.withUnsafeBytes { bytes in
            // The file is for a person who investigates a crash, so a failure to write it is ignored.
            try? Descriptor.open(folder.path("case"), O_WRONLY | O_CREAT | O_TRUNC).write(bytes)
        }
        return bytes
    }

    private mutating func change(_ bytes: inout [UInt8]) {
        let range = span(of: bytes)
        switch Int.random(in: 0..<9, using: &chance) {
        case 0 where !bytes.isEmpty:
            bytes[Int.random(in: bytes.indices, using: &chance)] ^= 1 << UInt8.random(in: 0..<8, using: &chance)
        case 1 where !bytes.isEmpty:
            bytes[Int.random(in: bytes.indices, using: &chance)] = UInt8.random(in: 0...255, using: &chance)
        case 2: bytes.removeSubrange(range)
        case 3: bytes.insert(contentsOf: bytes[range], at: range.lowerBound)
        case 4: bytes.insert(contentsOf: bytes[range], at: Int.random(in: 0...bytes.count, using: &chance))
        case 5: bytes.insert(contentsOf: word(), at: range.lowerBound)
        case 6: bytes.replaceSubrange(range, with: word())
        case 7: replaceNumber(in: &bytes, from: range.lowerBound)
        default: if Int.random(in: 0..<10, using: &chance) == 0 { bytes.removeSubrange(range.lowerBound...) }
        }
    }

    /// A short range of bytes, or rarely a long one.
    private mutating func span(of bytes: [UInt8]) -> Range<Int> {
        let start = Int.random(in: 0...bytes.count, using: &chance)
        let longest = Int.random(in: 0..<8, using: &chance) == 0 ? 2000 : 20
        return start..<min(bytes.count, start + Int.random(in: 0...longest, using: &chance))
    }

    private mutating func word() -> [UInt8] {
        words[Int.random(in: words.indices, using: &chance)]
    }

    /// Replaces the first number at or after `place`, if there is one, with a word.
    private mutating func replaceNumber(in bytes: inout [UInt8], from place: Int) {
        func isPart(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: ".") }
        guard let start = bytes[place...].firstIndex(where: isPart) else { return }
        let end = bytes[start...].firstIndex { !isPart($0) } ?? bytes.endIndex
        bytes.replaceSubrange(start..<end, with: word())
    }
}
