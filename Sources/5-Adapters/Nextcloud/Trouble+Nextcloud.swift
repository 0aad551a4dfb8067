import Model

/// Why a log-in at a Nextcloud with a browser failed.
extension Trouble {
    static let noAddress = Trouble(
        "that is no server's address; it looks like https://cloud.example, without a user name, and only with ASCII characters")

    /// The server at that address does not offer this log-in; most likely it is no Nextcloud.
    static func noSuchFlow(server: String, _ answer: String) -> Trouble {
        Trouble(
            .unknown,
            "\(server) lets nobody log in with a browser as a Nextcloud does (\(answer)): if it is a Nextcloud, check its address; if not, "
                + "give the user name and password that it wants")
    }

    /// The server does not answer for now, or has a fault of its own.
    static func unavailable(server: String, _ why: String) -> Trouble {
        Trouble("\(server) cannot be asked for now (\(why)); try again later")
    }

    /// The server names another address as its own. Secrets go only to the address that the musician gave.
    static func namesAnother(server: String, other: String, wasGranted: Bool) -> Trouble {
        let isInsecure = server.hasPrefix("https:") && other == server.replacing("https:", with: "http:", maxReplacements: 1)
        let remedy =
            isInsecure
            ? "whoever runs it has to set 'overwriteprotocol' to 'https' there"
            : "if that is the same server, use that address; if not, somebody is between you and your server"
        let rest = wasGranted ? ". Remove this program there from the list of devices, since it has not kept the password" : ""
        return Trouble("\(server) calls itself \(other), and a password is sent nowhere but where you said: \(remedy)\(rest)")
    }

    /// The server's answer is not what the log-in requires.
    static func notUnderstood(server: String, _ why: String) -> Trouble {
        Trouble(
            "what \(server) answered to the log-in cannot be used (\(why)); try again, and if that continues, tell whoever runs that server"
        )
    }

    /// Nobody logged in within the time allowed. `trouble` is the last failure of a request meanwhile, if any.
    static func ranOut(server: String, _ trouble: String?) -> Trouble {
        Trouble(
            "nobody has logged in at \(server) within 20 minutes\(trouble.map { " (when it was asked: \($0))" } ?? ""); try again. "
                + "If the browser said that all is done, remove this program there from the list of devices first")
    }

    static let cancelled = Trouble("cancelled")
}
