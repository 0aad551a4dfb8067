import CommandLine
import Configuration
import Glibc
import Host
import Model
import Platform
import Sets

/// Asks whether the plans come from a service or a folder of the musician's own, and for that folder.
@LoopActor
struct SetupFolder {
    let context: CommandContext
    let ask: Questions

    /// Where plans come from, by the number that is typed.
    enum Origin: String { case service = "1", folder = "2", both = "3" }

    private var output: Output { context.output }
    private static let usualFolder = "~/Music/Sets"
    /// Nobody reads more of what is not used here; `woodshed plans` lists it.
    private static let mostNamed = 3

    /// What is configured now is the usual answer.
    func origin(insteadOf options: Options) async throws -> Origin {
        let usual: Origin =
            options.plans.folders.isEmpty ? .service : SecretSource(options.account) == nil ? .folder : .both
        output.message("Where do your plans come from?\n  1  Planning Center, or another service\n  2  a folder of your own\n  3  both")
        while true {
            if let origin = Origin(rawValue: try await ask.line("A number", usual: usual.rawValue)) { return origin }
        }
    }

    /// The folders with the one that is chosen, which is to be made if it is `new`. Nothing is made here.
    func folders(besides former: [String]) async throws -> (all: [String], new: String?) {
        let base = PathBase(home: context.environment.home, folder: PathBase.currentFolder)
        while true {
            let typed = try await ask.line(
                "Which folder? In it, a folder or a text file that is named after a date is a plan", usual: former.first ?? Self.usualFolder
            )
            let path: String
            do throws(Trouble) {
                guard case .text(let text) = try InputType.path.parse(typed, base: base) else { continue }
                path = text
            } catch {
                output.message(error.description.asSentence.printable)
                continue
            }
            let all = former.contains(path) ? former : former + [path]
            guard access(path, F_OK) == 0 else {
                guard try await ask.isYes("\(path.printable) is not there. Make it?", usual: true) else { continue }
                return (all, path)
            }
            do throws(CommandFailure) {
                print(try await look(into: path))
                return (all, nil)
            } catch {
                output.message(error.message.asSentence.printable)
            }
        }
    }

    /// What is in a folder. Throws if nothing in it can be used because it is no folder, or cannot be read.
    func look(into path: String) async throws(CommandFailure) -> SetsHere {
        guard let here = await SetsHere.read([path], by: context.clock)?.first else {
            throw CommandFailure(.failed, "\(path) does not answer in time; its disk or network may be away, or it has too many files")
        }
        guard here.isThere else { throw CommandFailure(.failed, "\(path) is not there; make it first: mkdir -p \(path.shellQuoted)") }
        if let trouble = here.trouble { throw CommandFailure(.failed, "\(path) cannot be read as a folder: \(trouble)") }
        return here
    }

    func print(_ here: SetsHere) {
        output.message("In it: \(here.counted).")
        for other in here.others.prefix(Self.mostNamed) {
            output.message("  not used: \(other.path) (\(other.reason))".printable)
        }
        if here.others.count > Self.mostNamed {
            output.message("  and \(here.others.count - Self.mostNamed) more, which '\(woodshed("plans"))' lists")
        }
        if here.sets == 0 {
            output.message("Name a folder or a text file in it after a date, as in 2026-11-29; '\(woodshed("help sets"))' says more.")
        }
    }
}
