import Platform
import Synchronization
import Testing

/// Lends browsers to the tests of suites with the trait `.browsers`, since starting a browser takes longer than most tests. No two
/// tests use a browser at the same time, and each gets a browser without pages and data. The last of these suites ends all browsers.
struct Browsers: SuiteTrait, TestScoping {
    /// The number of suites that run.
    private static let suites = Mutex(0)
    @LoopActor private static var idle: [Browser] = []

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        Self.suites.withLock { $0 += 1 }
        defer { Self.suites.withLock { $0 -= 1 } }
        do {
            try await function()
        } catch {
            await Self.endWhereNobodyNeedsThem()
            throw error
        }
        await Self.endWhereNobodyNeedsThem()
    }

    @LoopActor static func borrow() async throws -> Browser {
        if let browser = idle.popLast() { return browser }
        return try await Browser()
    }

    @LoopActor static func giveBack(_ browser: Browser) async {
        await browser.recordRefusals()
        guard (try? await browser.forgetAll()) != nil else { return await browser.end() }
        idle.append(browser)
    }

    /// Ends all browsers if the calling suite is the last one. A suite calls this function at its end, while the suite is still counted.
    private static func endWhereNobodyNeedsThem() async {
        guard suites.withLock({ $0 }) == 1 else { return }
        await endIdle()
    }

    @LoopActor private static func endIdle() async {
        DrawnHome.forget()
        let all = idle
        idle = []
        for browser in all { await browser.end() }
    }
}

extension Trait where Self == Browsers {
    /// The trait of a suite whose tests borrow browsers.
    static var browsers: Browsers { Browsers() }
}
