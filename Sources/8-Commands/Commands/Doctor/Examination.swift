import Agent
import Catalogue
import CommandLine
import Configuration
import Exporting
import Library
import Model
import Platform

/// Judges the facts: a pure function, so that every line can be tested.
enum Examination {
    static func findings(_ facts: DoctorFacts) -> [Finding] {
        let found = ofMachine(facts)
        return found + plans(facts, besides: found) + saved(facts.saved)
    }

    private static func ofMachine(_ facts: DoctorFacts) -> [Finding] {
        let folders = facts.folders.map { (path: $0.path, finding: folder($0)) }
        // What lies in a folder that cannot be used has the same cause, and the same remedy.
        let unusable = folders.filter { $0.finding.state == .problem }.map(\.path)
        func isTold(_ path: String) -> Bool { unusable.contains { path == $0 || path.hasPrefix($0 + "/") } }
        func isWithinTold(_ path: String) -> Bool { unusable.contains { path.hasPrefix($0 + "/") } }
        let isDataUnusable = facts.folders.contains { $0.name == "data" && isTold($0.path) }
        var music = facts
        music.unreadMusic.removeAll { isTold($0.path) }
        if let closed = facts.closedMusic, isTold(closed.path) { music.closedMusic = nil }
        var found = account(facts)
        if let proxy = facts.proxy { found.append(.ok("proxy", "the service is asked through \(proxy)")) }
        if facts.token != .ofFolders { found.append(clock(facts.service)) }
        if let place = facts.noMarksAt {
            found.append(.ok("marks", "the service has none of others at \(place), which is account.annotations_url"))
        }
        for folder in folders where !isWithinTold(folder.path) { found.append(folder.finding) }
        found += self.music(music)
        found += sets(facts.sets)
        found += syncTools(facts.syncTools)
        if let band = facts.band { found.append(band) }
        if let shelf = facts.pdfFolder { found.append(pdfFolder(shelf.path, shelf.trouble)) }
        found += facts.disks.map(disk)
        found += catalogue(facts.catalogue, isDemo: facts.token == .ofDemo, isFolderUnusable: isDataUnusable)
        for part in facts.versions { found.append(.ok(part.name, "\(ours: part.version)")) }
        found.append(renderer(facts.renderer))
        found += fonts(facts)
        found += inotify(facts.inotify)
        found += sandbox(facts.renderer)
        found.append(memory(facts.memoryPressure))
        found.append(lock(facts.lock, facts.hang))
        found += watching(facts.watching)
        if let why = facts.noPages {
            let mend: Wording = "end the program that has the port; or set another viewer.port, or none, in the configuration"
            found.append(.problem("pages", "no browser is shown the pages: \(why)", mend: mend))
        }
        return found
    }

    /// A mistake in the configuration; all else was examined without what is said there.
    private static func configuration(_ fault: ConfigurationFault, own: String) -> Finding {
        let file: String? =
            switch fault.origin {
            case .file(let path, _, _), .wholeFile(let path): path
            case .standard, .environment, .flag: nil
            }
        let mend: Wording =
            if let remedy = fault.remedy {
                Wording(of: remedy)
            } else if let file, file != own {
                "ask whoever looks after this machine to correct \(file.shellQuoted)"
            } else if let file {
                "correct it in \(file.shellQuoted); then run: \(woodshed("config check"))"
            } else {
                "correct or unset that; then run: \(woodshed("config check"))"
            }
        return .problem("configuration", Wording(of: fault.description), mend: mend)
    }

    // MARK: - The account

    /// The configuration's mistakes, the token and the service.
    private static func account(_ facts: DoctorFacts) -> [Finding] {
        var findings = facts.faults.map { configuration($0, own: facts.ownFile) }
        if facts.token == .notConfigured, !facts.faults.isEmpty {
            findings.append(.skipped("token", "none is named in what can be read of the configuration"))
        } else {
            findings.append(token(facts.token, facts.service))
        }
        if facts.token != .ofFolders { findings.append(service(facts.service)) }
        return findings
    }

