import Agent
import Catalogue
import CommandLine
import Configuration
import Host
import Library
import Marks
import Model
import Platform

extension Command {
    static let accept = Command(
        name: "accept",
        summary: "Accepts a plan that is held back, a chart and its marks as they are, or that mark files are gone",
        details: """
            A plan that loses more than half of its charts is kept as it was until the same is seen an hour later, since that is \
            more often a mishap than intended. 'woodshed plans' shows which plans are held back. If the service went back to an \
            older state, as from a backup, whatever it had newer before stays until you accept the plan or the chart. An agent may \
            be running.

            Marks stay on their pages when a chart is replaced. If such a page looks different now, 'woodshed plans' and \
            'woodshed layers' say so until you accept it; the marks themselves are not changed. An agent may be running.

            If part of a page is missing from the chart's file, 'woodshed ready' says so until you accept the chart: look at the \
            page first.

            A folder of your own mark files that is suddenly empty or missing may be on a disk that is not mounted, so its marks \
            stay. With --gone you confirm that the missing files in it are gone for good, or that you no longer want the marks in a \
            folder that you took out of annotations.folders. An agent may be running.

            If the token belongs to another person or organisation than the plans here, nothing is fetched until you confirm with \
            --account that this is meant.

            Where charts or marks go by it, it names them and asks first; without a terminal, --yes is the answer.
            """,
        parameters: [
            Parameter(
                "name",
                "a plan's id, date or title, or 'next', or a chart: the attachment's id, the start of the chart's hash, or part of its name",
                isOptional: true
            ).offering(.places(["next"]))
        ],
        flags: [
            Flag("gone", "FOLDER", type: .path, "drop the marks of the files that are missing from FOLDER").offering(.folders),
            Flag("account", "go on with the account that the token belongs to now"),
            Flag("dry-run", "only say what would go"),
            Flag("yes", "do not ask, whatever goes"),
        ],
        json: Accepted.form,
        examples: [
            Example("woodshed accept next", "Take the next plan as the service has it."),
            Example("woodshed accept 67810002 --dry-run", "See which charts this plan would lose."),
            Example("woodshed accept riverside", "Take this chart and the marks on it as they are now."),
            Example("woodshed accept --gone /media/stick/marks", "Draw pages without the marks of the files that are gone."),
        ],
        settings: Options.flags,
        run: {
            try AcceptCommand.check($0)
            return try await AcceptCommand(invocation: $0, context: $1, configuration: try $1.configuration($0)).run()
        })
}

@LoopActor
struct AcceptCommand {
    let invocation: Invocation
    let context: CommandContext
    let configuration: Configuration
    private var isDry: Bool { invocation.has("dry-run") }
    private var paths: Paths { configuration.paths }
    private var data: String { paths.data }

    /// Reports mistakes in the arguments before anything is read.
    nonisolated static func check(_ invocation: Invocation) throws {
        let (name, folder): (String?, String?) = (invocation.argument("name"), invocation.value("gone"))
        switch [name != nil, folder != nil, invocation.has("account")].count(where: \.self) {
        case 0: throw CommandFailure(.usage, "say what to accept: a plan, a chart, --gone and a folder, or --account")
        case 1: return
        default: throw CommandFailure(.usage, "a name, --gone and --account cannot be used together; use one of them")
        }
    }

    func run() async throws -> ExitCode {
        let accepted: Accepted
        if let folder: String = invocation.value("gone") {
            guard let gone = try await accept(gone: folder) else { return declined }
            accepted = gone
        } else if invocation.has("account") {
            guard let account = try await acceptAccount() else { return declined }
            accepted = Accepted(name: "\(account)", what: ["account"], words: ["The next sync fetches the plans of \(account)."])
        } else {
            switch try find(invocation.argument("name") ?? "") {
            case .plan(let plan): return try await accept(plan)
            case .chart(let chart):
                if isDry { return context.give(try tried(chart), to: invocation) }
                let past = try hasOlderMarks(chart.attachment) ? gettingOlder(chart) : nil
                guard try await goesOn(chart.attachment.text, past, "") else { return declined }
                accepted = try accept(chart)
            }
        }
        let code = context.give(accepted, to: invocation)
        await ControlClient.reportChange(paths, context)
        return code
    }

