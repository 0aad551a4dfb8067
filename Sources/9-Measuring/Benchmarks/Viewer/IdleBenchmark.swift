import DemoService
import Platform

/// The cost of an idle agent.
@LoopActor
enum IdleBenchmark {
    static func run(_ request: BenchmarkRequest, in folder: String) async throws -> BenchmarkReport {
        let load = DemoLoad(plans: request.isQuick ? 2 : 20, chartsPerPlan: 25, bytesPerChart: 8000, pagesPerChart: 5)
        let images = load.charts * load.pagesPerChart * 2
        let service = try DemoService.start(load: load)
        defer { service.stop() }
        // Small images, since only their number matters here.
        let home = try AgentHome(
            in: folder, service,
            settings: """
                render:
                  full_size: 300
                  thumbnail_size: 100
                cache:
                  limit: 4 GB
                  least_free: 0 MB
                """)
        await (try await home.start()).end()
        let cold = try await home.coldStarts(runs: request.isQuick ? 3 : 11)

        let agent = try await home.start()
        try await agent.prints(" \(images) images ready", within: .seconds(1))
        // After a minute, all temporary resources have been released. A quick measurement includes some of them.
        let clock = SystemClock()
        try await clock.sleep(for: .seconds(request.isQuick ? 10 : 70))

        let seconds = request.isQuick ? 20.0 : 600
        let before = try ProcessSample(of: agent.child.pid)
        try await clock.sleep(for: .seconds(seconds))
        let after = try ProcessSample(of: agent.child.pid)
        await agent.end()

        var measured = Measurements()
        measured.add("wakeups_per_minute", "wake-ups", Double(after.wakeUps - before.wakeUps) * 60 / seconds)
        measured.add("cpu_s_per_hour", "s", (after.cpuSeconds - before.cpuSeconds) * 3600 / seconds)
        measured.add("pss_mib", "MiB", after.pssMebibytes)
        measured.add("private_dirty_mib", "MiB", after.privateDirtyMebibytes)
        measured += cold
        measured.add("bytes_written", "bytes", Double(after.bytesWritten - before.bytesWritten))
        measured.add("processes", "processes", Double(after.processes))
        return BenchmarkReport(measured)
    }
}
