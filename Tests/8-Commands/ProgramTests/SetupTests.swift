import DemoService
import Foundation
import Glibc
import Platform
import StandInSupport
import TestSupport
import Testing

/// A musician sets up the program at a terminal.
@Suite(.onLoop)
struct SetupTests {
    private let home = TemporaryFolder()

    @LoopActor private func setup() throws -> TypedProgram { try TypedProgram("woodshed", ["setup", "--home", home.path]) }

    /// The first question, with the answer of a musician whose plans come from a service.
    private let origin = [("Where do your plans come from?", "")]

    /// The questions that come before the token, with their answers.
    private func service(_ api: String, marks: String = "") -> [(String, String)] {
        origin + [("Press Enter for Planning Center", api), ("other people's marks", marks)]
    }

    /// The last question, with the answer of a musician in no band.
    private let alone = ("Does your band share a folder?", "")

    private func token(_ text: String) -> [(String, String)] {
        let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
        return [("Client id: ", parts[0]), ("Secret (it is not shown): ", parts[1])]
    }

    @LoopActor private func answer(_ answers: [(String, String)], at program: TypedProgram) async throws {
        for (question, line) in answers { try await program.answer(question, line) }
    }

    private func text(_ name: String) throws -> String {
        String(decoding: try AtomicFile.read(home.path(name), limit: 1 << 20), as: UTF8.self)
    }

    private func rights(_ name: String) -> mode_t {
        var status = stat()
        return lstat(home.path(name), &status) == 0 ? status.st_mode & 0o777 : 0
    }

    @Test @LoopActor func itAsksShowsAndWrites() async throws {
        let demo = try StandIn.start()
        defer { demo.stop() }
        let secret = DemoService.token.revealed
        let program = try setup()
        try await answer(service(demo.apiURL, marks: demo.annotationsURL), at: program)
        // After a mistake in the token, the program reports it and repeats the question.
        try await answer(token("wrong:token") + token(secret), at: program)
        try await answer([("Keep these plans ready?", "maybe"), ("Type y or n, or press Enter for y", "")], at: program)
        try await answer(
            [("Which of them do you play from?", "*lead*"), ("Nothing would be left of 2", "n"), ("do you play from?", "*lead*, *.PDF")],
            at: program)
        #expect(program.screen.contains("does not accept this token"))
        try await answer([("Keep this choice?", "y")], at: program)
        try await waitUntil { program.sees("Does your band share a folder?") }
        #expect(program.sees("now keeps everything ready"), "\(program.screen)")
        #expect(
            program.sees("'\(Program.folder)/woodshed open --home \(home.path)' shows the pages"), "no shell finds it: \(program.screen)")
        try await answer([alone], at: program)
        #expect(await program.child.exit() == .code(0))
        #expect(program.screen.contains("You are in 3 upcoming plans:"), "\(program.screen)")
        #expect(!program.screen.contains(secret.split(separator: ":")[1]), "\(program.screen)")

