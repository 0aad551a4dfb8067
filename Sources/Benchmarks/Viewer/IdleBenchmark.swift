import DemoService
import Glibc
import Platform

/// What the agent costs while it has nothing to do, compared with a program that watches the same files.
enum IdleBenchmark {
    private static let minutes = 10
    private static let coldStarts = 11
    private static let load = DemoLoad(plans: 20, chartsPerPlan: 25, bytesPerChart: 8000, pagesPerChart: 5)
    /// Within this time, everything that was begun has been released.
    private static let rest = Duration.seconds(70)

    @Sendable
    static func run(_ request: BenchmarkRequest) throws -> BenchmarkReport {
        let figures = try onLoop { try await measure(minutes: request.minutes ?? minutes) }
        return BenchmarkReport("idle", missing: Syncthing.isInstalled ? [] : ["syncthing"], figures: figures, notes: notes)
    }

    @LoopActor
    private static func measure(minutes: Int) async throws -> [Figure] {
        let scratch = try ScratchFolder()
        defer { scratch.remove() }
        let service = try DemoService.start(limit: .generous, load: load)
        defer { service.stop() }
        let home = scratch.path + "/home"
        let port = try WebConnection.freePort()
        try configure(home, service, port: port)
        let program = Folder.parent(of: try MeasuredRenderer.program()) + "/woodshed"

        let filling = try RunningProgram(program, ["agent", "--home", home], log: scratch.path + "/filling.log")
        try await filling.says("asleep", within: .seconds(1800))
        await filling.end()
        let cold = try await ColdStart.measure(home: home, port: port, runs: coldStarts, log: scratch.path + "/cold")

        let agent = try RunningProgram(program, ["agent", "--home", home], log: scratch.path + "/agent.log")
        try await agent.says("asleep", within: .seconds(600))
        try await agent.says(" 5000 images ready", within: .seconds(1))
        let peer = Syncthing.isInstalled ? try await Syncthing.start(watching: home + "/cache/pages", place: scratch.path + "/peer") : nil
        let clock = SystemClock()
        try await clock.sleep(for: rest)

        let filesBefore = ProcessFigures.files(below: home)
        let before = try ProcessSample(of: agent.child.pid)
        let peerBefore = try peer.map { try ProcessSample(of: $0.child.pid) }
        try await clock.sleep(for: .seconds(60 * minutes))
        let after = try ProcessSample(of: agent.child.pid)
        let peerAfter = try peer.map { try ProcessSample(of: $0.child.pid) }
        let changed = ProcessFigures.bytesChanged(from: filesBefore, to: ProcessFigures.files(below: home))
        await agent.end()
        await peer?.end()

        let ours = figures(before, after, minutes: minutes)
        var figures = ours.map { Figure($0.name, unit: $0.unit, runs: [$0.value]) }
        figures.append(Figure("bytes_written", unit: "bytes", runs: [Double(max(changed, after.bytesWritten - before.bytesWritten))]))
        figures.append(Figure("processes", unit: "processes", runs: [Double(after.processes)]))
        figures += ColdStart.figures(cold)
        guard let peerBefore, let peerAfter else { return figures }
        let theirs = self.figures(peerBefore, peerAfter, minutes: minutes)
        figures += theirs.map { Figure("\($0.name)_syncthing", unit: $0.unit, runs: [$0.value]) }
        func ratio(_ name: String, _ place: Int) -> Figure {
            Figure("\(name)/syncthing", unit: "ratio", runs: [ours[place].value / theirs[place].value])
        }
        return figures + [ratio("pss", 2), ratio("cpu", 1)]
    }

    private static func figures(
        _ before: ProcessSample, _ after: ProcessSample, minutes: Int
    ) -> [(name: String, unit: String, value: Double)] {
        [
            ("wakeups_per_minute", "wake-ups", Double(after.wakeUps - before.wakeUps) / Double(minutes)),
            ("cpu_s_per_hour", "s", (after.cpuSeconds - before.cpuSeconds) * 60 / Double(minutes)),
            ("pss_mib", "MiB", after.pssMebibytes), ("private_dirty_mib", "MiB", after.privateDirtyMebibytes),
        ]
    }

    @LoopActor
    private static func configure(_ home: String, _ service: DemoService, port: UInt16) throws {
        // Small images, since their number matters here, not their size.
        try ViewedAgent.configure(
            home, service, port: port,
            more: """
                render:
                  full_size: 300
                  thumbnail_size: 100
                cache:
                  limit: 4 GB
                  least_free: 0 MB
                """)
    }

    private static let notes = [
        "The agent is started on a home where everything is ready, has polled, and has had \(rest) to release what it used; so has syncthing.",
        "wakeups_per_minute: how often any of its threads went to sleep or was preempted. bytes_written: the larger of the kernel's count and "
            + "the sizes of the files that changed.",
        "cold_start: from starting the process on that home until it answered a browser and the control socket.",
        "Syncthing watches the 5,000 images, without discovery, relays or upgrades, and with no other device to talk to.",
    ]
}
