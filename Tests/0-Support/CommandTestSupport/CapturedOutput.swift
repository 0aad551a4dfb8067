package import CommandLine
import Glibc
import Platform
import TestSupport

/// An `Output` whose two streams go to files, with a simulated terminal.
package final class CapturedOutput: Sendable {
    package let output: Output
    private let folder = TemporaryFolder()
    private let descriptors: [Int32]

    package init(terminal: Terminal = Terminal(showsResults: false, showsMessages: false)) {
        descriptors = ["results", "messages"].map { [folder] in
            open(folder.path($0), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        }
        output = Output(terminal: terminal, results: descriptors[0], messages: descriptors[1])
    }

    deinit {
        for descriptor in descriptors { close(descriptor) }
    }

    package var results: String { text("results") }
    package var messages: String { text("messages") }

    private func text(_ name: String) -> String {
        String(decoding: (try? AtomicFile.read(folder.path(name), limit: 1 << 20)) ?? [], as: UTF8.self)
    }
}
