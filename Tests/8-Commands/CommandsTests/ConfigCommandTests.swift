import CommandTestSupport
import Glibc
import Platform
import TestSupport
import Testing

@testable import CommandLine
@testable import Commands
@testable import Configuration

@Suite(.onLoop)
struct ConfigCommandTests {
    private func read(_ path: String) throws -> String {
        String(decoding: try AtomicFile.read(path, limit: 1 << 20), as: UTF8.self)
    }

    @Test @LoopActor func initWritesTheSampleOnce() async throws {
        let session = Session()
        let path = session.folder.path("h/config/woodshed.yaml")
        let first = await session.run("config", "init", "--home", session.folder.path("h"))
        #expect(first.code == .fine)
        #expect(first.results == path + "\n")
        #expect(first.messages.contains("Next:"))
        #expect(try read(path) == Options.sampleFile())
        #expect(await session.run("config", "check", "--config", path).code == .fine)

        try AtomicFile.write("log:\n", to: path)
        let second = await session.run("config", "init", "--home", session.folder.path("h"))
        #expect(second.code == .failed)
        #expect(second.messages.contains("--force"))
        #expect(try read(path) == "log:\n")

        let forced = await session.run("config", "init", "--force", "--home", session.folder.path("h"))
        #expect(forced.code == .fine)
        #expect(try read(path) == Options.sampleFile())
        #expect(try read(path + ".old") == "log:\n", "what the user wrote is kept")
        try AtomicFile.write("plans:\n", to: path)
        let again = await session.run("config", "init", "--force", "--home", session.folder.path("h"))
        #expect(again.code == .fine && again.messages.contains("\(path).old.2"), "\(again.messages)")
        #expect(try [read(path + ".old"), read(path + ".old.2")] == ["log:\n", "plans:\n"])
    }

    @Test @LoopActor func initNamesTheUsersFile() async throws {
        let session = Session()
        let ending = await session.run("config", "init")
        #expect(ending.results == session.folder.path("user/.config/woodshed/woodshed.yaml\n"))
    }

