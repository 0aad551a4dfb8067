import CShims
package import CommandLine
import Glibc
import JSON
import Model
package import Platform

/// Collects the output of a command that an agent runs for another process.
package final class SpokenOutput: Sendable {
    /// The output that the command prints to.
    package let output: Output
    private let results: Descriptor
    private let messages: Descriptor

    package init() throws(SystemError) {
        results = try Self.memory("results")
        messages = try Self.memory("messages")
        output = Output(
            terminal: Terminal(showsResults: false, showsMessages: false), results: results.number, messages: messages.number)
    }

    /// The collected output, with the exit code.
    package func answer(_ code: ExitCode) throws(SystemError) -> CommandAnswer {
        CommandAnswer(code: code.rawValue, results: try Self.text(results), messages: try Self.text(messages))
    }

    private static func memory(_ name: String) throws(SystemError) -> Descriptor {
        let number = woodshed_memory_file(name)
        guard number >= 0 else { throw SystemError("make a file in memory") }
        return Descriptor(owning: number)
    }

    private static func text(_ file: borrowing Descriptor) throws(SystemError) -> String {
        lseek(file.number, 0, SEEK_SET)
        return String(decoding: try file.readAll(limit: 16 << 20), as: UTF8.self)
    }
}

/// The output of a command that an agent ran.
package struct CommandAnswer: Decodable, Equatable, Sendable {
    package let code: Int32
    package let results: String
    package let messages: String

    package var json: [UInt8] {
        let answer: JSONText = ["code": .integer(Int(code)), "results": .text(results), "messages": .text(messages)]
        return answer.bytes(forBrowsers: false)
    }

    package init(code: Int32, results: String, messages: String) { (self.code, self.results, self.messages) = (code, results, messages) }

    package init(json: [UInt8]) throws(CommandFailure) {
        do {
            self = try JSONReader.decode(Self.self, from: json)
        } catch {
            throw CommandFailure(.failed, "the running agent's answer was not understood; it may be a different version: restart it")
        }
    }

    /// Prints the command's output here, and returns its exit code.
    package func print(on output: Output) -> ExitCode {
        output.message(text: messages)
        output.result(asItIs: results)
        return ExitCode(rawValue: code) ?? .failed
    }
}
