import CommandTestSupport
import Configuration
import Glibc
import Platform
import TestSupport
import Testing

@testable import CommandLine
@testable import Commands
@testable import Host

@Suite(.onLoop)
struct WoodshedTests {
    @Test @LoopActor func usageMistakeIsTold() async {
        let ending = await Session().run("config", "shwo")
        #expect(ending.code == .usage)
        #expect(ending.results.isEmpty)
        #expect(
            ending.messages
                == "woodshed: unknown command 'shwo'; did you mean 'show'?\nRun 'woodshed config --help' for help.\n")
    }

    @Test @LoopActor func bareNameSaysHowToBegin() async {
        let session = Session()
        let first = await session.run()
        #expect(first.code == .usage && first.messages.contains("woodshed setup") && first.results.isEmpty)
        _ = await session.run("config", "init")
        let ending = await session.run()
        #expect(ending.code == .fine && ending.messages.isEmpty)
        #expect(ending.results.split(separator: "\n").count == 3 && ending.results.contains("woodshed setup"), "\(ending.results)")
    }

    @Test @LoopActor func pagesEndWithWhatTheProgramKnowsBest() async {
        let session = Session()
        let settings = await session.run("help", "settings").results
        for setting in Options.settings { #expect(settings.contains("  \(setting.line)"), "\(setting.key)") }
        let fields = await session.run("help", "json").results
        #expect(fields.contains("woodshed ready --json, schema") && fields.contains("woodshed config show --json, schema"))
    }

    @Test @LoopActor func helpAndVersionAreResults() async {
        let session = Session()
        let help = await session.run("config", "show", "--help")
        #expect(help.code == .fine)
        #expect(help.results.contains("Usage: woodshed config show"))
        let version = await session.run("--version")
        #expect(version.results == "woodshed \(Release.version)\n")
        #expect(await session.run("-V").results == version.results)
        #expect(await session.run("version").results == version.results)
        #expect(help.results.hasPrefix("Usage: "))
        for shell in ["bash", "zsh", "fish"] {
            let (script, installed) = (await session.run("completion", shell), await session.run("help", "--form", shell))
            #expect(script.code == .fine && script.results == installed.results && !script.results.isEmpty)
        }
        #expect(await session.run("config", "show", "-V").results == version.results)
        let other = await session.run("help", "config", "show")
        #expect(other.results == help.results)
        #expect(await session.run("help", "nonsense").code == .usage)
    }

    @Test func programEndsWithItsCommandsCode() async throws {
        let fine = try #require(
            await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent, \.standardErrorContent]) {
                Woodshed.main(["config", "show", "--json", "--home", "/nonexistent"])
            })
        #expect(String(decoding: fine.standardOutputContent, as: UTF8.self).contains("\"music\":\"/nonexistent/music\"}}\n"))
        let faulty = try #require(
            await #expect(processExitsWith: .exitCode(4), observing: [\.standardErrorContent]) {
                Woodshed.main(["config", "show", "--config", "/nonexistent/file.yaml"])
            })
        #expect(String(decoding: faulty.standardErrorContent, as: UTF8.self).contains("flag --config: /nonexistent/file.yaml is not there"))
        await #expect(processExitsWith: .exitCode(2)) { Woodshed.main(["nonsense"]) }
        await #expect(processExitsWith: .exitCode(0)) { Woodshed.main(["--version"]) }
    }

    @Test func aResultThatDidNotReachItsFileIsAFailure() throws {
        let full = open("/dev/full", O_WRONLY)
        try #require(full >= 0)
        defer { close(full) }
        let messages = CapturedOutput()
        let output = Output(terminal: messages.output.terminal, results: full, messages: full)
        #expect(Woodshed.ending(.fine, output) == .fine)
        output.result("lost")
        #expect(Woodshed.ending(.fine, output) == .failed)
        #expect(Woodshed.ending(.notReady, output) == .notReady)
    }
}
