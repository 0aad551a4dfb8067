import CommandLine
import Model
import Platform

@testable import Configuration

/// Configurations: a user's own file, which may have mistakes, and the same bytes as imported from an archive.
enum Settings {
    static func take(_ bytes: [UInt8]) {
        let layer = read(bytes)
        for fault in layer.faults {
            precondition(!fault.message.isEmpty && fault.description.unicodeScalars.allSatisfy { $0.value >= 32 })
            guard case .file(_, let line, let column) = fault.origin else { continue }
            precondition(line > 0 && column > 0)
        }
        guard layer.faults.isEmpty, layer.notes.isEmpty else { return }
        let (options, _) = Configuration.combined([layer])
        // Settings that were understood keep their meaning when they are written and read again.
        let written = read(Array(options.file().utf8))
        precondition(written.faults.isEmpty && Configuration.combined([written]).options.file() == options.file())
        guard let taken = try? Configuration.imported(bytes, called: "x", home: home) else { preconditionFailure() }
        let kept = read(Array(taken.file.utf8))
        precondition(kept.faults.isEmpty && kept.values.keys.allSatisfy { !taken.offered.contains($0) })
        precondition(kept.values.keys.allSatisfy { !$0.hasPrefix("viewer.") && !$0.hasPrefix("folders.") && !$0.contains("token") })
    }

    private static let home = "/home/x"

    private static func read(_ bytes: [UInt8]) -> ConfigurationLayer {
        ConfigurationLayer(file: bytes, path: "x", base: PathBase(home: home, folder: nil))
    }
}
