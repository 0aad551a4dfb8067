import CommandLine
import Configuration
import Glibc
import Host
import Library
import Model
import Platform
import Readiness

/// The output of `woodshed` without a command: the next plan, whether it is ready, and how to open it.
@LoopActor
struct Overview {
    let invocation: Invocation
    let context: CommandContext

    func run() async throws -> ExitCode {
        let configuration = try await context.configurationToRead(invocation)
        let paths = configuration.paths
        let files = [paths.configuration, paths.data + "/catalogue.sqlite"]
        guard files.contains(where: { (path: String) in access(path, F_OK) == 0 }) else {
            context.output.message(text: Self.beginning)
            return .usage
        }
        let (next, state) = await brief(configuration)
        context.output.result("Next:   \(next)".printable)
        context.output.result("Ready:  \(state)".printable)
        let way =
            configuration.options.viewer.isEnabled
            ? "'\(woodshed("open next"))' shows it" : "the pages are switched off (viewer.enabled: false)"
        context.output.result("Open:   \(way); '\(woodshed("help"))' lists everything else")
        return .fine
    }

    private func brief(_ configuration: Configuration) async -> (next: String, state: String) {
        do {
            let home = try OpenHome(configuration, for: .reading, context)
            defer { home.close() }
            // Check the images only quickly, without reading all of their bytes, so that the answer is immediate.
            let report = try await home.readiness(
                of: try home.nextPlans(), by: try await home.renderer(), isThorough: false, await AgentAnswer(of: configuration.paths))
            return ReadinessVerdict(report: report, maxAge: ReadinessVerdict.defaultMaxAge, mistake: configuration.mistake).brief
        } catch {
            return ("not known", "no: \(CommandFailure(of: error).message)")
        }
    }

    /// Printed if there is neither a configuration nor a catalogue, as when the program has just been installed.
    private static let beginning = """
        Woodshed keeps your next services ready: plans, charts and marks, every page, offline.

        woodshed demo     shows what it does, without an account
        woodshed setup    asks a few questions, and sets up your own
        woodshed help     lists everything else

        """
}
