import Glibc

/// How many cases each test tries: few in everyday runs. The environment can set higher numbers, as in `WOODSHED_TEST_PAGES=400`.
public enum Asked {
    /// Which tests run, and with how many cases.
    public enum Extent: String, Sendable {
        /// The default: all tests except those that `Needs` leaves out, with few cases each.
        case quick
        /// Everything, with all cases.
        case all
        /// The tests that the quick set leaves out or shortens because of a `Needs`, with all cases.
        case rest
    }

    /// The value of `WOODSHED_TEST`. An unknown word ends the run, since a misspelling must not select the quick set.
    public static let extent: Extent = {
        guard let word = getenv("WOODSHED_TEST").map({ String(cString: $0) }) else { return .quick }
        guard let extent = Extent(rawValue: word) else { fatalError("WOODSHED_TEST=\(word): there are quick, all and rest") }
        return extent
    }()

    /// The number in `WOODSHED_TEST_…`; nil if the variable is not set.
    public static func number(_ name: String) -> Int? { getenv("WOODSHED_TEST_" + name).flatMap { Int(String(cString: $0)) } }

    public static func number(_ name: String, everyday: Int) -> Int { number(name) ?? everyday }

    /// Consecutive seeds from `WOODSHED_TEST_SEED` on, as many as `WOODSHED_TEST_SEEDS` sets. By default, the quick set uses one seed, and
    /// other runs use `count`. There are never more than `most`.
    public static func seeds(everyday count: Int, most: Int = .max) -> [UInt64] {
        let first = getenv("WOODSHED_TEST_SEED").flatMap { UInt64(String(cString: $0)) } ?? 1
        let usual = extent == .quick ? 1 : count
        return (0..<UInt64(max(1, min(number("SEEDS", everyday: usual), most)))).map { first &+ $0 }
    }

    /// The cases of one claim to try, such as screens, lights or signals: the first one in the quick set, and all in other runs.
    /// `WOODSHED_TEST_CASES` sets another number.
    public static func some<Case>(of cases: [Case]) -> [Case] { Array(cases.prefix(max(1, number("CASES", everyday: usualCases)))) }

    /// Like `some`, for claims with many similar cases: a run that tries only one case takes every third.
    public static func sample<Case>(of cases: [Case]) -> [Case] {
        number("CASES", everyday: usualCases) == 1 ? cases.enumerated().filter { $0.offset.isMultiple(of: 3) }.map(\.element) : cases
    }

    private static var usualCases: Int { extent == .quick ? 1 : .max }
}