    static func token(_ token: DoctorFacts.Token, _ service: DoctorFacts.Service) -> Finding {
        switch (token, service) {
        case (.notConfigured, _):
            .problem(
                "token", "none is configured, so nothing can be synced",
                mend: "\(woodshed("setup"))")
        case (.ofFolders, _):
            .skipped("account", "none is configured, and none is needed: all plans come from your own folders")
        case (.ofDemo, _): .skipped("token", "this is a demo's home, which needs none")
        case (.ofService(let name, nil), _):
            .warning(
                "token", "only the service has it (credential '\(name)'), and no agent is running that could be asked",
                mend: "systemctl --user start woodshed; if that fails: journalctl --user -u woodshed")
        case (.ofService(_, let polls?), _) where polls.refused != nil:
            .problem(
                "token", "the service refuses the one that the agent has from systemd",
                mend: "ask whoever looks after this machine for a new one in the file that LoadCredential= names")
        case (.ofService(let name, let polls?), _):
            .ok(
                "token",
                "the agent has it from systemd (credential '\(name)'); the service "
                    + (polls.lastGood.map { "last answered it in full at \(ours: TimeText.minute($0))" }
                        ?? "has not answered it in full yet"))
        case (.unreadable(let error, let file?), _) where error.kind == .refused:
            .problem("token", Wording(of: "\(error)"), mend: "chmod 600 \(file.shellQuoted)")
        case (.unreadable(let error, _), _):
            .problem("token", Wording(of: "\(error)"), mend: "\(woodshed(error.kind == .refused ? "config check" : "setup"))")
        case (.signedOut(let message), _): .problem("token", Wording(of: message), mend: "\(woodshed("sign-in"))")
        case (.signedIn, .answered(status: 401, _)):
            .problem("token", "the service does not know that you signed in", mend: "\(woodshed("sign-in"))")
        case (.readable, .answered(status: 401, _)):
            .problem(
                "token", "the service refuses it; it was revoked or mistyped",
                mend: "make a new one at \(SecretSource.page), then run: \(woodshed("setup"))")
        case (.readable, .answered(status: 403, _)), (.signedIn, .answered(status: 403, _)):
            .problem(
                "token", "it is valid, but the account has no access to Services",
                mend: "ask the administrator of your account there for access to Services")
        case (.readable, .answered(status: 200..<300, _)): .ok("token", "the service accepts it")
        case (.signedIn, .answered(status: 200..<300, _)): .ok("token", "you are signed in, and the service accepts that")
        case (.readable, _), (.signedIn, _): .ok("token", "it can be read; the service did not check it")
        }
    }

    static func service(_ service: DoctorFacts.Service) -> Finding {
        switch service {
        case .notAsked: .skipped("service", "not asked")
        case .unreachable(let message):
            .warning(
                "service", "it cannot be reached (\(message)); what is here stays usable",
                mend: "check the network, and account.api_url in: \(woodshed("config show"))")
        case .notTheService(let message):
            .warning(
                "service", "\(message); what is here stays usable",
                mend: "log in with a web browser if this network wants that, or do what is said above; then run: \(woodshed("doctor"))")
        case .answered(status: 200..<300, _), .answered(status: 401, _), .answered(status: 403, _): .ok("service", "it answers")
        case .answered(status: 404, _):
            .warning(
                "service", "an answer came, but there is no Planning Center at this address (status 404)",
                mend: "correct account.api_url; where it is set says: \(woodshed("config show"))")
        case .answered(let status, _):
            .warning(
                "service", "it answers, but with an error (status \(status))",
                mend: "try again later; if this goes on, check account.api_url in: \(woodshed("config show"))")
        }
    }

