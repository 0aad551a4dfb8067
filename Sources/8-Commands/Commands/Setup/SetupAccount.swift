import CommandLine
import Configuration
import HTTPClient
import Host
import Model
import PlanningCenter
import Platform

struct FoundAccount {
    let holder: ServiceAccount?
    var plans: [Plan]
    /// The contents of the first five plans at most.
    var contents: [PlanContents]
}

/// Asks for a token until the service accepts one or the musician goes on without its answer, and asks which plans to keep ready.
@LoopActor
struct SetupAccount {
    let context: CommandContext
    let ask: Questions

    private var output: Output { context.output }
    /// How many plans are listed, and looked through for charts; nobody would read more.
    private static let mostPlans = 5
    /// From how many seconds on a wait might look like a standstill.
    private static let longWait = 3

    /// Returns a token and the account that it gives access to. The account is `nil` if the musician goes on without the service's answer.
    /// A token for this service that `file` may have is offered first. If the musician types another address, it is stored in `options`.
    func token(for options: inout Options, besides file: String?) async throws -> (Secret, FoundAccount?) {
        if let file, let known = try? SecretSource.token(try SecretSource.privateBytes(file), from: file),
            try await ask.isYes("There is a token already, in \(file). Use that one?", usual: true)
        {
            switch try await see(known, options) {
            case .usable(let account): return (known, account)
            case .refused: break
            // The known token was made at another address, and must never be sent to the new one.
            case .elsewhere(let address): options.account.use(address)
            }
        }
        printHowToGetOne(options)
        while true {
            let typed = try await typedToken()
            while true {
                let sight = try await see(typed, options)
                if case .usable(let account) = sight { return (typed, account) }
                guard case .elsewhere(let address) = sight else { break }
                options.account.use(address)
            }
        }
    }

    private func printHowToGetOne(_ options: Options) {
        output.message("\nWoodshed signs in with a token, which has two parts: a client id and a secret.")
        if options.account.apiURL == Account.usualURL {
            output.message(
                """
                It costs nothing. To make one:
                  1. Sign in at \(SecretSource.page)
                  2. Under 'Personal Access Tokens', press 'New Personal Access Token', name it Woodshed, and submit.
                  3. Paste its client id (also called application id) and its secret here.
                """)
        } else {
            output.message("Whoever runs your service can give you one.")
        }
    }

    private func typedToken() async throws -> Secret {
        while true {
            let id = try await ask.line("Client id")
            guard !id.isEmpty else {
                output.message("The client id is needed here; Ctrl-C ends this.")
                continue
            }
            guard !id.contains(":") else {
                output.message("Only the client id belongs here; the secret is asked for next, and is not shown.")
                continue
            }
            let secret = try await ask.secret("Secret (it is not shown)")
            do throws(Trouble) {
                return try SecretSource.token(Array("\(id):\(secret)".utf8), from: "what you typed")
            } catch {
                say("\(error)".asSentence)
            }
        }
    }

    /// Prints a line with text from the service without the control characters that such a text may contain.
    private func say(_ line: String) { output.message(line.printable) }

    /// The service's reaction to a token.
    private enum Sight {
        /// The token will be used. The account is `nil` if the musician goes on without the service's answer.
        case usable(FoundAccount?)
        case refused
        case elsewhere(WebAddress)
    }

    /// Finds out what a token gives access to. If the service gives no account, asks whether to keep the token or try another address.
    private func see(_ token: Secret, _ options: Options) async throws -> Sight {
        output.message("Asking the service …")
        do throws(ServiceFailure) {
            let found = try await found(by: token, options)
            print(found)
            return .usable(found)
        } catch {
            switch error {
            case .notAuthorised:
                output.message("The service does not accept this token. Check both parts of it, or make a new one.")
                return .refused
            case .missing, .noService: output.message("There is no such service at this address; it must look like \(Account.usualURL).")
            default: say("\(error)".asSentence)
            }
        }
        guard try await !ask.isYes("Keep this token all the same, and go on without asking the service?", usual: false) else {
            return .usable(nil)
        }
        let other = try await SetupAddress(output: output, ask: ask).read(
            "If \(options.account.apiURL) is not its address, type that; otherwise press Enter")
        return other.map { .elsewhere($0) } ?? .refused
    }

    /// The account that the configured token gives access to. Throws if the service does not give it.
    func account(of token: Secret, _ options: Options) async throws -> FoundAccount {
        output.message("Asking the service …")
        do throws(ServiceFailure) {
            let found = try await found(by: token, options)
            print(found)
            return found
        } catch {
            throw CommandFailure(.failed, "\(error); nothing was changed")
        }
    }

    /// Asks for which service types to keep every plan ready; those in `options` are the default. Empty if only the plans that name
    /// the musician are to be kept ready.
    func serviceTypes(insteadOf found: FoundAccount, _ token: Secret, _ options: Options) async throws -> [String] {
        let which = found.plans.isEmpty ? "the plans that will name you" : "these plans"
        let former = options.account.serviceTypes
        var types: [(id: ServiceTypeID, name: String)] = []
        while types.isEmpty {
            let question = "Keep \(which) ready? (Leaders: n lets you choose whole service types.)"
            guard try await !ask.isYes(question, usual: former.isEmpty) else { return [] }
            do throws(ServiceFailure) {
                types = try await client(token, options) { client throws(ServiceFailure) in try await client.serviceTypes() }
                if types.isEmpty { output.message("The service shows you no service types.") }
            } catch {
                say("\(error)".asSentence)
            }
        }
        for (number, type) in types.enumerated() { say("  \(number + 1)  \(type.name)") }
        let usual = types.indices.filter { former.contains(types[$0].id.text) }.map { "\($0 + 1)" }.joined(separator: ", ")
        while true {
            let answer = try await ask.line("Which of them? Numbers, with commas between", usual: usual)
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
            // The plans that were read have their own titles.
            return FoundAccount(holder: holder, plans: contents.map(\.plan) + plans.dropFirst(contents.count), contents: contents)
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
        client.onWait { [weak client, output] in
            guard let wait = client?.wait, wait.seconds >= Self.longWait else { return }
            output.message(wait.words.asSentence)
        }
        return try await work(client)
    }

    private func print(_ found: FoundAccount) {
        if let holder = found.holder, !holder.person.name.isEmpty {
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