    /// The exit code of a run that changed nothing: success for a dry run, failure if the user declined.
    private var declined: ExitCode { isDry ? .fine : .failed }

    /// Whether to go on. If there is a `loss`, asks the user, unless --yes is given; throws if the user cannot be asked. A dry run
    /// never goes on: it only prints the loss, or the sentence `nothing` without one.
    private func goesOn(_ name: String, _ loss: String?, _ nothing: String) async throws -> Bool {
        if isDry {
            context.give(Accepted(name: name, words: [loss ?? nothing]), to: invocation)
            return false
        }
        guard let loss, !invocation.has("yes") else { return true }
        let ask = Questions(output: context.output)
        guard ask.canAsk else { throw CommandFailure(.usage, "\(loss)\nIf that is right, add --yes.") }
        context.output.message(loss.printable)
        do {
            if try await ask.isYes("Accept that?", usual: false) { return true }
        } catch is Questions.Cancelled {
            context.output.message("")
        }
        context.output.message("Nothing was changed.")
        return false
    }

    /// The accepted account; `nil` in a dry run. Throws if there is no other account to accept.
    private func acceptAccount() async throws -> ServiceAccount? {
        let library = try OpenHome.library(configuration)
        defer { library.close() }
        if let other = try library.service.otherAccount {
            guard try await goesOn("\(other)", nil, "The next sync would fetch the plans of \(other).") else { return nil }
            let account = try Library.change(in: data) { library throws(LibraryError) in try library.service.acceptAccount() }
            if let account { return account }
        }
        throw CommandFailure(
            .failed,
            "there is nothing to accept about the account: at the last sync the token still belonged to the one whose plans are here")
    }

    private func hasOlderMarks(_ chart: AttachmentID) throws -> Bool {
        let library = try Library(readingFrom: data)
        defer { library.close() }
        return try library.layers.doubts().contains { $0.attachment == chart && $0.reason.isOfThePast }
    }

    /// The charts that a plan loses or gets in an older version if it is accepted as the service has it, and those that get older
    /// marks of others. `nil` if there are none.
    private func loss(of plan: Plan) throws -> String? {
        let library = try Library(readingFrom: data)
        defer { library.close() }
        let kept = try library.plans.asPlanned(plan.id)?.attachments ?? []
        var losses: [String] = []
        if let held = try library.plans.heldBack().first(where: { $0.plan.id == plan.id }) {
            let sent = Dictionary(held.sent.attachments.map { ($0.use, $0) }) { first, _ in first }
            let going = kept.filter { sent[$0.use] == nil }
            let older = kept.filter { kept in
                guard let now = sent[kept.use]?.updatedAt, let former = kept.updatedAt else { return false }
                return now < former
            }
            if !going.isEmpty { losses.append("loses \(going.count) of \(kept.count.counted("chart")): \(Self.names(going))") }
            if !older.isEmpty { losses.append("gets \(older.count.counted("chart")) in an older version: \(Self.names(older))") }
        }
        let past = Set(try library.layers.doubts().filter(\.reason.isOfThePast).map(\.attachment))
        let marked = kept.filter { past.contains($0.id) }
        if !marked.isEmpty { losses.append("gets older marks of others on \(Self.names(marked))") }
        return losses.isEmpty ? nil : "\(PlanFinder.words(plan)) \(losses.joined(separator: "; "))"
    }

    /// The names of the first charts, as many as can be read at a glance.
    private static func names(_ charts: [Attachment]) -> String {
        let most = 8
        let names = charts.prefix(most).map(\.filename).joined(separator: ", ")
        return charts.count > most ? "\(names) and \(charts.count - most) more" : names
    }

