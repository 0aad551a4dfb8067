import Catalogue
import Agent
import Library
import Model
import Platform

/// What the facts mean: pure, so that every line can be tested.
enum Examination {
    static func findings(_ facts: DoctorFacts) -> [Finding] {
        [token(facts.token, facts.service), service(facts.service), clock(facts.service)] + facts.folders.map(folder)
            + facts.disks.map(disk) + catalogue(facts.catalogue) + facts.versions.map { .ok($0.name, $0.version) }
            + [renderer(facts.renderer)] + fonts(facts) + inotify(facts.inotify) + sandbox(facts.renderer)
            + [memory(facts.memoryPressure), lock(facts.lock)] + watching(facts.watching) + saved(facts.saved)
    }

    // MARK: - The account

    static func token(_ token: DoctorFacts.Token, _ service: DoctorFacts.Service) -> Finding {
        switch (token, service) {
        case (.notConfigured, _):
            .problem(
                "token", "none is configured, so nothing can be synced",
                mend: "woodshed config init, then name a file that holds the token as account.token_file")
        case (.unreadable(let message), _):
            .problem("token", message, mend: "put the token as app_id:secret where the configuration says; woodshed config check")
        case (.readable, .answered(status: 401, _)):
            .problem(
                "token", "the service refuses it; it was withdrawn or mistyped",
                mend: "make a new personal access token in your account at the service and put it in the old one's place")
        case (.readable, .answered(status: 403, _)):
            .problem(
                "token", "it is good, but the account may not use Services",
                mend: "ask whoever administers your account there for access to Services")
        case (.readable, .answered(status: 200..<300, _)): .ok("token", "the service accepts it")
        case (.readable, _): .ok("token", "it can be read; the service did not judge it")
        }
    }

    static func service(_ service: DoctorFacts.Service) -> Finding {
        switch service {
        case .notAsked: .ok("service", "not asked")
        case .unreachable(let message):
            .warning(
                "service", "it cannot be reached (\(message)); what is here stays usable",
                mend: "look at the network, and at account.api_url in: woodshed config show")
        case .answered(status: 200..<300, _), .answered(status: 401, _), .answered(status: 403, _): .ok("service", "it answers")
        case .answered(let status, _):
            .warning(
                "service", "it answers, but not as it should (status \(status))",
                mend: "try again later; if it stays so, look at account.api_url in: woodshed config show")
        }
    }

    /// Times of plans and the lives of signed addresses hang on the clock; certificates do on a clock that is far off.
    static func clock(_ service: DoctorFacts.Service) -> Finding {
        guard case .answered(_, let ahead?) = service else { return .ok("clock", "not compared: the service told no time") }
        let seconds = ahead.components.seconds
        let distance = abs(seconds)
        guard distance > 60 else { return .ok("clock", "agrees with the service's") }
        let text = "\(TimeText.span(.seconds(distance))) \(seconds > 0 ? "ahead of" : "behind") the service's"
        let remedy = "sudo timedatectl set-ntp true"
        guard distance > 600 else { return .warning("clock", text, mend: remedy) }
        return .problem("clock", text + "; plans are taken for past or coming that are not", mend: remedy)
    }

    // MARK: - This machine

