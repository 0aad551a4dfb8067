import Agent
import Catalogue
import CommandLine
import Configuration
import Host
import Library
import Model
import Platform

/// Restores a backup of the catalogue, as `woodshed doctor --restore` asks for.
enum CatalogueRestore {
    /// `wanted` is a backup's number, or "newest".
    static func run(_ wanted: String, _ paths: Paths, _ output: Output) throws(CommandFailure) -> ExitCode {
        let lock: AgentLock
        do {
            lock = try AgentLock.take(in: paths.data)
        } catch {
            throw CommandFailure(of: error)
        }
        defer { withExtendedLifetime(lock) {} }
        do {
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
        } catch {
            throw CommandFailure(of: error)
        }
    }
}
