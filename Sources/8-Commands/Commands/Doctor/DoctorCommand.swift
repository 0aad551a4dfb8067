import Agent
import Catalogue
import CommandLine
import Configuration
import Exporting
import Glibc
import HTTPClient
import Host
import Library
import Marks
import Model
import PlanningCenter
import Platform
import Readiness
import Rendering

extension Command {
    static let doctor = Command(
        name: "doctor",
        summary: "Checks for anything that could keep Sunday's pages from being ready, and says how to fix it",
        details: """
            Checks the configuration, the token, the service, a proxy, the clock, the band's place, folders and their permissions, disks, versions, fonts, kernel limits and the renderer's \
            sandbox, the catalogue with its backups, and all that 'woodshed ready' checks of the next plan. Changes nothing unless told to \
            restore a backup, except that a chart found damaged is noted for the next sync. Ends with code 3 if \
            there is a problem; warnings do not count. --report writes what somebody who helps needs to know, with … in place of every \
            title, name, address and secret.
            """,
        flags: [
            Flag("offline", "do not check the token with the service"),
            Flag(
                "restore", "newest|NUMBER",
                "restore the catalogue from a backup, and keep the current one under another name; no agent may be running"
            ).offering(.words(["newest"])),
            Flag("report", "FILE", type: .path, "write a report for somebody who helps to a new file"),
        ],
        json: [Finding].form,
        examples: [
            Example("woodshed doctor", "Print one line for each check."),
            Example("woodshed doctor --restore newest", "Restore the newest intact backup of the catalogue."),
            Example("woodshed doctor --report ~/report.txt", "Write a report that can be given away."),
            Example("woodshed doctor --offline --json", "Print the same as JSON, without asking the service."),
        ],
        settings: Options.flags,
        run: { try await DoctorCommand(invocation: $0, context: $1).run() })
}

/// Gathers the facts, judges them, and prints the findings.
@LoopActor
struct DoctorCommand {
    let invocation: Invocation
    let context: CommandContext

    func run() async throws -> ExitCode {
        if let wanted: String = invocation.value("restore") {
            guard !invocation.has("json") else { throw CommandFailure(.usage, "--restore does not support --json") }
            return try CatalogueRestore.run(wanted, try context.configuration(invocation).paths, context.output)
        }
        let configuration = try configuration()
        let facts = await facts(configuration)
        if let path: String = invocation.value("report") { try await report(facts, configuration, to: path) }
        return context.give(Examination.findings(facts), to: invocation)
    }

    /// The configuration, with its mistakes as `faults`. Only mistakes on the command line are thrown.
    private func configuration() throws(CommandFailure) -> Configuration {
        let configuration: Configuration
        do throws(ConfigurationError) {
            configuration = try Configuration.load(ConfigurationSources(invocation, environment: context.environment))
        } catch {
            let isTyped = error.faults.contains { if case .flag = $0.origin { true } else { false } }
            guard !isTyped, let rest = error.rest else { throw CommandFailure(error) }
            configuration = rest
        }
        for note in configuration.notes { context.output.warning(note.description) }
        return configuration
    }

