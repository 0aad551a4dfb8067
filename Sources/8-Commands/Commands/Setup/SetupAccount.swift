import CommandLine
import Configuration
import HTTPClient
import Host
import Model
import PlanningCenter
import Platform
import Reports

struct FoundAccount {
    let holder: ServiceAccount?
    var plans: [Plan]
    /// Of the first of them.
    var contents: [PlanContents]
}

/// Asks for a token until the service accepts one, and for the plans that it is wanted for.
@LoopActor
struct SetupAccount {
    let context: CommandContext
    let ask: Questions

    private var output: Output { context.output }
    /// More would not be read.
    private static let mostPlans = 5

    /// A token, and what it gives access to; `nil` where the musician goes on without knowing that. `file` may have one for
    /// this service already.
    func token(for options: Options, besides file: String?) async throws -> (Secret, FoundAccount?) {
        if let file, let known = try? SecretSource.token(try SecretSource.privateBytes(file), from: file),
            try await ask.isYes("There is a token already, in \(file). Use that one?", usual: true),
            let found = try await see(known, options)
        {
            return (known, found.account)
        }
        output.message("\nA token lets this program read what you may read there.")
        if options.account.apiURL == Account.usualURL {
            output.message(
                """
                It costs nothing. To make one:
                  1. Sign in at \(SecretSource.page)
                  2. Under 'Personal Access Tokens', press 'New Personal Access Token', name it Woodshed, and submit.
                  3. Copy its client id (or application id) and its secret to here.
                """)
        } else {
            output.message("Ask for one where you have your account there; it is a client id and a secret.")
        }
        while true {
            let id = try await ask.line("Client id")
            guard !id.contains(":") else {
                output.message("Only the client id belongs here; the secret is asked for next, and is not shown.")
                continue
            }
            let secret = try await ask.secret("Secret (it is not shown)")
            let token: Secret
            do throws(SecretError) {
                token = try SecretSource.token(Array("\(id):\(secret)".utf8), from: "what you typed")
            } catch {
                say("\(error)".asSentence)
                continue
            }
            if let found = try await see(token, options) { return (token, found.account) }
        }
    }

    /// Lines with words of the service, which may be anything.
    private func say(_ line: String) { output.message(line.printable) }

    /// A token that is to be used.
    private struct Sight {
        let account: FoundAccount?
    }

    /// Asks what a token gives access to; the musician may go on without knowing that. `nil` for a token that is not to be used.
    private func see(_ token: Secret, _ options: Options) async throws -> Sight? {
        output.message("Asking the service …")
        do throws(ServiceFailure) {
            let found = try await found(by: token, options)
            tell(found)
            return Sight(account: found)
        } catch {
            switch error {
            case .notAuthorised:
                output.message("The service does not accept this token. Check both parts of it, or make a new one.")
                return nil
            case .missing: output.message("There is no such service at this address; it must look like \(Account.usualURL).")
            default: say("\(error)".asSentence)
            }
            let isKept = try await ask.isYes("Keep this token all the same, and go on without asking the service?", usual: false)
            return isKept ? Sight(account: nil) : nil
        }
    }

    /// The service types of which all plans are wanted, instead of those that were found.
    func serviceTypes(insteadOf found: FoundAccount, _ token: Secret, _ options: Options) async throws -> [String] {
        let which = found.plans.isEmpty ? "the plans that will name you" : "these plans"
        var types: [(id: ServiceTypeID, name: String)] = []
        while types.isEmpty {
            guard try await !ask.isYes("Keep \(which) ready? (n: all plans of whole service types, as a leader wants)", usual: true)
            else { return [] }
            do throws(ServiceFailure) {
                types = try await client(token, options) { client throws(ServiceFailure) in try await client.serviceTypes() }
                if types.isEmpty { output.message("The service shows you no service types.") }
            } catch {
                say("\(error)".asSentence)
            }
        }
        for (number, type) in types.enumerated() { say("  \(number + 1)  \(type.name)") }
        while true {
            let answer = try await ask.line("Which of them? Numbers, with commas between")
            let numbers = answer.split { ", ".contains($0) }.map { Int($0) }
            guard !numbers.isEmpty, numbers.allSatisfy({ $0.map { types.indices.contains($0 - 1) } == true }) else { continue }
            return numbers.compactMap { $0 }.map { types[$0 - 1].id.text }
        }
    }