    /// Plan times and the expiry of signed addresses depend on the clock; if it is far off, certificates fail, too.
    static func clock(_ service: DoctorFacts.Service) -> Finding {
        guard case .answered(_, let ahead?) = service else { return .skipped("clock", "not compared: the service gave no time") }
        let seconds = ahead.components.seconds
        let distance = abs(seconds)
        guard distance > 60 else { return .ok("clock", "agrees with the service's") }
        let text: Wording = "\(ours: TimeText.span(.seconds(distance))) \(ours: seconds > 0 ? "ahead of" : "behind") the service's"
        let remedy: Wording = "sudo timedatectl set-ntp true"
        guard distance > 600 else { return .warning("clock", text, mend: remedy) }
        return .problem("clock", text + "; plans may wrongly count as past or upcoming", mend: remedy)
    }

    // MARK: - This machine

    static func folder(_ folder: DoctorFacts.FolderState) -> Finding {
        let subject = "\(folder.name) folder"
        let path = folder.path.shellQuoted
        let nearest = folder.nearest.shellQuoted
        if let link = folder.link {
            // Images can be drawn again, and charts fetched.
            let isReplaceable = folder.name == "cache" || link == folder.path + "/charts"
            return .problem(
                subject, "\(link) is a link to \(folder.target), which is away",
                mend: isReplaceable
                    ? "connect that disk; or, to do without it: rm \(link.shellQuoted) && \(woodshed("sync"))" : "connect that disk")
        }
        guard !folder.isFile else {
            return .problem(
                subject, "\(folder.nearest) is a file, and a folder belongs there",
                mend: folder.isOwn
                    ? "mv -n \(nearest) \((folder.nearest + ".file").shellQuoted)"
                    : "choose another folder, with folders in the configuration")
        }
        guard !folder.isOnReadOnlyDisk else {
            return .problem(
                subject,
                "\(folder.path) is on a read-only disk: what is there can be used, but nothing new is kept",
                mend: "sudo mount -o remount,rw \"$(findmnt -no TARGET -T \(nearest))\"; if that fails, see: sudo dmesg | tail")
        }
        guard folder.isThere else {
            guard folder.isWritable else {
                return .problem(
                    subject, "\(folder.path) is missing and cannot be created, because \(folder.nearest) is not writable by you",
                    mend: "sudo install -d -o $USER -m 700 \(path)")
            }
            return .ok(subject, "\(folder.path) (not created yet)")
        }
        guard folder.isOwn else {
            return .problem(subject, "\(folder.path) belongs to another user", mend: "sudo chown -R $USER \(nearest)")
        }
        guard folder.isWritable else { return .problem(subject, "\(folder.path) is not writable", mend: "chmod u+rwx \(nearest)") }
        guard folder.mode & 0o022 == 0 else {
            return .problem(subject, "other users can change what is in \(folder.path)", mend: "chmod go-w \(nearest)")
        }
        if let closed = folder.closed.first {
            let others: Wording = folder.closed.count == 1 ? "" : ", or \(ours: (folder.closed.count - 1).counted("other folder"))"
            return .problem(subject, "you cannot read and write \(closed.path)" + others, mend: Wording(of: closed.remedy))
        }
        // Others may read the configuration folder, since the secret files in it have permissions of their own. They should not
        // read the other folders, since charts are their publishers' property.
        guard folder.name == "configuration" || folder.mode & 0o055 == 0 else {
            return .warning(subject, "other users on this machine can read \(folder.path)", mend: "chmod go-rwx \(nearest)")
        }
        return .ok(subject, Wording(of: folder.path))
    }

    /// What is wrong with the folders of the musician's own files and with the folder of the links to charts, and which configured
    /// folders do not answer.
    private static func music(_ facts: DoctorFacts) -> [Finding] {
        let unread = facts.unreadMusic.map { folder in
            Finding.problem(
                "music folder", "you cannot read \(folder.path), so nothing that is saved there shows on your pages",
                mend: folder.isOwn
                    ? "chmod u+rwx \(folder.path.shellQuoted)" : "take it out of annotations.folders, or have its owner let you read it")
        }
        let closed = facts.closedMusic.map {
            Finding.problem(
                "music folder", "you cannot write \($0.path), so no links to charts can be made there",
                mend: $0.isOwn ? Wording(of: $0.remedy) : "have its owner let you write it, or set folders.music to another one")
        }
        let silent = facts.silent.map {
            Finding.problem(
                "folder", "\($0) does not answer, so nothing is read or written there; all else goes on",
                mend: "see that its disk is connected, or that this machine reaches its network; or take it out of the configuration")
        }
        let unmade = facts.music.flatMap { $0.isFile || !$0.isThere ? folder($0) : nil }.flatMap { $0.state == .ok ? nil : $0 }
        return silent + unread + [closed, unmade].compactMap(\.self)
    }

