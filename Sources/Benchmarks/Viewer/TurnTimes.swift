import Platform

/// How long pages take from the request until they are there, by where they come from.
@LoopActor
struct TurnTimes {
    /// In playing order, each asked for as somebody turning pages does: once the page before it is on screen.
    var turns: [Double] = []
    var memory: [Double] = []
    var disk: [Double] = []
    var live: [Double] = []

    static let turnCount = 200
    static let liveCount = 50

    var figures: [Figure] {
        [
            Figure("turn_p95_ms", unit: "ms", runs: [turns.percentile(0.95)]),
            Figure("turn_memory_p50_ms", unit: "ms", runs: memory), Figure("turn_disk_p50_ms", unit: "ms", runs: disk),
            Figure("turn_live_p50_ms", unit: "ms", runs: live),
        ]
    }

    /// All of them with their high percentiles.
    func rows(_ name: String) -> [[String]] {
        [("turn", turns), ("memory", memory), ("disk", disk), ("live", live)].map { kind, times in
            [name, kind] + [0.5, 0.95, 0.99].map { DetailTable.text(times.percentile($0)) } + ["\(times.count)"]
        }
    }

    static let columns = ["measured", "from", "p50 ms", "p95 ms", "p99 ms", "runs"]

    /// As a browser sees it: until the image is decoded. Nothing was selected before.
    ///
    /// Each address gets a number, since the browser would not ask twice for something that never changes.
    init(of pages: [ViewedPage], by browser: Browser) throws {
        var number = 0
        func turn(_ address: String, _ selection: String? = nil) -> Browser.Turn {
            number += 1
            return Browser.Turn(address: address + (address.contains("?") ? "&" : "?") + "n=\(number)", selection: selection)
        }
        disk = try browser.milliseconds(of: pages.map { turn($0.address) })
        let walk = (0..<Self.turnCount).flatMap { place in
            let (page, next) = (pages[place % pages.count], pages[(place + 1) % pages.count])
            // First the page that was selected, which is in memory; then the next one, which the agent knows to be next.
            return [turn(page.address, page.selection), turn(next.address)]
        }
        let times = try browser.milliseconds(of: walk)
        memory = times.indices.filter { $0 % 2 == 0 }.map { times[$0] }
        turns = times.indices.filter { $0 % 2 == 1 }.map { times[$0] }
        live = try browser.milliseconds(of: (0..<Self.liveCount).map { turn(pages[$0 % pages.count].liveAddress) })
    }

    /// As a program sees it: until the last byte, or with `decodes` until libpng has decoded it.
    init(of pages: [ViewedPage], from agent: ViewedAgent, decodes: Bool) throws {
        let connection = try WebConnection(port: agent.port)
        func time(_ address: String) throws -> Double {
            let request = agent.get(address)
            let start = ProcessFigures.wallMilliseconds
            try connection.ask(request)
            if decodes { _ = try DecodedImage(connection.body) }
            let end = ProcessFigures.wallMilliseconds
            guard connection.status == 200 else { throw BenchmarkFailure("\(address): \(connection.status)") }
            return end - start
        }
        disk = try pages.map { try time($0.address) }
        for place in 0..<Self.turnCount {
            let page = pages[place % pages.count]
            try connection.ask(agent.post("/api/select", page.selection))
            guard connection.status == 200 else { throw BenchmarkFailure("a selection is answered \(connection.status)") }
            memory.append(try time(page.address))
            turns.append(try time(pages[(place + 1) % pages.count].address))
        }
        live = try (0..<Self.liveCount).map { try time(pages[$0 % pages.count].liveAddress) }
    }
}