    private func found(by token: Secret, _ options: Options) async throws(ServiceFailure) -> FoundAccount {
        try await client(token, options) { client throws(ServiceFailure) in
            let plans = try await client.comingPlans()
            let holder = try await client.accountHolder(didSay: false)
            var contents: [PlanContents] = []
            for plan in plans.prefix(Self.mostPlans) { contents.append(try await client.contents(of: plan)) }
            return FoundAccount(holder: holder, plans: plans, contents: contents)
        }
    }

    private func client<Answer>(
        _ token: Secret, _ options: Options, _ work: @LoopActor (PlanningCenterClient) async throws(ServiceFailure) -> Answer
    ) async throws(ServiceFailure) -> Answer {
        let transport = options.transport(clock: context.clock)
        defer { transport.close() }
        let account = Account(
            apiURL: options.account.apiURL, annotationsURL: options.account.annotationsURL, credentials: token,
            serviceTypes: options.account.serviceTypes.map { ServiceTypeID($0) }, userAgent: Release.userAgent)
        let client = PlanningCenterClient(account: account, transport: transport, time: context.clock, log: .silent)
        client.asksAgain = false
        return try await work(client)
    }

    private func tell(_ found: FoundAccount) {
        if let holder = found.holder {
            say("You are \(holder.person.name)\(holder.organisation.map { " of \($0.name)" } ?? "").")
        }
        guard !found.plans.isEmpty else { return output.message("No upcoming plan names you yet.") }
        output.message("You are in \(found.plans.count.counted("upcoming plan")):")
        for plan in found.plans.prefix(Self.mostPlans) {
            say("  \(PlanFinder.words(plan))\(plan.serviceTypeName.isEmpty ? "" : " (\(plan.serviceTypeName))")")
        }
        if found.plans.count > Self.mostPlans { output.message("  and \(found.plans.count - Self.mostPlans) more") }
    }
}

/// Asks which charts the musician plays from, and shows which are in and which are left out.
@LoopActor
struct SetupCharts {
    let output: Output
    let ask: Questions

    /// More are not looked through on a screen.
    private static let mostNames = 12

    /// The patterns of those that are wanted; none for all.
    func patterns(for found: FoundAccount) async throws -> [String] {
        let names = Set(found.contents.flatMap(\.attachments).map(\.filename)).sorted()
        guard !names.isEmpty else { return [] }
        list("\nTheir charts", names)
        while true {
            let answer = try await ask.line("Which of them do you play from? Patterns such as *lead*, *drum*, or Enter for all")
            let patterns = answer.split(separator: ",").map { $0.drop { $0 == " " } }.map {
                String($0.reversed().drop { $0 == " " }.reversed())
            }.filter { !$0.isEmpty }
            guard !patterns.isEmpty else { return [] }
            let chosen = patterns.map { FilenamePattern($0) }
            let isIn = { (name: String) in chosen.contains { $0.matches(name) } }
            list("In", names.filter(isIn))
            list("Left out", names.filter { !isIn($0) })
            for contents in found.contents
            where !contents.attachments.isEmpty && !contents.attachments.contains(where: { isIn($0.filename) }) {
                output.message("Nothing would be left of \(PlanFinder.words(contents.plan)).".printable)
            }
            if try await ask.isYes("Is that right?", usual: names.contains(where: isIn)) { return patterns }
        }
    }

    private func list(_ heading: String, _ names: [String]) {
        output.message("\(heading): \(names.isEmpty ? "none" : "\(names.count)")")
        for name in names.prefix(Self.mostNames) { output.message("  \(name.printable)") }
        if names.count > Self.mostNames { output.message("  and \(names.count - Self.mostNames) more") }
    }
}
