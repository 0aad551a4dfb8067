import DemoService
import Platform

/// What the agent costs while it has nothing to do, compared with a program that watches the same files.
@LoopActor
enum IdleBenchmark {
    static func run(_ request: BenchmarkRequest, in folder: String) async throws -> BenchmarkReport {
        let load = DemoLoad(plans: request.isQuick ? 2 : 20, chartsPerPlan: 25, bytesPerChart: 8000, pagesPerChart: 5)
        let images = load.charts * load.pagesPerChart * 2
        let service = try DemoService.start(limit: .generous, load: load)
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
        let program = RunningProgram.find("syncthing")
        var peer: RunningProgram?
        if let program { peer = try await syncthing(program, watching: home.folder + "/cache/pages", place: folder + "/peer") }
        // Within a minute, everything that was begun has been released; a quick measurement sees some of it.
        let clock = SystemClock()
        let rest = Duration.seconds(request.isQuick ? 10 : 70)
        try await clock.sleep(for: rest)

        let seconds = request.isQuick ? 20 : 600
        let programs = [agent, peer].compactMap { $0?.child.pid }
        let before = try programs.map { try ProcessSample(of: $0) }
        try await clock.sleep(for: .seconds(seconds))
        let after = try programs.map { try ProcessSample(of: $0) }
        await agent.end()
        await peer?.end()

        var measured = Measurements()
        for (place, name) in ["", "_syncthing"].prefix(programs.count).enumerated() {
            measured += used(before[place], after[place], seconds: Double(seconds), suffix: name)
        }
        measured += cold
        measured.add("bytes_written", "bytes", Double(after[0].bytesWritten - before[0].bytesWritten))
        measured.add("processes", "processes", Double(after[0].processes))
        measured.compare("cpu/syncthing", "cpu_s_per_hour", over: "cpu_s_per_hour_syncthing")
        measured.compare("pss/syncthing", "pss_mib", over: "pss_mib_syncthing")
        return BenchmarkReport(missing: program == nil ? ["syncthing"] : [], figures: measured.figures)
    }

    /// What a program used between two samples.
    private static func used(_ before: ProcessSample, _ after: ProcessSample, seconds: Double, suffix: String) -> Measurements {
        var used = Measurements()
        used.add("wakeups_per_minute" + suffix, "wake-ups", Double(after.wakeUps - before.wakeUps) * 60 / seconds)
        used.add("cpu_s_per_hour" + suffix, "s", (after.cpuSeconds - before.cpuSeconds) * 3600 / seconds)
        used.add("pss_mib" + suffix, "MiB", after.pssMebibytes)
        used.add("private_dirty_mib" + suffix, "MiB", after.privateDirtyMebibytes)
        return used
    }

    /// Syncthing, kept off the network, once it has read everything in the folder that it is to watch.
    private static func syncthing(_ program: String, watching folder: String, place: String) async throws -> RunningProgram {
        try Folder.create(place)
        let home = place + "/syncthing"
        let generate = "generate --home='\(home)' --no-default-folder --skip-port-probing"
        try await RunningProgram.shell("HOME='\(place)' \(program) \(generate) >/dev/null 2>&1")
        let path = home + "/config.xml"
        var text = String(decoding: try AtomicFile.read(path, limit: 1 << 20), as: UTF8.self)
        let sociable = [
            "globalAnnounceEnabled", "localAnnounceEnabled", "relaysEnabled", "natEnabled", "crashReportingEnabled", "startBrowser",
        ]
        for option in sociable { text.replace("<\(option)>true<", with: "<\(option)>false<") }
        text.replace("<urAccepted>0<", with: "<urAccepted>-1<")
        text.replace("<listenAddress>default<", with: "<listenAddress>tcp://127.0.0.1:0<")
        let watched =
            #"<folder id="pages" path="\#(folder)" type="sendreceive" rescanIntervalS="3600" fsWatcherEnabled="true" fsWatcherDelayS="10"/>"#
        text.replace("</configuration>", with: watched + "</configuration>")
        try AtomicFile.write(text, to: path)
        let running = try RunningProgram(
            program, ["serve", "--home=\(home)", "--no-browser", "--no-upgrade", "--no-restart", "--gui-address=unix://\(place)/gui"],
            environment: ["HOME=\(place)", "STNOUPGRADE=1"], log: place + "/log")
        try await running.says("Completed initial scan of sendreceive folder", within: .seconds(300))
        return running
    }
}