    /// The folder in which plans are kept as PDFs.
    private static func pdfFolder(_ path: String, _ trouble: PDFShelf.Trouble?) -> Finding {
        guard let trouble else { return .ok("export.folder", Wording(of: path)) }
        return .warning("export.folder", "no plan is kept as a PDF: \(trouble.found)", mend: Wording(of: trouble.remedy))
    }

    /// Warns of programs that synchronise the data folder: if two machines write one catalogue, or an old copy of it is put back,
    /// the changes of one machine are lost.
    static func syncTools(_ found: DoctorFacts.SyncTools) -> [Finding] {
        found.copies.map {
            .warning(
                "data folder",
                "\($0) is a copy by a program that synchronises folders: two machines wrote the catalogue, and pins and hidden "
                    + "marks of one of them are only in the copy",
                mend: "keep the data folder out of what is synchronised, set again what is missing, then delete the copy")
        }
            + (found.folder.map { folder, mark in
                [
                    .warning(
                        "data folder",
                        "it is in \(folder), which a program synchronises (\(mark) shows it): an older catalogue, or half of "
                            + "one, may be put in place of this one",
                        mend: "end the agent, move the data folder out of what is synchronised, and set folders.data to its new place; "
                            + "only the music folder may be in it")
                ]
            } ?? [])
    }

    /// `leastFree` should stay free on every disk for which nothing is configured. With less than `shortFree`, a chart can no longer be
    /// written safely.
    private static let (leastFree, shortFree) = (ByteCount(1_000_000_000), ByteCount(100_000_000))

    static func disk(_ disk: DoctorFacts.Disk) -> Finding {
        let text: Wording = "\(disk.free) free for \(disk.path)"
        let remedy: Wording = "du -xh --max-depth=2 \(disk.isOfHome ? "~" : disk.path.shellQuoted) | sort -h | tail"
        if let total = disk.total, let configured = disk.leastFree, total <= configured {
            return .problem(
                "\(disk.name) disk",
                "\(disk.path) is on a disk of \(total), of which cache.least_free keeps \(configured) free: no image is kept",
                mend: "set cache.least_free to a part of that, such as 10%, or folders.cache to a folder on a larger disk")
        }
        if disk.free < shortFree { return .problem("\(disk.name) disk", "\(text); there is no room for more", mend: remedy) }
        if let configured = disk.leastFree {
            guard disk.free < configured else { return .ok("\(disk.name) disk", text) }
            return .warning(
                "\(disk.name) disk", "\(text); cache.least_free keeps \(configured) of it free, so fewer images are kept",
                mend: remedy + "; or lower cache.least_free")
        }
        if disk.free < leastFree { return .warning("\(disk.name) disk", "\(text); at least \(leastFree) should stay free", mend: remedy) }
        return .ok("\(disk.name) disk", text)
    }

