import Agent
import Glibc
import Platform

/// How long a chart's first page takes if it has to be drawn, alone and while a whole season is waiting to be drawn.
@LoopActor
struct SelectionRace {
    let agent: ViewedAgent

    /// Measures both in turn, chart by chart, except for the `filler`, whose pages only wait.
    ///
    /// The agent keeps nothing in memory, so whatever is not on disk has to be drawn.
    func run(_ pages: [ViewedPage], besides filler: String, rounds: Int) async throws -> Measurements {
        var (busy, alone, waiting): ([Double], [Double], [Int]) = ([], [], [])
        let firsts = pages.filter { $0.isFirst && $0.chart != filler }
        for round in 0..<rounds {
            let page = firsts[round % firsts.count]
            try await empty(pages)
            // If a renderer has to be started, that counts for both measurements or for neither.
            try select(firsts[(round + 1) % firsts.count])
            unlink(agent.home.folder + "/cache" + page.address)
            alone.append(try select(page))
            try await empty(pages)
            waiting.append(try agent.report().rendering.waitingPages)
            try agent.home.control("POST", "/v1/resume")
            // Until some of the waiting pages are being drawn.
            try await until { try !agent.report().rendering.running.isEmpty }
            busy.append(try select(page))
        }
        try agent.home.control("POST", "/v1/resume")
        var measured = Measurements()
        measured.add("select_live_ms", "ms", busy)
        measured.add("render_alone_ms", "ms", alone)
        measured.add("select_live/render_alone", "ratio", busy.median / alone.median)
        // The time over the limit of 1.2 times plus 10 ms; below zero, the limit is kept.
        measured.add("select_live_over_limit_ms", "ms", busy.median - (1.2 * alone.median + 10))
        measured.add("pages_waiting", "pages", Double(waiting.min() ?? 0))
        return measured
    }

    /// The milliseconds from the selection to the last byte of the page.
    @discardableResult
    private func select(_ page: ViewedPage) throws -> Double {
        let (selection, image) = (agent.post("/api/select", page.selection), agent.get(page.address))
        let start = ProcessFigures.wallMilliseconds
        try agent.ask(selection)
        try agent.ask(image)
        return ProcessFigures.wallMilliseconds - start
    }

    /// Pauses the agent, and removes all its images.
    private func empty(_ pages: [ViewedPage]) async throws {
        try agent.home.control("POST", "/v1/pause")
        try await until { try agent.report().rendering.running.isEmpty }
        let folder = agent.home.folder + "/cache/pages"
        for chart in try Folder.names(in: folder) {
            for name in (try? Folder.names(in: "\(folder)/\(chart)")) ?? [] { unlink("\(folder)/\(chart)/\(name)") }
        }
        // The agent must have noticed that all of them are gone.
        try await until { try agent.report().rendering.waitingPages >= pages.count }
    }

    private func until(_ isSo: () throws -> Bool) async throws {
        try await agent.running.wait(for: "readiness for a selection", within: .seconds(60), every: .milliseconds(5)) { _ in try isSo() }
    }
}