    static func folder(_ folder: DoctorFacts.FolderState) -> Finding {
        let subject = "\(folder.name) folder"
        let path = folder.path.shellQuoted
        let nearest = folder.nearest.shellQuoted
        guard !folder.isOnReadOnlyDisk else {
            return .problem(
                subject,
                "\(folder.path) is on a disk that cannot be written: what is there can be used, and nothing that comes now is kept",
                mend: "sudo mount -o remount,rw \"$(findmnt -no TARGET -T \(nearest))\"; where that fails, see: sudo dmesg | tail")
        }
        guard folder.isThere else {
            guard folder.isWritable else {
                return .problem(
                    subject, "\(folder.path) is not there and cannot be made, since \(folder.nearest) is not yours to write",
                    mend: "sudo install -d -o $USER -m 700 \(path)")
            }
            return .ok(subject, "\(folder.path) (not there yet)")
        }
        guard folder.isOwn else {
            return .problem(subject, "\(folder.path) belongs to another user", mend: "sudo chown -R $USER \(nearest)")
        }
        guard folder.isWritable else { return .problem(subject, "\(folder.path) cannot be written", mend: "chmod u+rwx \(nearest)") }
        guard folder.mode & 0o022 == 0 else {
            return .problem(subject, "others may change what is in \(folder.path)", mend: "chmod go-w \(nearest)")
        }
        // The configuration is no secret, and a file in it that is one has a mode of its own; charts are somebody's property.
        guard folder.name == "configuration" || folder.mode & 0o055 == 0 else {
            return .warning(subject, "others on this machine may read \(folder.path)", mend: "chmod go-rwx \(nearest)")
        }
        return .ok(subject, folder.path)
    }

    /// What is to be left free on every disk, and what is too little to write a chart safely.
    private static let (leastFree, shortFree) = (ByteCount(1_000_000_000), ByteCount(100_000_000))

    static func disk(_ disk: DoctorFacts.Disk) -> Finding {
        let text = "\(disk.free) free for \(disk.path)"
        let remedy = "du -xh --max-depth=2 ~ | sort -h | tail"
        if disk.free < shortFree { return .problem("\(disk.name) disk", "\(text); charts cannot be kept any more", mend: remedy) }
        if disk.free < leastFree { return .warning("\(disk.name) disk", "\(text); at least \(leastFree) should be", mend: remedy) }
        return .ok("\(disk.name) disk", text)
    }

    /// The catalogue, and what there is to go back to.
    static func catalogue(_ catalogue: Result<CatalogueState, LibraryError>) -> [Finding] {
        let state: CatalogueState
        switch catalogue {
        case .success(let found): state = found
        case .failure(let error):
            return [.problem("catalogue", "it cannot be looked at: \(error)", mend: "see who holds the data folder, or whose it is")]
        }
        let isNew = state.charts == 0 && state.backups.isEmpty
        switch state.condition {
        case .missing, .empty, .blank: if isNew { return [.ok("catalogue", "nothing is synced yet")] }
        default: break
        }
        let kept = state.setAside.isEmpty ? "" : "; kept from before: " + state.setAside.joined(separator: ", ")
        let newest = state.newestBackup.map { "the newest of \(TimeText.minute($0.madeAt))" }
        let standing: Finding
        if state.condition != .whole {
            standing = .problem(
                "catalogue", "it \(state.condition.sentence), beside \(state.charts.counted("chart"))" + kept,
                mend: newest == nil
                    ? "woodshed sync asks the service for everything; the charts stay" : "woodshed sync goes back to the newest backup")
        } else if state.unknownCharts > 0 {
            standing = .warning(
                "catalogue",
                "whole; \(state.unknownCharts.counted("chart")) in the data folder's charts are of no plan that it knows, and stay" + kept,
                mend: "woodshed sync, while plans may be missing; else move them elsewhere or leave them")
        } else {
            standing = .ok("catalogue", "whole" + kept)
        }
        guard let newest else {
            return [standing, .warning("backups", "there is none of the catalogue that is whole", mend: "woodshed sync makes one")]
        }
        let broken = state.backups.values.count { !$0 }
        let text = "\(state.backups.count.counted("backup")) of the catalogue, \(newest)"
        return [
            standing,
            broken == 0
                ? .ok("backups", text + " ('woodshed doctor --restore newest' goes back to it)")
                : .warning("backups", text + "; \(broken) of them cannot be read", mend: "look after the disk: smartctl -a"),
        ]
    }

    static func renderer(_ renderer: DoctorFacts.Renderer) -> Finding {
        switch renderer {
        case .works(let tag, _): .ok("woodshed-render", tag)
        case .fails(let message):
            .problem(
                "woodshed-render", "no page can be drawn: \(message)", mend: "install woodshed-render beside woodshed, of the same version")
        }
    }