    /// The catalogue, and its backups.
    static func catalogue(
        _ catalogue: Result<CatalogueState, LibraryError>, isDemo: Bool = false, isFolderUnusable: Bool = false
    ) -> [Finding] {
        let state: CatalogueState
        switch catalogue {
        case .success(let found): state = found
        case .failure where isFolderUnusable: return [.skipped("catalogue", "not checked, since its folder cannot be used")]
        case .failure(let error):
            return [.problem("catalogue", "it could not be checked: \(error)", mend: "check who owns the data folder, or what is using it")]
        }
        let isNew = state.charts == 0 && state.backups.isEmpty
        switch state.condition {
        case .missing, .empty, .blank: if isNew { return [.ok("catalogue", "nothing has been synced yet")] }
        default: break
        }
        let kept: Wording = state.setAside.isEmpty ? "" : "; kept from before: \(state.setAside.joined(separator: ", "))"
        let newest: Wording? = state.newestBackup.map { "the newest of \(ours: TimeText.minute($0.madeAt))" }
        let standing: Finding
        if state.isNewer {
            standing = .problem(
                "catalogue", "a newer version of Woodshed made it, and this one leaves it as it is" + kept,
                mend: "install that version again"
                    + (newest.map { "; or go back to the backups, \($0), with: \(woodshed("doctor --restore newest"))" } ?? ""))
        } else if state.condition != .intact {
            standing = .problem(
                "catalogue",
                "it \(state.condition.sentence), while \(ours: state.charts.counted("chart")) \(ours: state.charts == 1 ? "is" : "are") there"
                    + kept,
                mend: newest == nil
                    ? "\(woodshed("sync")) fetches everything again; the charts stay"
                    : "\(woodshed("sync")) restores the newest backup")
        } else if let folder = state.obstacle {
            standing = .problem(
                "catalogue",
                "intact, but \(folder) is a folder where a file belongs: an older copy in the catalogue's place would not be noticed"
                    + kept,
                mend: "mv \(folder.shellQuoted) \((folder + ".old").shellQuoted), then: \(woodshed("sync"))")
        } else if state.unknownCharts > 0 {
            standing = .warning(
                "catalogue",
                "intact; \(ours: state.unknownCharts.counted("chart")) in the data folder \(ours: state.unknownCharts == 1 ? "belongs" : "belong") to no plan that is known here, and nothing of that is removed"
                    + kept,
                mend: "\(woodshed("sync")), if plans may be missing; otherwise nothing need be done")
        } else {
            standing = .ok("catalogue", "intact" + kept)
        }
        if newest == nil, isDemo { return [standing, .skipped("backups", "a demo makes none")] }
        guard let newest else {
            let remedy: Wording = state.isNewer ? "that version makes one" : "\(woodshed("sync")) makes one"
            return [standing, .warning("backups", "there is no intact backup of the catalogue", mend: remedy)]
        }
        let broken = state.backups.values.count { !$0 }
        let text: Wording = "\(ours: state.backups.count.counted("backup")) of the catalogue, \(newest)"
        return [
            standing,
            broken == 0
                ? .ok("backups", text + " ('\(woodshed("doctor --restore newest"))' restores it)")
                : .warning("backups", text + "; \(broken) of them cannot be read", mend: "check the disk: smartctl -a"),
        ]
    }

    static func renderer(_ renderer: DoctorFacts.Renderer) -> Finding {
        switch renderer {
        case .works(let tag, _):
            .ok(
                "woodshed-render",
                tag.isOfGlibAlone
                    ? "\(ours: tag.text): this version of poppler is not known to it, so scans take longer" : "\(ours: tag.text)")
        case .fails(let message):
            .problem(
                "woodshed-render", "no page can be drawn: \(message)", mend: "install woodshed-render of the same version beside woodshed")
        }
    }

    static func fonts(_ facts: DoctorFacts) -> [Finding] {
        func font(_ subject: String, _ isThere: Bool, _ absence: Wording, _ package: String) -> Finding {
            isThere ? .ok(subject, "there") : .warning(subject, absence, mend: "sudo apt install \(ours: package)")
        }
        return [
            font("base fonts", facts.hasBaseFonts, "charts without embedded fonts look different", "fonts-urw-base35"),
            font("Asian fonts", facts.hasAsianFonts, "Chinese, Japanese and Korean text may show as boxes", "fonts-noto-cjk"),
            font("poppler-data", facts.hasPopplerData, "Asian text in some charts may be missing", "poppler-data"),
        ]
    }

