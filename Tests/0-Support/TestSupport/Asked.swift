import Glibc

/// How much each test tries: little in everyday runs, and on demand as much as the environment sets, as in `WOODSHED_TEST_PAGES=400`.
public enum Asked {
    /// Which tests run, and with how many cases.
    public enum Extent: String, Sendable {
        /// The default: all tests except those that `Needs` leaves out, with few cases each.
        case quick
        /// Everything, with all cases.
        case all
        /// The tests that the quick set leaves out, with all cases.
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

    /// `WOODSHED_TEST_SEEDS` seeds, starting from `WOODSHED_TEST_SEED`. The quick set uses one by default.
    public static func seeds(everyday count: Int, most: Int = .max) -> [UInt64] {
        let first = getenv("WOODSHED_TEST_SEED").flatMap { UInt64(String(cString: $0)) } ?? 1
        let usual = extent == .quick ? 1 : count
        return (0..<UInt64(max(1, min(number("SEEDS", everyday: usual), most)))).map { first &+ $0 }
    }

    /// The cases of one claim, such as several screens, lights or signals. The quick set takes the first, other runs take all, unless
    /// `WOODSHED_TEST_CASES` sets a number.
    public static func some<Case>(of cases: [Case]) -> [Case] { Array(cases.prefix(max(1, number("CASES", everyday: usualCases)))) }

    /// Like `some`, for claims with many similar cases: a run that tries only one case takes every third.
    public static func sample<Case>(of cases: [Case]) -> [Case] {
        number("CASES", everyday: usualCases) == 1 ? cases.enumerated().filter { $0.offset.isMultiple(of: 3) }.map(\.element) : cases
    }

    private static var usualCases: Int { extent == .quick ? 1 : .max }
}
