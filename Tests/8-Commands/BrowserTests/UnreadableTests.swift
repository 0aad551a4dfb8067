import DemoService
import Foundation
import Platform
import StandInSupport
import TestSupport
import Testing

/// Most charts of a plan were damaged when they arrived, and every view describes them alike.
@Suite(.onLoop, .browsers, .needs(.browser), .serialized, .enabled(if: Browser.isInstalled, Browser.isMissing))
struct UnreadableTests {
    private struct Checked: Decodable {
        struct Plan: Decodable {
            var ready: Bool
            var charts: [Chart]
        }
        struct Chart: Decodable {
            var id: String
            var ready: Bool
            var lacks: [Lack]
        }
        struct Lack: Decodable {
            var message: String
        }
        var plans: [Plan]
    }

    /// A chart as the agent describes it.
    private struct Chart: Decodable {
        var id: String
        var state: String
        var reason: String?
    }

    @Test @LoopActor func threeOfFourChartsCannotBeRead() async throws {
        let load = DemoLoad(plans: 1, chartsPerPlan: 4, scores: [DemoLoad.Score("riverside-lead", pages: 2)])
        let damaged = ["79073901", "79073902", "79073904"]
        try await Desk.use(
            load: load,
            edit: { service in
                for (number, id) in damaged.enumerated() {
                    let whole = try #require(service.bytes(of: id))
                    // Only the beginning of the PDF is left, without anything by which a reader could find pages.
                    let rest = [UInt8](repeating: UInt8(ascii: "a") + UInt8(number), count: 4000)
                    try service.edit(.replaceChart(attachment: id, bytes: Array(whole.prefix(200)) + rest + Array("\n%%EOF\n".utf8)))
                }
            }
        ) { desk in
            let browser = desk.browser
            try await browser.resize(1366, 768)
            let result = try await desk.run(["ready", "--json"])
            #expect(result.exit == .code(3), "\(result.messages)")
            let plan = try #require(try JSONDecoder().decode(Checked.self, from: Data(result.output.utf8)).plans.first)
            #expect(!plan.ready && plan.charts.filter { !$0.ready }.map(\.id) == damaged)

            try await desk.visit("/")
            let words = "document.querySelector('.readiness')?.innerText.trim()"
            try await browser.wait(for: "\(words) === '1 of 4 charts ready'")
            try await browser.screenshot("unreadable-plans")
            try await browser.run("document.querySelector('.plan-card a[data-plan]').click()")
            try await browser.wait(for: "document.querySelector('ol.items') && \(words) === '1 of 4 charts ready'")
            let bar: [Double] = try await browser.ask(
                "const { value, max } = document.querySelector('progress'); return [value, max]")
            #expect(bar == [1, 4])
            try await browser.wait(
                for: "document.querySelector('.held').textContent === 'In this browser: 2 of 2 pages, some charts missing'")
            try await browser.screenshot("unreadable-plan")
            let charts: [Chart] = try await browser.ask(
                """
                return fetch("/api/plan/" + location.pathname.split("/")[2]).then((reply) => reply.json())
                  .then(({ items }) => items.flatMap((item) => item.charts));
                """)
            #expect(charts.filter { $0.state == "unreadable" }.map(\.id) == damaged)
            for (number, chart) in charts.enumerated() {
                let row = "document.querySelectorAll('ol.items > li.item')[\(number)]"
                let badge: String = try await browser.ask("return \(row).querySelector('.badge')?.textContent ?? ''")
                #expect(badge == (chart.state == "ready" ? "" : "cannot be read"), "\(number)")
                guard let reason = chart.reason else { continue }
                #expect(try await browser.ask("return \(row).querySelector('.sentences').textContent.includes(arguments[0])", [reason]))
                let lack = try #require(plan.charts.first { $0.id == chart.id }?.lacks.first)
                #expect(reason.lowercased().contains(lack.message.prefix(20).lowercased()), "\(reason) / \(lack.message)")
            }
            // On the stand, charts without pages have cards with the reason, and a turn leads to the readable chart.
            try await browser.resize(900, 1200)
            try await browser.run("document.querySelector('ol.items .chart').click()")
            let card = "document.querySelector('.stage .card')"
            for (number, chart) in charts.enumerated() {
                let isOther = "document.body.dataset.chart === '\(chart.id)'"
                if let reason = chart.reason {
                    try await browser.wait(for: "\(isOther) && \(card)")
                    #expect(try await browser.ask("return \(card).querySelector('p').textContent") == reason)
                    try await browser.wait(for: "document.querySelector('.bar-where').textContent === 'Song \(number + 1) of 4'")
                    if number == 0 { try await browser.screenshot("unreadable-card") }
                } else {
                    for page in 0..<2 {
                        try await browser.wait(for: "\(isOther) && document.body.dataset.position === '\(page)' && \(Desk.isReady)")
                        #expect(try await browser.ask("return \(card) === null"))
                        if page == 0 { try await browser.press(.right) }
                    }
                }
                try await browser.press(.right)
            }
        }
    }
}
