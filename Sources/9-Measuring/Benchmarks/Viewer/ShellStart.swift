import Platform
import WebDriver

/// What the viewer's shell costs a slow computer: how long its scripts run until the plans are shown.
@LoopActor
enum ShellStart {
    /// A tablet of some years ago has about a quarter of a laptop's speed.
    private static let timesSlower = 4

    static func measure(_ agent: ViewedAgent, place: String, runs: Int) async throws -> Measurements {
        var measured = Measurements()
        for run in 1...runs {
            // Another browser each time: one that knows the shell has it compiled.
            let time = try await agent.browse(place: "\(place)\(run)") { browser in
                try await browser.slowDown(timesSlower)
                try await browser.countScripts()
                try await browser.open(try agent.invitation())
                return try await restingTime(browser)
            }
            measured.add("shell_script_ms", "ms", time)
        }
        return measured
    }

    /// The milliseconds of scripts once nearly none are added in half a second. The page is not asked before: that is a script, too.
    private static func restingTime(_ browser: ChromiumDriver) async throws -> Double {
        let clock = SystemClock()
        var time = 0.0
        while true {
            try await clock.sleep(for: .milliseconds(500))
            let now = try await browser.scriptMilliseconds()
            if now > 0, now - time < 1 { break }
            time = now
        }
        let isShown: Bool = try await browser.ask("return document.querySelector('.plan-card') !== null", [Int]())
        try require(isShown, "the viewer shows no plans")
        return time
    }
}
