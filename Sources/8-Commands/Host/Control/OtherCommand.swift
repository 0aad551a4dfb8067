import Catalogue
package import CommandLine
package import Configuration
import Model
package import Platform

/// Another command that has exclusive use of the library or its cache. Unlike an agent, it ends by itself, so this command waits.
@LoopActor
package final class OtherCommand {
    private let paths: Paths
    private let context: CommandContext
    private var hasPrinted = false

    package init(_ paths: Paths, _ context: CommandContext) { (self.paths, self.context) = (paths, context) }

    /// How often to check whether the other command has ended.
    private static let rhythm: Duration = .milliseconds(200)

    /// Does `work` as soon as no other command blocks it. Returns nil if `isOver` becomes true first. Throws the error of `work`
    /// if an agent is running, or if `work` fails for another reason.
    package func awaited<Result>(
        unless isOver: @LoopActor () -> Bool = { false }, _ work: @LoopActor () async throws -> Result
    ) async throws -> Result? {
        while !isOver() {
            do {
                return try await work()
            } catch {
                // The lock's holder may also be an agent that has not opened its socket yet. A later attempt then fails.
                guard CommandFailure(of: error).isPassing else { throw error }
                print()
                try? await context.clock.sleep(for: Self.rhythm)
            }
        }
        return nil
    }

    private func print() {
        guard !hasPrinted else { return }
        hasPrinted = true
        guard let (process, since) = AgentLock.holder(ofLibraryIn: paths.data, orCache: paths.cache) else {
            return context.output.message("Waiting for another program that is at work here…")
        }
        let name = Self.command(of: process).map { "'\($0)'" } ?? "another program"
        let time = LocalTime.minute(nanosecondsSinceEpoch: since.nanoseconds)
        context.output.message("Waiting for \(name) (process \(process)), which has been at work here since \(time)…".printable)
    }

    /// The command line of a process of ours, up to its first option; nil for other programs.
    private static func command(of process: Int32) -> String? {
        guard let bytes = try? AtomicFile.read("/proc/\(process)/cmdline", limit: 1 << 16) else { return nil }
        let words = bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
        guard words.first?.split(separator: "/").last == "woodshed" else { return nil }
        return (["woodshed"] + words.dropFirst().prefix { !$0.hasPrefix("-") }).joined(separator: " ")
    }
}