    /// Finds the plan or chart that `name` means. "next" always means the next plan. Otherwise, the id of a plan that is held back
    /// comes first. A name or date that matches both a plan that is held back and a chart is ambiguous. Any other plan is found
    /// only if no single chart matches.
    private func find(_ name: String) throws -> NamedPlace {
        // Open the library for reading only: without a library, there is nothing to accept, and no library must be created.
        let library = try OpenHome.library(configuration)
        defer { library.close() }
        let now = context.clock.timestamp
        let all = try PlanFinder(library, now: now)
        if name.lowercased() == "next" { return .plan(try all.findHere(name)) }
        let held = try library.plans.heldBack().map(\.plan)
        if let plan = held.first(where: { $0.id.text == name }) { return .plan(plan) }
        var meant: Plan?
        do throws(Trouble) {
            meant = try PlanFinder(held, now: now).find(name)
        } catch {
            if error.kind == .ambiguous { throw error }
        }
        let charts = try ChartFinder(library)
        do throws(Trouble) {
            let chart = try charts.find(name)
            guard let meant else { return .chart(chart) }
            throw Trouble.ambiguous(name, "plans and charts", among: [PlanFinder.description(meant), chart.description])
        } catch {
            if error.kind == .ambiguous, meant != nil { throw error }
            if let meant { return .plan(meant) }
            let ofCharts = error
            do throws(Trouble) {
                return .plan(try all.find(name, isLikely: { !$0.isPast(at: now) }))
            } catch {
                if ofCharts.kind == .ambiguous || ofCharts.kind == .gone { throw ofCharts }
                if error.kind == .ambiguous { throw error }
            }
            throw CommandFailure(
                .failed,
                "there is no plan or chart '\(name)' here; '\(woodshed("plans --all"))' lists them and shows what can be accepted")
        }
    }

    private func accept(_ plan: Plan) async throws -> ExitCode {
        let shown = try loss(of: plan)
        guard try await goesOn(plan.id.text, shown, "No chart of \(PlanFinder.words(plan)) would go.") else { return declined }
        // An agent's poll may have brought a new version while the user was deciding, so compare with the loss that the user saw.
        if let now = try loss(of: plan), now != shown {
            let who = plan.id.owner == .service ? "the service says" : "\(plan.id.owner.words) has"
            throw CommandFailure(.failed, "nothing was changed: \(who) something else by now, and \(now)")
        }
        // Only one process at a time may write plans, so a running agent has to do it.
        if let agent = ControlClient.find(paths, clock: context.clock) {
            let query = [("plan", plan.id.text)] + (invocation.has("json") ? [("json", "1")] : [])
            return try await agent.command("/v1/accept", query: query).print(on: context.output)
        }
        if let failure = ControlClient.lost(paths) { throw failure }
        let lock = try AgentLock.take(in: data)
        defer { withExtendedLifetime(lock) {} }
        let library = try Library(folder: data)
        defer { library.close() }
        return context.give(try Self.accept(plan: plan.id, in: library, at: context.clock.timestamp), to: invocation)
    }

    /// Accepts a plan that is held back. Reports the acceptance, or that nothing was held back.
    static func accept(plan id: PlanID, in library: Library, at now: Timestamp) throws -> Accepted {
        let name = try library.plans.plan(id)?.plan.displayName ?? "the plan"
        let wasHeldBack = try library.accept(plan: id, at: now)
        return Accepted(
            name: id.text, what: wasHeldBack ? ["plan"] : [],
            words: [
                wasHeldBack
                    ? "\(name): accepted as \(id.owner.words) has it"
                    : "nothing is held back for \(name) (\(id))"
            ])
    }

    private func accept(_ chart: ChartFinder.Candidate) throws -> Accepted {
        let accepted = try Library.change(in: data) { library throws(LibraryError) in try library.accept(chart: chart.attachment) }
        return Accepted(name: chart.attachment.text, what: accepted.names, words: [words(accepted, of: chart)])
    }

    /// Accepts the chart in a copy of the library in memory, to find out what would be accepted.
    private func tried(_ chart: ChartFinder.Candidate) throws -> Accepted {
        let copy = try Library(inMemoryFrom: data)
        defer { copy.close() }
        let accepted = try copy.accept(chart: chart.attachment)
        let past = accepted.contains(.olderMarks) ? [gettingOlder(chart)] : []
        let lead = accepted.isEmpty ? "" : "without --dry-run: "
        return Accepted(name: chart.attachment.text, words: past + [lead + words(accepted, of: chart)])
    }

