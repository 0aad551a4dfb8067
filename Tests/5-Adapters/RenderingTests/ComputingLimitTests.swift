import Testing

@testable import Rendering

/// How long a renderer may compute, for any reading of the process's clock.
struct ComputingLimitTests {
    @Test(arguments: [
        (0, 10, 11), (100, 10, 111), (-1, 10, UInt64.max), (Int.min, 10, .max), (Int.max, 10, .max), (Int.max - 5, 5, .max), (5, -1, .max),
        (5, Int.max, .max), (63_072_000, 10, .max),
    ])
    func theLimitIsSetByAClockThatCanBeRightOnly(used: Int, seconds: Int, limit: UInt64) {
        #expect(Worker.computingLimit(after: used, allowing: seconds) == limit)
    }
}

struct ComplaintTests {
    @Test func eachIsReportedOnceAndTheFontsComplaintOfTheSandboxIsNot() {
        var complaints = ComplaintBuffer()
        complaints.append("Fontconfig error: No writable cache directories\nUnknown\u{7} operator\n\nUnknown\u{7} operator\nno font\n".utf8)
        #expect(complaints.lines == ["Unknown  operator", "no font"])
    }
}
