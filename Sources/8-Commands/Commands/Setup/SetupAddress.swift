import CommandLine
import Configuration
import Model
import Platform

/// Asks for a service's address.
@LoopActor
struct SetupAddress {
    let output: Output
    let ask: Questions

    /// An address that may be used, with https or on this machine. `nil` if the user presses Enter or types `usual`. For any other
    /// answer, prints why it is rejected, and asks again.
    func read(_ question: String, unless usual: String? = nil) async throws -> WebAddress? {
        while true {
            let answer = try await ask.line(question)
            guard !answer.isEmpty, answer != usual else { return nil }
            do throws(Trouble) {
                let address = try WebAddress(input: answer)
                if address.scheme == "https" || address.isLoopback { return address }
                output.message("With plain http, everybody on the way could read your token. Use an address that begins with https.")
            } catch {
                output.message(error.description.asSentence)
            }
        }
    }
}

extension Options.Account {
    /// Uses this address for the service from now on. If its scheme is http, allows plain http on this machine.
    mutating func use(_ address: WebAddress) {
        apiURL = address.folder
        if address.scheme == "http" { allowHTTPLoopback = true }
    }
}
