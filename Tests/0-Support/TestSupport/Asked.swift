import Glibc

/// How much a test tries: a little in everyday runs, and on demand as much as the environment says, as in `WOODSHED_TEST_PAGES=400`.
public enum Asked {
    /// Which tests run, and how much each of them tries.
    public enum Extent: String, Sendable {
        /// The tests that run by default: without those that `Needs` leaves out, and with few cases of the rest.
        case quick
        /// Everything, with all cases.
        case all
        /// The tests that the quick set leaves out, with all cases.
        case rest
    }

    /// The value of `WOODSHED_TEST`. An unknown word ends the run: its author does not mean the quick set.
    public static let extent: Extent = {
        guard let word = getenv("WOODSHED_TEST").map({ String(cString: $0) }) else { return .quick }
        guard let extent = Extent(rawValue: word) else { fatalError("WOODSHED_TEST=\(word): there are quick, all and rest") }
        return extent
    }()

    /// The number in `WOODSHED_TEST_…`, if it is set.
    public static func number(_ name: String) -> Int? { getenv("WOODSHED_TEST_" + name).flatMap { Int(String(cString: $0)) } }

    public static func number(_ name: String, everyday: Int) -> Int { number(name) ?? everyday }

    /// `WOODSHED_TEST_SEEDS` seeds from `WOODSHED_TEST_SEED` on; one of them in the quick set.
    public static func seeds(everyday count: Int, most: Int = .max) -> [UInt64] {
        let first = getenv("WOODSHED_TEST_SEED").flatMap { UInt64(String(cString: $0)) } ?? 1
        let usual = extent == .quick ? 1 : count
        return (0..<UInt64(max(1, min(number("SEEDS", everyday: usual), most)))).map { first &+ $0 }
    }

    /// Cases of one claim, such as on several screens, in several lights, or after several signals: the first in the quick set, else as
    /// many as `WOODSHED_TEST_CASES` says, or all.
    public static func some<Case>(of cases: [Case]) -> [Case] { Array(cases.prefix(max(1, number("CASES", everyday: usualCases)))) }

    /// The same where there are many of a kind: a third of them in a run that tries only one case.
    public static func sample<Case>(of cases: [Case]) -> [Case] {
        number("CASES", everyday: usualCases) == 1 ? cases.enumerated().filter { $0.offset.isMultiple(of: 3) }.map(\.element) : cases
    }

    private static var usualCases: Int { extent == .quick ? 1 : .max }
}