    private func gettingOlder(_ chart: ChartFinder.Candidate) -> String { "\(chart.filename) gets older marks of others" }

    private func words(_ accepted: AcceptedOfChart, of chart: ChartFinder.Candidate) -> String {
        // Nothing was left to accept, for example because accepting the chart's plan has accepted the chart as well.
        guard !accepted.isEmpty else {
            let history = woodshed("layers \(chart.attachment) --history")
            return
                "there is nothing left to accept about \(chart.filename) (\(chart.attachment)); '\(history)' lists marks that it had before"
        }
        var sentences: [String] = []
        if accepted.contains(.marks) { sentences.append("its marks are accepted for the chart as it is now") }
        if accepted.contains(.pages) { sentences.append("its pages are accepted as they are") }
        if accepted.contains(.vanishedMarks) { sentences.append("marks that vanished from your files stay in their history only") }
        if accepted.contains(.olderMarks) { sentences.append("the marks of others come as the service has them with the next sync") }
        if accepted.contains(.newerVersion) { sentences.append("the newer version comes with the next sync") }
        return "\(chart.filename): \(sentences.joined(separator: "; "))"
    }
}

extension AcceptCommand {
    /// Drops the marks of the files in `folder` that are missing, ignored or in none of the configured folders. `nil` in a dry run, or if
    /// the user declines. Throws if there is no such file.
    func accept(gone folder: String) async throws -> Accepted? {
        let loss = try letGo(of: folder, isDry: true)
        let (marks, charts) = (loss.charts.reduce(0) { $0 + $1.marks }, loss.charts.map(\.filename).joined(separator: ", "))
        // Without a loss, the user is not asked, and `tell` explains the outcome.
        let words = marks > 0 ? "\(marks.counted("mark")) on \(loss.charts.counted) would go: \(charts)" : nil
        guard try await goesOn(folder, words, "No mark in \(folder) would go.") else { return nil }
        let outcome = try letGo(of: folder, isDry: false)
        return try give(outcome, of: folder)
    }

    private func letGo(of folder: String, isDry: Bool) throws(LibraryError) -> FilesLetGo {
        try MarkFileStore.letGo(
            ofFilesBelow: folder, inLibraryAt: data, at: context.clock.timestamp, isDry: isDry,
            isOutside: { [roots = configuration.markSettings.roots] in !roots.admits(path: $0) })
    }

    private func give(_ outcome: FilesLetGo, of folder: String) throws -> Accepted {
        guard outcome.count > 0 else {
            throw CommandFailure(
                .failed,
                outcome.kept == 0
                    ? "no mark files are known in \(folder)"
                    : "no mark file in \(folder) is gone: \(Self.files(outcome.kept)) there can still be read, and nothing was changed")
        }
        let charts = outcome.charts
        let marks = charts.reduce(0) { $0 + $1.marks }
        let whose = charts.isEmpty ? ", which had no marks on any chart" : " with \(marks.counted("mark")) on \(charts.counted)"
        var words = ["\(folder): \(Self.files(outcome.count)) dropped\(whose)"]
        words += charts.map { "  \($0.filename): \($0.marks.counted("mark"))" }
        if outcome.kept > 0 {
            let why = outcome.kept == 1 ? "is kept: it is not gone" : "are kept: they are not gone"
            words.append("  \(Self.files(outcome.kept)) there \(why)")
        }
        words.append(
            "Pages are drawn without them from now on; if a file comes back, so do its marks, and '\(woodshed("layers CHART --history"))' "
                + "lists what each had.")
        return Accepted(name: folder, what: ["gone_files"], words: words)
    }

    private static func files(_ count: Int) -> String { count.counted("file") }
}

extension [FilesLetGo.Chart] {
    fileprivate var counted: String { count.counted("chart") }
}