    private func report(_ facts: DoctorFacts, _ configuration: Configuration, to path: String) async throws {
        let journal = [
            "--user", "--unit=\(SessionManager.unit)", "--lines=100", "--no-pager", "--quiet", "--output=short-iso", "--no-hostname",
        ]
        var log: [String] = []
        if let program = context.environment.program("journalctl"),
            let answer = try? await Child.output(
                of: program, arguments: journal, environment: context.environment.entries, within: .seconds(10), most: 1 << 20,
                clock: context.clock)
        {
            log = String(decoding: answer.bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        }
        let report = HelpReport(
            facts, configuration, log: log,
            vocabulary: ManualPage.all.map(\.text) + [Options.sampleFile(), JSONHelp(command: .woodshed, names: [], width: 100).text]
                + Self.help(of: .woodshed), home: context.environment.home)
        let isWritten = try report.write(to: path)
        guard isWritten else { throw CommandFailure(.failed, "\(path) is there already; choose another name, or move it away") }
        context.output.message("Wrote \(path.printable); look through it before you give it to somebody.")
    }

    /// The help of a command and of all its subcommands.
    private static func help(of command: Command) -> [String] {
        [HelpText(command: command, names: [command.name], width: 100).text] + command.subcommands.flatMap(help)
    }

    private func facts(_ configuration: Configuration) async -> DoctorFacts {
        let paths = configuration.paths
        var facts = DoctorFacts()
        facts.faults = configuration.faults
        facts.ownFile = paths.configuration
        // The faulty setting may be the address that a secret is meant for. Without it, the secret would go to the default address.
        let isOffline = invocation.has("offline") || configuration.isPartial
        let token = await token(configuration, isOffline: isOffline, in: &facts)
        if facts.token == .notConfigured, DemoAddress.isHome(ofDemo: paths.data) { facts.token = .ofDemo }
        if configuration.hasSetsAlone, !configuration.isPartial { facts.token = .ofFolders }
        if let token, !isOffline {
            if let address = try? WebAddress(configuration.options.account.apiURL), !address.isLoopback {
                facts.proxy = Proxy(for: address.scheme)?.words
            }
            facts.service = await ask(configuration, token)
        }
        facts.folders = [
            DoctorFacts.folder("configuration", Folder.parent(of: paths.configuration)), DoctorFacts.wholeFolder("data", paths.data),
            DoctorFacts.wholeFolder("cache", paths.cache), DoctorFacts.folder("runtime", paths.runtime),
        ]
        let asked = await configuration.asking(by: context.clock)
        facts.silent = asked.silent.sorted()
        let roots = asked.markSettings.roots
        let closed = Set(roots.unread.filter { !roots.isSilent($0) }.compactMap { DoctorFacts.closed($0, needing: R_OK | X_OK) })
        facts.unreadMusic = closed.sorted { $0.path < $1.path }
        facts.music = roots.isSilent(paths.music) ? nil : DoctorFacts.folder("music", paths.music)
        facts.closedMusic = roots.isSilent(paths.music) ? nil : DoctorFacts.closed(paths.music, needing: W_OK | X_OK)
        facts.sets = await SetsHere.read(configuration.options.plans.folders.filter { !asked.silent.contains($0) }, by: context.clock)
        facts.syncTools = DoctorFacts.syncTools(at: paths.data)
        facts.pdfFolder = configuration.options.export.folder.flatMap { asked.silent.contains($0) ? nil : $0 }.map {
            (path: $0, trouble: PDFShelf($0, recordedAt: PDFShelf.record(in: paths.data)).trouble)
        }
        facts.band = await BandCheck.finding(configuration, context, isOffline: isOffline)
        facts.disks = [
            DoctorFacts.disk("data", paths.data, home: context.environment.home),
            DoctorFacts.disk("cache", paths.cache, leastFree: configuration.options.cache.leastFree, home: context.environment.home),
        ].compactMap(\.self)
        facts.versions = [
            ("woodshed", Release.version), ("SQLite", Library.databaseVersion), ("libcurl", CurlTransport.libraryVersion),
            ("kernel", DoctorFacts.kernelVersion),
        ]
        facts.renderer = await renderer(configuration.options)
        facts.hasBaseFonts = DoctorFacts.hasOne(of: DoctorFacts.baseFontFolders)
        facts.hasAsianFonts = DoctorFacts.hasOne(of: DoctorFacts.asianFontFolders)
        facts.hasPopplerData = DoctorFacts.hasOne(of: DoctorFacts.popplerDataFolders)
        facts.inotify = DoctorFacts.inotifyLimits
        facts.memoryPressure = memoryPressure()
        facts.lock = DoctorFacts.lock(in: paths.data)
        let answer = await AgentAnswer(of: paths)
        if case .silent(let process?, let because?) = answer { facts.hang = (because, AgentLock.replacing(process)) }
        let agent = answer.report
        (facts.watching, facts.noMarksAt, facts.noPages) = (agent?.watching, agent?.polls.noMarksAt, agent?.noPages)
        // Whether a plan is ready is judged by what the agent goes by, as 'woodshed ready' does.
        let kept = configuration.isPartial ? await context.configurationOfAgent(insteadOf: configuration)?.kept : nil
        facts.readiness =
            if let kept {
                await readiness(kept, marks: kept.asking(by: context.clock).markSettings.roots, answer)
            } else {
                await readiness(configuration, marks: roots, answer)
            }
        if case .success(let verdict)? = facts.readiness {
            let folders = Set(verdict.report.markFolders.map(\.subject))
            facts.missingMusic = roots.folders.filter { folders.contains($0) && !roots.isSilent($0) && access($0, F_OK) != 0 }
        }
        if let name = SecretSource(configuration.options.account)?.credentialElsewhere(context.environment) {
            facts.token = .ofService(name, agent?.polls)
        }
        // If the library cannot be read, no saved files are reported; the check of the catalogue says what is wrong.
        facts.saved = (try? Library(readingFrom: paths.data).charts.savedCharts()) ?? SavedCharts()
        facts.catalogue = Result { () throws(LibraryError) in try CatalogueState(ofLibraryIn: paths.data) }
        return facts
    }

    /// What `woodshed ready` says of the next plan; `nil` where nothing was ever fetched.
    private func readiness(
        _ configuration: Configuration, marks roots: MarkRoots, _ agent: AgentAnswer
    ) async -> Result<ReadinessVerdict, CommandFailure>? {
        guard access(CatalogueFile.path(in: configuration.paths.data), F_OK) == 0 else { return nil }
        do {
            let home = try OpenHome(configuration, for: .reading, context)
            defer { home.close() }
            let check = home.readinessCheck(by: try await home.renderer(), marks: roots)
            let report = try await home.readiness(of: try home.nextPlans(), by: check, isThorough: true, agent)
            return .success(
                ReadinessVerdict(
                    report: report, maxAge: ReadinessVerdict.defaultMaxAge, agent: agent, mistake: configuration.mistake))
        } catch {
            return .failure(CommandFailure(of: error))
        }
    }

    /// Starts watching memory pressure and stops at once, to see whether the kernel allows that.
    private func memoryPressure() -> MemoryPressure.State {
        let environment = context.environment
        let pressure = MemoryPressure(watch: environment["MEMORY_PRESSURE_WATCH"], write: environment["MEMORY_PRESSURE_WRITE"])
        pressure.start {}
        defer { pressure.stop() }
        return pressure.state
    }

    private func token(_ configuration: Configuration, isOffline: Bool, in facts: inout DoctorFacts) async -> Secret? {
        guard let source = SecretSource(configuration.options.account) else { return nil }
        do {
            // The token of a sign-in expires, and is renewed from time to time. A request to the service needs a current token.
            // Offline, the last token is enough.
            let credentials = source.credentials(configuration, context)
            let token = source == .signIn && !isOffline ? try await credentials.read(wasRefused: false) : try await credentials.first()
            facts.token = source == .signIn ? .signedIn : .readable
            return token
        } catch {
            let file: String? = if case .file(let path) = source { path } else { nil }
            facts.token = source == .signIn ? .signedOut("\(error)") : .unreadable(error as? Trouble ?? Trouble("\(error)"), file: file)
            return nil
        }
    }

    /// Requests the token's account from the service once. The answer shows whether the token is valid, and its header has the
    /// service's time.
    private func ask(_ configuration: Configuration, _ token: Secret) async -> DoctorFacts.Service {
        let transport = configuration.options.transport(clock: context.clock)
        defer { transport.close() }
        do {
            var request = HTTPRequest(
                .get, configuration.options.account.apiURL + "/me", headers: [("Accept", "application/vnd.api+json")],
                credentials: token, timeout: .seconds(20))
            request.staysAtOrigin = true
            let answer = try await transport.send(request)
            let start = answer.body.first { !($0 == 32 || (9...13).contains($0)) }
            if (200..<300).contains(answer.status), start == UInt8(ascii: "<") || start == nil {
                return .notTheService("a web page came instead (is there a log-in page on this Wi-Fi?)")
            }
            let ours = context.clock.timestamp
            return .answered(status: answer.status, ahead: answer.headers["date"].flatMap(HTTPDate.parse).map { ours - $0 })
        } catch {
            switch error.kind {
            case .unreachable, .interrupted, .cancelled: return .unreachable(error.message)
            case .ledAway: return .notTheService("the answer did not come from the service: \(error.message)")
            case .refused, .tooLarge: return .notTheService(error.message)
            }
        }
    }

    private func renderer(_ options: Options) async -> DoctorFacts.Renderer {
        do {
            return try await options.withRenderer(clock: context.clock) { pool in
                .works(tag: try await pool.identity().tag, gaps: try await pool.gaps())
            }
        } catch {
            return .fails("\(error)")
        }
    }
}

/// Restores a backup of the catalogue, for `woodshed doctor --restore`.
enum CatalogueRestore {
    /// `wanted` is a backup's number, or "newest".
    static func run(_ wanted: String, _ paths: Paths, _ output: Output) throws -> ExitCode {
        let lock = try AgentLock.take(in: paths.data)
        defer { withExtendedLifetime(lock) {} }
        let state = try CatalogueState(ofLibraryIn: paths.data)
        let backup = wanted == "newest" ? state.newestBackup : state.backups.keys.first { $0.number == Int(wanted) }
        guard let backup else {
            let numbers = state.backups.keys.map(\.number).sorted().map(String.init).joined(separator: ", ")
            throw CommandFailure(.failed, "there is no backup '\(wanted)'" + (numbers.isEmpty ? "" : "; available: newest, \(numbers)"))
        }
        guard state.backups[backup] == true else {
            throw CommandFailure(.failed, "the backup \(backup.path) is damaged; choose another")
        }
        let kept = try Library.goBack(to: backup, in: paths.data)
        output.result(
            "The catalogue has been restored to \(TimeText.minute(backup.madeAt))."
                + (kept.map { " The previous one is kept as \($0)." } ?? "") + " Charts and mark files were not touched.")
        output.result("'\(woodshed("sync"))' fetches what has changed since; until then '\(woodshed("ready"))' reports not ready.")
        return .fine
    }
}