    /// We need one instance and a few hundred watches. The limits required here are higher, to leave room for the desktop's other programs.
    static func inotify(_ limits: [String: Int]) -> [Finding] {
        [("max_user_watches", 8192), ("max_user_instances", 64), ("max_queued_events", 1024)].map { name, least in
            let kind = name.split(separator: "_").last.map(String.init) ?? ""
            let subject = "inotify \(kind)"
            guard let limit = limits[name] else {
                return .warning(
                    subject, "the kernel does not say; changed mark files may be noticed late",
                    mend: "ls /proc/sys/fs/inotify")
            }
            guard limit < least else { return .ok(subject, "\(limit)") }
            return .warning(
                subject, "\(limit) is low: changed mark files may be noticed late",
                mend:
                    "echo fs.inotify.\(ours: name)=\(least * 8) | sudo tee /etc/sysctl.d/60-woodshed-\(ours: kind).conf && sudo sysctl --system"
            )
        }
    }

    /// The parts of its sandbox that the renderer could not set up. The sandbox matters because PDFs come from anywhere.
    static func sandbox(_ renderer: DoctorFacts.Renderer) -> [Finding] {
        guard case .works(_, let gaps) = renderer else { return [] }
        var (fonts, walls): ([Finding], [Finding]) = ([], [])
        for gap in gaps {
            let text = Wording(of: "\(gap)")
            switch gap {
            case .fonts: fonts.append(.warning("fonts", text, mend: "copy them to ~/.local/share/fonts"))
            case .noLandlock:
                let remedy: Wording = "add 'landlock' to the list after lsm= on the kernel's command line, from Linux 5.13 on"
                walls.append(.warning("sandbox", text, mend: remedy))
            case .noFilter, .openNetwork:
                let remedy: Wording = "use a kernel with CONFIG_SECCOMP_FILTER and CONFIG_SECURITY_LANDLOCK, as Debian's are"
                walls.append(.warning("sandbox", text, mend: remedy))
            }
        }
        guard !walls.isEmpty else {
            return [.ok("sandbox", "what draws pages can read fonts and the files handed to it, and nothing else")] + fonts
        }
        return fonts + walls
    }

    /// Never a problem: without the kernel's reports that memory is short, memory is merely released later.
    static func memory(_ pressure: MemoryPressure.State) -> Finding {
        if case .watching = pressure { .ok("memory", "\(pressure)") } else { .skipped("memory", "\(pressure)") }
    }

    /// Whether the running agent can actually watch its folders, since other programs may have used up even a large limit. Empty
    /// without a report from an agent.
    static func watching(_ watching: AgentReport.Watching?) -> [Finding] {
        guard let watching else { return [] }
        if let trouble = watching.trouble {
            return [
                .warning(
                    "watching", "the agent checks for changes only once a minute: \(trouble)",
                    mend: "do that, or close other programs that watch folders; the agent tries again every ten minutes")
            ]
        }
        let scanned = watching.scanned.map {
            Finding.warning(
                "watching", "\($0) cannot be watched, so the agent checks it only once a minute",
                mend: "if a minute is too long, use folders on this machine's own disks in annotations.folders")
        }
        return scanned.isEmpty ? [.ok("watching", "\(ours: watching.folders.counted("folder"))")] : scanned
    }

    /// Files that the user saved over charts. They are kept elsewhere, and without this message the user would not find them.
    static func saved(_ saved: SavedCharts) -> [Finding] {
        saved.news.map { .warning("your PDFs", Wording(of: $0.found), mend: Wording(of: $0.remedy)) }
    }

    static func lock(_ lock: DoctorFacts.Lock, _ hang: (because: String, mend: String)? = nil) -> Finding {
        if let hang { return .problem("agent", "one is running but does not answer: \(hang.because)", mend: Wording(of: hang.mend)) }
        return switch lock {
        case .free: .ok("agent", "none is running")
        case .held(let pid?): .ok("agent", "process \(pid) is using this library")
        case .held(nil): .ok("agent", "one is using this library")
        }
    }
}
