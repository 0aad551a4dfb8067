import DemoService
import Platform

/// What the agent costs while it has nothing to do, compared with a program that watches the same files.
@LoopActor
enum IdleBenchmark {
    static func run(_ request: BenchmarkRequest, in folder: String) async throws -> BenchmarkReport {
        let load = DemoLoad(plans: request.isQuick ? 2 : 20, chartsPerPlan: 25, bytesPerChart: 8000, pagesPerChart: 5)
        let images = load.charts * load.pagesPerChart * 2
        let service = try DemoService.start(load: load)
        defer { service.stop() }
        // Small images, since their number matters here, not their size.
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
        try await agent.says(" \(images) images ready", within: .seconds(1))
        let peer = try await syncthing(watching: home.folder + "/cache/pages", place: folder + "/peer")
        // Within a minute, everything that was begun has been released; a quick measurement sees some of it.
        let clock = SystemClock()
        try await clock.sleep(for: .seconds(request.isQuick ? 10 : 70))

        let seconds = request.isQuick ? 20.0 : 600
        let programs = [agent, peer].compactMap { $0?.child.pid }
        let before = try programs.map { try ProcessSample(of: $0) }
        try await clock.sleep(for: .seconds(seconds))
        let after = try programs.map { try ProcessSample(of: $0) }
        await agent.end()
        await peer?.end()

        var measured = Measurements()
        for (place, name) in ["", "_syncthing"].prefix(programs.count).enumerated() {
            let (before, after) = (before[place], after[place])
            measured.add("wakeups_per_minute" + name, "wake-ups", Double(after.wakeUps - before.wakeUps) * 60 / seconds)
            measured.add("cpu_s_per_hour" + name, "s", (after.cpuSeconds - before.cpuSeconds) * 3600 / seconds)
            measured.add("pss_mib" + name, "MiB", after.pssMebibytes)
            measured.add("private_dirty_mib" + name, "MiB", after.privateDirtyMebibytes)
        }
        measured += cold
        measured.add("bytes_written", "bytes", Double(after[0].bytesWritten - before[0].bytesWritten))
        measured.add("processes", "processes", Double(after[0].processes))
        measured.compare("cpu/syncthing", "cpu_s_per_hour", over: "cpu_s_per_hour_syncthing")
        measured.compare("pss/syncthing", "pss_mib", over: "pss_mib_syncthing")
        return BenchmarkReport(measured, beside: [.syncthing])
    }

    /// Syncthing, kept off the network, once it has read everything in the folder that it is to watch; `nil` if it is not installed.
    private static func syncthing(watching folder: String, place: String) async throws -> RunningProgram? {
        guard let program = Peer.syncthing.path else { return nil }
        try Folder.create(place)
        let home = place + "/syncthing"
        let generate = "generate --home='\(home)' --no-default-folder --skip-port-probing"
        try await RunningProgram.shell("HOME='\(place)' \(program) \(generate) >/dev/null 2>&1")
        let path = home + "/config.xml"
        var settings = try contents(of: path)
        let sociable = [
            "globalAnnounceEnabled", "localAnnounceEnabled", "relaysEnabled", "natEnabled", "crashReportingEnabled", "startBrowser",
        ]
        for option in sociable { settings.replace("<\(option)>true<", with: "<\(option)>false<") }
        settings.replace("<urAccepted>0<", with: "<urAccepted>-1<")
        settings.replace("<listenAddress>default<", with: "<listenAddress>tcp://127.0.0.1:0<")
        let watched =
            #"<folder id="pages" path="\#(folder)" type="sendreceive" rescanIntervalS="3600" fsWatcherEnabled="true" fsWatcherDelayS="10"/>"#
        settings.replace("</configuration>", with: watched + "</configuration>")
        try AtomicFile.write(settings, to: path)
        let running = try RunningProgram(
            program, ["serve", "--home=\(home)", "--no-browser", "--no-upgrade", "--no-restart", "--gui-address=unix://\(place)/gui"],
            environment: ["HOME=\(place)", "STNOUPGRADE=1"], log: place + "/log")
        try await running.says("Completed initial scan of sendreceive folder", within: .seconds(300))
        return running
    }
}