    @Test @LoopActor func checkPrintsEveryFault() async throws {
        let session = Session()
        let file = try session.write("render:\n  wrokers: 1\n  full_size: 1\n", to: "w.yaml")
        let ending = await session.run("config", "check", "--config", file)
        #expect(ending.code == .configuration)
        #expect(
            ending.results == """
                \(file):2:3: unknown key 'wrokers'; did you mean 'workers'?
                \(file):3:14: full_size: 1 is out of range: 64 to 20000

                """)
        let json = await session.run("config", "check", "--config", file, "--json")
        #expect(json.code == .configuration)
        #expect(json.results.split(separator: "\n").count == 1)
        #expect(json.results.contains("\"line\":2,\"column\":3,\"message\":\"unknown key 'wrokers'"))
    }

    @Test @LoopActor func checkIsOneLineWhenAllIsWell() async throws {
        let session = Session()
        let token = try session.write("id:geheim\n", to: "token")
        let file = try session.write("account:\n  token_file: \(token)\n", to: "w.yaml")
        let ending = await session.run("config", "check", "--config", file)
        #expect(ending.code == .fine)
        #expect(ending.results == "\(file): no mistakes\n" && ending.messages == "")
        let json = await session.run("config", "check", "--config", file, "--json")
        #expect(json.results == "{\"schema\":1,\"file\":\"\(file)\",\"faults\":[],\"notes\":[]}\n")
        #expect(await session.run("config", "check").results.contains("does not exist, so all options have their defaults"))
    }

    @Test(arguments: [true, false])
    @LoopActor func checkSaysThatNoTokenIsConfigured(isThere: Bool) async throws {
        let session = Session()
        if isThere { _ = try session.write("render:\n  workers: 1\n", to: "user/.config/woodshed/woodshed.yaml") }
        let remedy = "'woodshed setup' asks for one"
        let ending = await session.run("config", "check")
        #expect(ending.code == .fine, "nothing that is written is wrong")
        #expect(ending.results.hasSuffix(", but 1 warning\n"), "\(ending.results)")
        #expect(ending.messages.contains("no token is configured, so nothing can be synced; ") && ending.messages.contains(remedy))
        let json = await session.run("config", "check", "--json")
        #expect(json.results.contains("\"message\":\"no token is configured"), "\(json.results)")
        #expect(await session.run("config", "check", "--account-token-command", "pass show woodshed").messages == "")
    }

    @Test @LoopActor func withFoldersOfSetsNoTokenIsMissedButAFolderIs() async throws {
        let session = Session()
        let folder = session.folder.path("Sets")
        let file = try session.write("plans:\n  folders: [\(folder)]\n", to: "w.yaml")
        let away = await session.run("config", "check", "--config", file)
        #expect(away.code == .fine && away.messages.contains(": plans.folders: \(folder) is not there"), "\(away)")
        #expect(!away.messages.contains("token"), "\(away.messages)")
        try Folder.create(folder)
        let there = await session.run("config", "check", "--config", file)
        #expect(there.code == .fine && there.messages == "", "\(there.messages)")
    }

    @Test @LoopActor func checkLooksAtTheTokenFile() async throws {
        let session = Session()
        let token = try session.write("id:geheim\n", to: "token", mode: 0o640)
        let file = try session.write("account:\n  token_file: \(token)\n", to: "w.yaml")
        let ending = await session.run("config", "check", "--config", file)
        #expect(ending.code == .configuration)
        #expect(
            ending.results
                == "\(file):2:15: token_file: no token: \(token) must have mode 0600, so that only you can read it; run: chmod 600 \(token)\n"
        )
        chmod(token, 0o600)
        #expect(await session.run("config", "check", "--config", file).code == .fine)
    }

    @Test @LoopActor func checkLooksAtTheViewersTokenFile() async throws {
        let session = Session()
        let token = try session.write("geheim-geheim-1\n", to: "viewer", mode: 0o644)
        let account = try session.write("id\n", to: "token")
        let text = "account:\n  token_file: \(account)\nviewer:\n  listen: 192.168.1.5\n  token_file: \(token)\n"
        let file = try session.write(text, to: "w.yaml")
        func faults() async -> [String] {
            let ending = await session.run("config", "check", "--config", file)
            #expect(ending.code == .configuration && !(ending.results + ending.messages).contains("geheim"))
            return ending.results.split(separator: "\n").map { String($0.dropFirst(file.count)) }
        }
        let other = ":2:15: token_file: no token: \(account) must contain app_id:secret, with a colon in between"
        #expect(
            await faults() == [
                other,
                ":5:15: viewer.token_file: no token: \(token) must have mode 0600, so that only you can read it; run: chmod 600 \(token)",
            ])
        chmod(token, 0o600)
        let advice = "for a good one, run: head -c 15 /dev/urandom | base64 > \(token)"
        for (text, weakness) in [
            ("geheim-geheim-1", "is too short; 16 characters is the minimum"), ("geheim-geheim-geheim-", "only repeats itself"),
            ("geheimgeheimgeh", "is too short; 16 characters is the minimum"), ("aaaaaaaaaaaaaaaaaa", "only repeats itself"),
            ("aabbaabbccddccdd11", "has fewer than 8 different characters"),
            ("abcdefghijklmnopqrst", "mostly follows the alphabet or the keys, or counts"),
        ] {
            try AtomicFile.write(text + "\n", to: token)
            let found = await session.run("config", "check", "--config", file).results
            #expect(found.contains(":5:15: viewer.token_file: the token in \(token) \(weakness); \(advice)\n"), "\(found)")
        }
        try AtomicFile.write("geheim-geheim-1\n", to: token)
        // An agent does not start with a token that is too short, either.
        let agent = await session.run("agent", "--config", file)
        #expect(agent.code == .configuration && agent.messages.contains("\(file):5:15: viewer.token_file: the token"))
        try AtomicFile.write("two words of a token\n", to: token)
        #expect(await faults().last?.contains("must contain one line of a token, without spaces") == true)
        try AtomicFile.write("geheim-geheim-16\n", to: token)
        #expect(await faults() == [other])
        let shown = await session.run("config", "show", "--config", file)
        #expect(shown.results.contains(token) && shown.results.contains("192.168.1.5") && !shown.results.contains("geheim"))
        // A viewer for this machine alone needs no token.
        chmod(token, 0o644)
        let here = await session.run("config", "check", "--config", file, "--viewer-listen", "127.0.0.1")
        #expect(here.results == file + other + "\n")
    }

    @Test @LoopActor func showTellsWhereValuesComeFrom() async throws {
        let session = Session(["WOODSHED_LOG_LEVEL": "debug"])
        let file = try session.write("plans:\n  ahead: 2 w\n", to: "w.yaml")
        let ending = await session.run("config", "show", "--config", file, "--render-workers=2")
        #expect(ending.code == .fine)
        let rows = ending.results.split(separator: "\n").map {
            $0.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
        }
        #expect(rows.contains("plans.ahead 14 days \(file):2"))
        #expect(rows.contains("log.level debug environment WOODSHED_LOG_LEVEL"))
        #expect(rows.contains("render.workers 2 flag --render-workers"))
        #expect(rows.contains("render.full_size 2732 default"))
        #expect(rows.contains("configuration \(file)"))
        #expect(rows.contains("music \(session.folder.path("user/Music/Woodshed"))"))
        for setting in Options.settings { #expect(rows.contains { $0.hasPrefix(setting.key + " ") }) }
    }

    @Test @LoopActor func showTellsThatTheMusicFolderIsNotTodays() async throws {
        let session = Session(["XDG_MUSIC_DIR": "/media/music"])
        #expect(await session.run("config", "show").messages.isEmpty)
        _ = try session.write("~/Musik/Woodshed\n", to: "user/.local/share/woodshed/music-folder")
        let shown = await session.run("config", "show")
        let kept = session.folder.path("user/Musik/Woodshed")
        #expect(shown.results.contains(kept))
        #expect(shown.messages.contains("stay in \(kept), which was chosen first; today that would be /media/music/Woodshed."))
    }

    @Test @LoopActor func showNeverTellsASecret() async throws {
        let session = Session()
        let file = try session.write("account:\n  token_command: echo id:geheim\n", to: "w.yaml")
        for words in [["config", "show"], ["config", "show", "--json"], ["config", "check"], ["config", "check", "--json"]] {
            let ending = await session.run(words[0], words[1], "--config", file, words.count > 2 ? words[2] : "--log-level=debug")
            #expect(ending.code == .fine)
            #expect(!ending.results.contains("geheim"))
            #expect(!ending.messages.contains("geheim"))
        }
        let shown = await session.run("config", "show", "--json", "--config", file)
        #expect(shown.results.contains("\"account.token_command\":{\"value\":\"(not shown)\",\"from\":\"\(file):2\"}"))
    }

    @Test @LoopActor func showRefusesAFaultyFile() async throws {
        let session = Session()
        let file = try session.write("nonsense\n", to: "w.yaml")
        let ending = await session.run("config", "show", "--config", file)
        #expect(ending.code == .configuration)
        #expect(ending.results.isEmpty)
        #expect(ending.messages.hasPrefix("woodshed: the configuration has mistakes\n\(file):1:1: "))
    }
}