    static func fonts(_ facts: DoctorFacts) -> [Finding] {
        func font(_ subject: String, _ isThere: Bool, _ absence: String, _ package: String) -> Finding {
            isThere ? .ok(subject, "there") : .warning(subject, absence, mend: "sudo apt install \(package)")
        }
        return [
            font("base fonts", facts.hasBaseFonts, "charts that do not bring their fonts look different", "fonts-urw-base35"),
            font("Asian fonts", facts.hasAsianFonts, "Chinese, Japanese and Korean text may be boxes", "fonts-noto-cjk"),
            font("poppler-data", facts.hasPopplerData, "Asian text in some charts may be missing", "poppler-data"),
        ]
    }

    /// One instance and some hundred watches are ours; the rest is room for the desktop's other programs.
    static func inotify(_ limits: [String: Int]) -> [Finding] {
        [("max_user_watches", 8192), ("max_user_instances", 64), ("max_queued_events", 1024)].map { name, least in
            let kind = name.split(separator: "_").last ?? ""
            let subject = "inotify \(kind)"
            guard let limit = limits[name] else {
                return .warning(
                    subject, "the kernel does not tell; changed annotation files may be noticed late",
                    mend: "ls /proc/sys/fs/inotify")
            }
            guard limit < least else { return .ok(subject, "\(limit)") }
            return .warning(
                subject, "\(limit) is little: changed annotation files may be noticed late",
                mend: "echo fs.inotify.\(name)=\(least * 8) | sudo tee /etc/sysctl.d/60-woodshed-\(kind).conf && sudo sysctl --system")
        }
    }

    /// What the renderer itself could not put up; PDFs come from anywhere.
    static func sandbox(_ renderer: DoctorFacts.Renderer) -> [Finding] {
        guard case .works(_, let gaps) = renderer else { return [] }
        let fonts = gaps.filter { $0.hasPrefix("fonts in ") }.map {
            Finding.warning("fonts", $0, mend: "copy them to ~/.local/share/fonts")
        }
        let walls = gaps.filter { !$0.hasPrefix("fonts in ") }
        guard !walls.isEmpty else {
            return [.ok("sandbox", "the renderer reads fonts and what it is handed, and does nothing else")] + fonts
        }
        return fonts
            + walls.map { gap in
                .warning(
                    "sandbox", gap,
                    mend: gap.contains("no landlock")
                        ? "add 'landlock' to the list after lsm= on the kernel's command line, from Linux 5.13 on"
                        : "use a kernel with CONFIG_SECCOMP_FILTER and CONFIG_SECURITY_LANDLOCK, as Debian's are")
            }
    }

    /// Without news nothing is worse than that some memory is not given back early.
    static func memory(_ pressure: MemoryPressure.State) -> Finding { .ok("memory", "\(pressure)") }

    /// What the running agent has of the kernel: limits that are large enough may be used up by other programs.
    static func watching(_ watching: AgentReport.Watching?) -> [Finding] {
        guard let watching else { return [] }
        if let trouble = watching.trouble {
            return [
                .warning(
                    "watching", "the agent looks only once a minute for what changes: \(trouble)",
                    mend: "do that, or end other programs that watch folders; the agent tries again every ten minutes")
            ]
        }
        let scanned = watching.scanned.map {
            Finding.warning(
                "watching", "\($0) cannot be watched, so the agent looks at it only once a minute",
                mend: "name folders on this machine's own disks as annotations.folders, if a minute is too long")
        }
        return scanned.isEmpty ? [.ok("watching", watching.folders.counted("folder"))] : scanned
    }

    /// Nothing of the user's is lost, and nobody finds it who does not know of it.
    static func saved(_ saved: SavedCharts) -> [Finding] {
        saved.news.map { .warning("your PDFs", $0.found, mend: $0.remedy) }
    }

    static func lock(_ lock: DoctorFacts.Lock) -> Finding {
        switch lock {
        case .free: .ok("agent", "none is running")
        case .held(let pid?): .ok("agent", "process \(pid) works on this library")
        case .held(nil): .ok("agent", "one works on this library")
        }
    }
}
