import CommandLine
import Configuration
import Model
import Platform

/// Where a service is, as somebody types it.
@LoopActor
struct SetupAddress {
    private let output: Output

    init(_ output: Output) { self.output = output }

    /// An address that may be used; `nil`, with the reason on the screen, for any other.
    func read(_ text: String) -> WebAddress? {
        do throws(InputProblem) {
            let address = try WebAddress(text)
            if address.scheme == .https || address.isLoopback { return address }
            output.message("With plain http, everybody on the way could read your token. Use an address that begins with https.")
        } catch {
            output.message(error.message.asSentence)
        }
        return nil
    }
}

extension Options.Account {
    /// Asks the service there from now on.
    mutating func use(_ address: WebAddress) {
        apiURL = address.text
        if address.scheme == .http { allowHTTPLoopback = true }
    }
}
