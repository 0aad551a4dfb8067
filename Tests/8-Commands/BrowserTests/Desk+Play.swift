import Platform
import TestSupport
import Testing

extension Desk {
    struct Chart: Decodable {
        var id: String
        var name: String
    }

    private static let isShown = "document.body.dataset.view === 'chart' && document.body.dataset.state === 'ready'"

    /// Opens the first chart of the next plan from the list of plans: one whole page at a time, or in the screen's default view.
    func play(asOpened: Bool = false) async throws -> Witness {
        try await visit("/")
        try await browser.wait(for: "document.querySelector('.plan-card.next a[data-plan]')")
        let plan: String = try await browser.ask("return document.querySelector('.plan-card.next a[data-plan]').dataset.plan")
        try await browser.run("document.querySelector('.plan-card.next a[data-plan]').click()")
        try await browser.wait(for: "document.querySelector('.plan-head a.button.strong')")
        try await browser.run("document.querySelector('.plan-head a.button.strong').click()")
        try await browser.wait(for: Self.isShown)
        if asOpened { return try await Witness(browser, plan: plan) }
        // Change from as many pages as fit to one, and from the screen's default to the whole page.
        try await browser.press(.d)
        for (name, value) in [("fit", "page"), ("margins", "printed")] {
            try await browser.run("modules['settings.js'].settings.set('\(name)', '\(value)')")
        }
        try await browser.wait(for: Self.isShown)
        return try await Witness(browser, plan: plan)
    }

    /// All charts of all plans, without duplicates.
    func charts() async throws -> [Chart] {
        let all: [Chart] = try await browser.ask(
            """
            const told = async (path) => (await fetch(path)).json();
            return told("/api/state").then(({ plans }) => Promise.all(plans.map(({ id }) => told(`/api/plan/${id}`))))
              .then((plans) => plans.flatMap(({ items }) => items.flatMap(({ charts }) => charts.map(({ id, name }) => ({ id, name })))));
            """)
        var seen: Set<String> = []
        return all.filter { seen.insert($0.id).inserted }
    }

    /// Hides the controls, so the music has the whole screen.
    func hideControls() async throws {
        if try await browser.ask("return document.body.dataset.bar !== 'away'") { try await browser.press(.escape) }
        // The page gets its new layout in the frame after the one in which the stage has grown.
        let frames = "new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)))"
        try await browser.wait(
            for: "\(frames).then(() => document.querySelector('.stage').clientHeight === innerHeight && \(Self.isShown))")
    }

    /// Goes from item to item until this chart is shown, and then to the page.
    func go(to chart: String, page: Int = 0) async throws {
        try await browser.press(.home)
        for key in [Key.previousItem, .nextItem] {
            var before = ""
            while true {
                try await browser.wait(for: "\(Self.isShown) || document.body.dataset.state === 'missing'")
                let now: String = try await browser.ask("return document.body.dataset.chart")
                if now == chart {
                    for position in stride(from: 0, to: page, by: 1) {
                        try await browser.press(.right)
                        try await browser.wait(for: "document.body.dataset.position === '\(position + 1)' && \(Self.isShown)")
                    }
                    return
                }
                // At the last item the key has no effect.
                if now == before { break }
                before = now
                try await browser.press(key)
            }
        }
        Issue.record("no item of the plan shows \(chart)")
    }

    /// Waits until the screen shows a page with its marks, or without them.
    func waitUntilShown(_ witness: Witness, _ stop: Witness.Stop, marked: Bool) async throws {
        try await waitUntil {
            let wanted = try await witness.distance(stop, marked: marked)
            return try await wanted < witness.distance(stop, marked: !marked)
        }
    }
}
