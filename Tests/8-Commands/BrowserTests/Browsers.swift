import Platform
import Synchronization
import Testing

/// Lends browsers to the tests of the suites that carry `.browsers`: starting a browser takes longer than most tests. Each test has its own
/// while it runs, as good as new; the last of these suites ends them all.
struct Browsers: SuiteTrait, TestScoping {
    /// How many suites are under way.
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

    /// Called by a suite at its end, while it is still counted.
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
    /// Lends browsers to these tests.
    static var browsers: Browsers { Browsers() }
}
