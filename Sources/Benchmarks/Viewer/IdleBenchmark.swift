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

        let seconds = request.isQuick && request.numbers[.minutes] == nil ? 20 : 60 * request.number(.minutes, quick: 1, usual: 10)
        let programs = [agent, peer].compactMap { $0?.child.pid }
        let before = try programs.map { try ProcessSample(of: $0) }
        try await clock.sleep(for: .seconds(seconds))
        let after = try programs.map { try ProcessSample(of: $0) }
        await agent.end()
        await peer?.end()

        let samples = zip(before, after).map { (before: $0, after: $1) }
        let ours = self.figures(samples[0].before, samples[0].after, seconds: Double(seconds))
        var figures = ours + cold
        figures.append(Figure("bytes_written", unit: "bytes", runs: [Double(after[0].bytesWritten - before[0].bytesWritten)]))
        figures.append(Figure("processes", unit: "processes", runs: [Double(after[0].processes)]))
        for sample in samples.dropFirst() {
            let theirs = self.figures(sample.before, sample.after, seconds: Double(seconds), suffix: "_syncthing")
            figures += theirs
            figures.append(Figure("cpu/syncthing", unit: "ratio", runs: [ours[1].value / theirs[1].value]))
            figures.append(Figure("pss/syncthing", unit: "ratio", runs: [ours[2].value / theirs[2].value]))
        }
        return BenchmarkReport(missing: program == nil ? ["syncthing"] : [], figures: figures)
    }

    /// What a program used between two samples.
    private static func figures(
        _ before: ProcessSample, _ after: ProcessSample, seconds: Double, suffix: String = ""
    ) -> [Figure] {
        let wakeUps = Double(after.wakeUps - before.wakeUps) * 60 / seconds
        let cpuSeconds = (after.cpuSeconds - before.cpuSeconds) * 3600 / seconds
        return [
            Figure("wakeups_per_minute" + suffix, unit: "wake-ups", runs: [wakeUps]),
            Figure("cpu_s_per_hour" + suffix, unit: "s", runs: [cpuSeconds]),
            Figure("pss_mib" + suffix, unit: "MiB", runs: [after.pssMebibytes]),
            Figure("private_dirty_mib" + suffix, unit: "MiB", runs: [after.privateDirtyMebibytes]),
        ]
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
