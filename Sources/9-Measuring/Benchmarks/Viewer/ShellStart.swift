import Platform
import WebDriver

/// The cost of the viewer's shell on a slow computer: how long its scripts run until the plans are shown.
@LoopActor
enum ShellStart {
    /// A tablet that is some years old has about a quarter of a laptop's speed.
    private static let timesSlower = 4

    static func measure(_ agent: ViewedAgent, place: String, runs: Int) async throws -> Measurements {
        var measured = Measurements()
        for run in 1...runs {
            // Use a new browser each time, since one that has loaded the shell before has its scripts compiled.
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

    /// The script time, once less than 1 ms is added in half a second. The page itself is queried only after that, since a query is
    /// a script, too.
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