        #expect(try text("config/account-token") == secret + "\n" && rights("config/account-token") == 0o600)
        // Setup also makes a token for tablets, which is easy to type.
        #expect(
            try text("config/viewer-token").wholeMatch(of: /[a-z2-9]{4}(-[a-z2-9]{4}){4}\n/) != nil
                && rights("config/viewer-token") == 0o600)
        let configuration = try text("config/woodshed.yaml")
        #expect(configuration.contains("\n  token_file: \(home.path("config/viewer-token"))\n"), "\(configuration)")
        #expect(configuration.contains("\n  include: [\"*lead*\", \"*.PDF\"]\n"), "\(configuration)")
        let check = try await Program.run("woodshed", ["config", "check", "--home", home.path])
        #expect(check.exit == .code(0), "\(check.output)\(check.messages)")
        let plans = try await Program.run("woodshed", ["sync", "--home", home.path])
        #expect(plans.exit == .code(0), "\(plans.output)\(plans.messages)")
    }

    /// Answers all questions but the last.
    @LoopActor private func setUpToTheBand(at demo: StandIn) async throws -> TypedProgram {
        let program = try setup()
        try await answer(service(demo.apiURL) + token(DemoService.token.revealed), at: program)
        try await answer([("Keep these plans ready?", ""), ("Which of them do you play from?", "")], at: program)
        return program
    }

    @Test @LoopActor func theBandsFolderIsBegunAndOthersJoin() async throws {
        let demo = try StandIn.start()
        defer { demo.stop() }
        let place = home.path("shared/band")
        let first = try await setUpToTheBand(at: demo)
        let question = "Does your band share a folder?"
        // The band's folder may not exist, or its files may not have arrived yet. Setup must not found a band there by mistake.
        try await answer([(question, "~other"), ("Only '~/' is expanded", place)], at: first)
        try await answer([("\(place) is no band's place yet", "Harmony"), ("What do the others call you?", "")], at: first)
        try await answer([("make that folder first", "")], at: first)
        #expect(await first.child.exit() == .code(0), "\(first.screen)")
        #expect(access(home.path("shared"), F_OK) != 0)
        #expect(try text("config/woodshed.yaml").contains("\n  #place: "))

        try Folder.create(home.path("shared"))
        for (number, answers) in [
            [("\(place) is no band's place yet", ""), (question, place), ("is no band's place yet", "Harmony"), ("call you?", "")],
            [("call you?", "Ben")],
        ].enumerated() {
            try FileManager.default.removeItem(atPath: home.path("config"))
            let program = try await setUpToTheBand(at: demo)
            try await answer([(question, place)] + answers, at: program)
            #expect(await program.child.exit() == .code(0), "\(program.screen)")
            #expect(program.sees("You are in Harmony as \(["Ada Player", "Ben"][number]); its place is \(place)."), "\(program.screen)")
            let configuration = try text("config/woodshed.yaml")
            #expect(configuration.contains("\n  place: \(place)\n"), "\(configuration)")
            #expect(access(home.path("config/woodshed.yaml.old"), F_OK) != 0)
        }
        // Setup does not repeat the question about a band to a musician who is in one.
        let again = try setup()
        try await answer([("What do you want to set?", "3")] + origin + [("Press Enter for \(demo.apiURL), or", "")], at: again)
        try await answer([("There is a token already", ""), ("Keep these plans ready?", ""), ("do you play from?", "")], at: again)
        #expect(await again.child.exit() == .code(0), "\(again.screen)")
        #expect(!again.screen.contains(question))
    }

    @Test @LoopActor func whatTheMachineSetsIsTheUsualAnswer() async throws {
        let demo = try StandIn.start()
        defer { demo.stop() }
        try Folder.create(home.path("etc"))
        let machine = "account:\n  api_url: \(demo.apiURL)\n  allow_http_loopback: true\n  token_credential: planning\n"
        try AtomicFile.write(machine, to: home.path("etc/woodshed.yaml"))
        let words = ["--home", home.path]
        let environment = ["WOODSHED_ETC=" + home.path("etc")]
        let first = try TypedProgram("woodshed", ["setup"] + words, environment: environment)
        try await answer(origin + [("Use one of your own instead?", "")], at: first)
        #expect(await first.child.exit() == .code(0))
        #expect(access(home.path("config"), F_OK) != 0, "nothing is needed")

        let second = try TypedProgram("woodshed", ["setup"] + words, environment: environment)
        try await answer(
            origin + [("Use one of your own instead?", "y"), ("Press Enter for \(demo.apiURL), or", "")]
                + token(DemoService.token.revealed),
            at: second)
        try await answer([("Keep these plans ready?", ""), ("Which of them do you play from?", ""), alone], at: second)
        #expect(await second.child.exit() == .code(0))
        #expect(try text("config/woodshed.yaml").contains("\n  #api_url: "))
        let plans = try await Program.run("woodshed", ["sync", "--plan", "next"] + words, environment: environment)
        #expect(plans.exit == .code(0), "\(plans.output)\(plans.messages)")
    }

    @Test @LoopActor func aLeaderChoosesServiceTypes() async throws {
        let demo = try StandIn.start()
        defer { demo.stop() }
        let program = try setup()
        try await answer(
            service(demo.apiURL) + [("Client id: ", DemoService.token.revealed)] + token(DemoService.token.revealed), at: program)
        try await answer([("Keep these plans ready?", "n"), ("Which of them? Numbers", "0"), ("Which of them? Numbers", "1")], at: program)
        try await answer([("Which of them do you play from?", ""), alone], at: program)
        #expect(await program.child.exit() == .code(0))
        let configuration = try text("config/woodshed.yaml")
        #expect(configuration.contains(/\n  service_types: \['?[0-9]+'?\]\n/), "\(configuration)")
    }

    @Test @LoopActor func withoutANetworkTheTokenMayBeKept() async throws {
        let program = try setup()
        // No service listens at these addresses.
        try await answer(origin + [("Which service?", "http://192.0.2.1/services/v2")], at: program)
        try await answer(
            [("everybody on the way could read", "http://127.0.0.1:9/services/v2"), ("other people's marks", "")], at: program)
        try await answer(token("id:secret") + [("go on without asking the service?", "n"), ("is not its address", "")], at: program)
        try await answer(token("id:secret") + [("go on without asking the service?", "y")], at: program)
        #expect(await program.child.exit() == .code(0))
        #expect(program.sees("now keeps everything ready") && program.screen.contains("cannot be reached"), "\(program.screen)")
        #expect(try text("config/account-token") == "id:secret\n")
    }

    @Test @LoopActor func nothingIsReplacedUnasked() async throws {
        try Folder.create(home.path("config"))
        try AtomicFile.write("plans:\n  ahead: 7 days\n", to: home.path("config/woodshed.yaml"))
        let program = try setup()
        try await answer([("Set in it where your plans come from?", "n")], at: program)
        #expect(await program.child.exit() == .code(130))
        #expect(program.sees("Nothing was changed.") && !program.screen.contains("a new token"))
        #expect(try text("config/woodshed.yaml") == "plans:\n  ahead: 7 days\n")

        let again = try setup()
        try await answer([("Set in it where your plans come from?", "")] + service("http://127.0.0.1:9/services/v2"), at: again)
        try await answer(token("id:secret") + [("go on without asking the service?", "y")], at: again)
        #expect(await again.child.exit() == .code(0))
        #expect(try text("config/woodshed.yaml.old") == "plans:\n  ahead: 7 days\n")
        // The existing token can be kept, and former files are renamed, never lost.
        let third = try setup()
        try await answer([("What do you want to set?", "3")] + origin + [("Press Enter for http://127.0.0.1:9/services/v2", "")], at: third)
        try await answer([("There is a token already", ""), ("go on without asking the service?", "y")], at: third)
        #expect(await third.child.exit() == .code(0))
        #expect(try text("config/account-token") == "id:secret\n")
        #expect(try text("config/woodshed.yaml.old") == "plans:\n  ahead: 7 days\n" && rights("config/woodshed.yaml.old.2") == 0o600)
        #expect(access(home.path("config/account-token.old"), F_OK) != 0)

        // The token of one service is not offered for another service.
        let fourth = try setup()
        try await answer(
            [("What do you want to set?", "3")] + origin + [("Which service?", "http://127.0.0.1:8/services/v2"), ("marks", "")], at: fourth
        )
        try await answer(token("other:one") + [("go on without asking the service?", "y")], at: fourth)
        #expect(await fourth.child.exit() == .code(0))
        #expect(try text("config/account-token.old") == "id:secret\n" && rights("config/account-token.old") == 0o600)
        #expect(!fourth.screen.contains("Use that one?"))
    }

    /// Makes a home that was set up at a demo's service, with only the *lead* charts.
    @LoopActor private func setUp(at demo: StandIn, token: String = DemoService.token.revealed) async throws {
        try Folder.create(home.path("config"))
        let settings = """
            account:
              api_url: \(demo.apiURL)
              allow_http_loopback: true
              token_file: \(home.path("config/account-token"))
            charts:
              include: ["*lead*"]
            plans:
              ahead: 70 days

            """
        try AtomicFile.write(settings, to: home.path("config/woodshed.yaml"))
        try AtomicFile.write(token + "\n", to: home.path("config/account-token"), mode: 0o600)
    }

    @Test @LoopActor func aRefusedTokenIsReplacedAndNothingElse() async throws {
        let demo = try StandIn.start()
        defer { demo.stop() }
        try await setUp(at: demo, token: "mistyped:token")
        let before = try text("config/woodshed.yaml")
        for command in ["sync", "doctor"] {
            let refused = try await Program.run("woodshed", [command, "--home", home.path])
            let said = refused.output + refused.messages
            #expect(said.contains("woodshed setup --home \(home.path)") && !said.contains("put it in"), "\(said)")
        }
        let program = try setup()
        try await answer([("What do you want to set?", "4"), ("What do you want to set?", "1"), ("Client id: ", "")], at: program)
        try await answer(token(DemoService.token.revealed), at: program)
        #expect(await program.child.exit() == .code(0))
        #expect(program.sees("open --home \(home.path)' shows the pages"), "\(program.screen)")
        #expect(program.screen.contains("The client id is needed here"), "\(program.screen)")
        #expect(try text("config/woodshed.yaml") == before)
        #expect(try text("config/account-token") == DemoService.token.revealed + "\n" && rights("config/account-token") == 0o600)
        #expect(try text("config/account-token.old") == "mistyped:token\n")
    }

    @Test @LoopActor func otherChartsAreChosenAndNothingElse() async throws {
        let demo = try StandIn.start()
        defer { demo.stop() }
        try await setUp(at: demo)
        let program = try setup()
        try await answer([("What do you want to set?", "2"), ("Keep these plans ready?", "")], at: program)
        try await answer([("[*lead*]: ", ""), ("Keep this choice?", "n"), ("[*lead*]: ", "*")], at: program)
        #expect(await program.child.exit() == .code(0), "\(program.screen)")
        #expect(program.screen.contains("You will see: ") && program.screen.contains("Hidden: "), "\(program.screen)")
        let configuration = try text("config/woodshed.yaml")
        #expect(configuration.contains("\n  #include: []\n") && configuration.contains("\n  ahead: 70 days\n"), "\(configuration)")
        #expect(try text("config/account-token") == DemoService.token.revealed + "\n")
    }

    @Test @LoopActor func allAnewBeginsWithTheFormerAnswersAndAnotherAddressMayBeTyped() async throws {
        let demo = try StandIn.start()
        defer { demo.stop() }
        try await setUp(at: demo)
        let program = try setup()
        try await answer(
            [("What do you want to set?", "3")] + origin + [("Press Enter for \(demo.apiURL), or", demo.apiURL + "/v9")], at: program)
        try await answer([("marks", "")] + token(DemoService.token.revealed), at: program)
        try await answer([("go on without asking", "n"), ("\(demo.apiURL)/v9 is not its address", demo.apiURL)], at: program)
        try await answer([("Keep these plans ready?", ""), ("[*lead*]: ", ""), ("Keep this choice?", ""), alone], at: program)
        #expect(await program.child.exit() == .code(0), "\(program.screen)")
        let configuration = try text("config/woodshed.yaml")
        #expect(configuration.contains("\n  api_url: \(demo.apiURL)\n") && configuration.contains("\n  include: [\"*lead*\"]\n"))
        #expect(configuration.contains("\n  ahead: 70 days\n"), "what was not asked for stays: \(configuration)")
    }

    /// Puts a set with one chart into a folder, beside something that is not used.
    private func provideSets() throws -> String {
        try Folder.create(home.path("Sets/2026-11-29"))
        try AtomicFile.write("%PDF-1.7\n%%EOF\n", to: home.path("Sets/2026-11-29/Grace.pdf"))
        try AtomicFile.write("by hand", to: home.path("Sets/notes.doc"))
        return home.path("Sets")
    }

    @Test @LoopActor func aFolderOfOnesOwnNeedsNoAccount() async throws {
        let sets = try provideSets()
        let program = try setup()
        try await answer([("Where do your plans come from?", "4"), ("A number", "2"), ("Which folder?", "~other")], at: program)
        try await answer([("Which folder?", sets + "/notes.doc"), ("cannot be read as a folder", home.path("new"))], at: program)
        try await answer([("new is not there. Make it?", "n"), ("Which folder?", sets)], at: program)
        #expect(await program.child.exit() == .code(0), "\(program.screen)")
        #expect(program.sees("now keeps everything ready") && !program.screen.contains("oken"), "\(program.screen)")
        #expect(program.screen.contains("In it: 1 set, 1 chart.") && program.screen.contains("not used: \(sets)/notes.doc"))
        #expect(try text("config/woodshed.yaml").contains("\n  folders: [\(sets)]\n"))
        #expect(access(home.path("new"), F_OK) != 0 && access(home.path("config/account-token"), F_OK) != 0)

        // A folder that is not there is made, beside the former one, once all is answered.
        let again = try setup()
        try await answer([("Set in it where your plans come from?", ""), ("A number [2]", "")], at: again)
        try await answer([("Which folder?", home.path("new")), ("Make it?", "")], at: again)
        #expect(await again.child.exit() == .code(0), "\(again.screen)")
        #expect(try text("config/woodshed.yaml").contains("\n  folders: [\(sets), \(home.path("new"))]\n"))
        #expect(try Folder.names(in: home.path("new")) == [])
    }

    @Test @LoopActor func plansMayComeFromBoth() async throws {
        let demo = try StandIn.start()
        defer { demo.stop() }
        let sets = try provideSets()
        let program = try setup()
        try await answer([("Where do your plans come from?", "3"), ("Which folder?", sets)], at: program)
        try await answer(Array(service(demo.apiURL).dropFirst()) + token(DemoService.token.revealed), at: program)
        try await answer([("Keep these plans ready?", ""), ("Which of them do you play from?", ""), alone], at: program)
        #expect(await program.child.exit() == .code(0), "\(program.screen)")
        let configuration = try text("config/woodshed.yaml")
        #expect(configuration.contains("\n  folders: [\(sets)]\n") && configuration.contains("\n  api_url: \(demo.apiURL)\n"))
    }

    @Test @LoopActor func aFolderMayBeNamedWithoutAQuestion() async throws {
        let sets = try provideSets()
        let words = ["--home", home.path]
        let away = try await Program.run("woodshed", ["setup", "--folder", sets + "/away"] + words)
        #expect(away.exit == .code(1) && away.messages.contains("mkdir -p \(sets)/away"), "\(away.messages)")
        #expect(access(home.path("config"), F_OK) != 0)
        for said in ["now keeps everything ready", "is in the configuration already"] {
            let named = try await Program.run("woodshed", ["setup", "--folder", sets] + words)
            #expect(named.exit == .code(0) && named.messages.contains("In it: 1 set, 1 chart."), "\(named.messages)")
            #expect(named.messages.contains(said), "\(named.messages)")
        }
        let check = try await Program.run("woodshed", ["config", "check"] + words)
        #expect(check.exit == .code(0) && check.messages.isEmpty, "\(check.messages)")
        #expect(try text("config/woodshed.yaml").contains("\n  folders: [\(sets)]\n"))
    }

    @Test(arguments: ["sync", "ready", "status", "doctor", "plans"])
    @LoopActor func aHomeWithoutConfigurationLeadsToSetup(command: String) async throws {
        let ending = try await Program.run("woodshed", [command, "--home", home.path])
        #expect((ending.output + ending.messages).contains("woodshed setup --home \(home.path)"), "\(ending.output)\(ending.messages)")
    }

    @Test(arguments: 0...7) @LoopActor func whoeverGoesAwayLeavesEverythingAsItWas(answers: Int) async throws {
        let demo = try StandIn.start()
        defer { demo.stop() }
        let all =
            service(demo.apiURL) + token(DemoService.token.revealed)
            + [("Keep these plans ready?", ""), ("Which of them do you play from?", "*lead*"), ("Keep this choice?", "")]
        let program = try setup()
        try await answer(Array(all[..<answers]), at: program)
        try await waitUntil { program.sees(all[answers].0) }
        program.child.kill(SIGINT)
        #expect(await program.child.exit() == .code(130))
        #expect(program.sees("Nothing was changed."))
        #expect(try Folder.names(in: home.path) == [])
    }

    @Test @LoopActor func whereNobodyCanBeAskedItSaysWhatToDo() async throws {
        let alone = try await Program.run("woodshed", ["setup", "--home", home.path])
        #expect(alone.exit == .code(2) && alone.messages.contains("woodshed config init --home"), "\(alone.messages)")
        let first = try await Program.run("woodshed", [])
        #expect(first.exit == .code(2) && first.messages.contains("woodshed setup") && first.messages.split(separator: "\n").count < 8)
    }
}
