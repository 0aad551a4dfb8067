import Glibc

/// How much a test tries: a little in everyday runs, and on demand what the environment says, as `WOODSHED_TEST_PAGES=400`.
public enum Asked {
    /// The number in `WOODSHED_TEST_…`, if somebody asks for one.
    public static func number(_ name: String) -> Int? { getenv("WOODSHED_TEST_" + name).flatMap { Int(String(cString: $0)) } }

    public static func number(_ name: String, everyday: Int) -> Int { number(name) ?? everyday }

    /// `WOODSHED_TEST_SEEDS` of them from `WOODSHED_TEST_SEED` on.
    public static func seeds(everyday count: Int, most: Int = .max) -> [UInt64] {
        let first = getenv("WOODSHED_TEST_SEED").flatMap { UInt64(String(cString: $0)) } ?? 1
        return (0..<UInt64(max(1, min(number("SEEDS", everyday: count), most)))).map { first &+ $0 }
    }

    /// Of the cases of one claim, such as on several screens, in several lights, or after several signals: the first in everyday runs, as
    /// many as `WOODSHED_TEST_CASES` says on demand.
    public static func some<Case>(of cases: [Case]) -> [Case] { Array(cases.prefix(max(1, number("CASES", everyday: 1)))) }

    /// The same where there are many of a kind: a third of them in everyday runs.
    public static func sample<Case>(of cases: [Case]) -> [Case] {
        number("CASES") == nil ? cases.enumerated().filter { $0.offset.isMultiple(of: 3) }.map(\.element) : cases
    }
}
