@preconcurrency import Glibc

/// The environment variables of this process, or made-up ones in a test.
package struct Environment: Sendable, ExpressibleByDictionaryLiteral {
    package let variables: [String: String]
    /// Where the settings for everybody on this machine are: WOODSHED_ETC, or the usual place; a made-up environment has only the former.
    package let machineFolder: String?

    package init(_ variables: [String: String], machineFolder: String? = nil) {
        self.variables = variables
        let named = variables[Self.machineVariable].flatMap { $0.hasPrefix("/") ? $0 : nil }
        self.machineFolder = named ?? machineFolder
    }

    package static let machineVariable = "WOODSHED_ETC"

    package init(dictionaryLiteral elements: (String, String)...) {
        self.init(Dictionary(elements) { _, last in last })
    }

    /// The environment of this process.
    package static func ofProcess() -> Environment {
        var variables: [String: String] = [:]
        var place = environ
        while let entry = place.pointee {
            let parts = String(cString: entry).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
            place += 1
        }
        return Environment(variables, machineFolder: "/etc/woodshed")
    }

    /// The value of a variable; an empty one counts as not set.
    package subscript(_ name: String) -> String? {
        variables[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The value of a variable that names a folder; relative paths are ignored, as the XDG base directory specification demands.
    package func folder(_ name: String) -> String? {
        self[name].flatMap { $0.hasPrefix("/") ? $0 : nil }
    }

    /// The user's home folder.
    package var home: String {
        if let home = folder("HOME") { return home }
        guard let user = getpwuid(getuid()), let home = user.pointee.pw_dir else { return "/" }
        return String(cString: home)
    }

    /// The path of a program, looked up in the user's PATH.
    package func program(_ name: String) -> String? {
        (self["PATH"] ?? "").split(separator: ":").map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
    }

    /// The variables in the form that a child process is given.
    package var entries: [String] { variables.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" } }
}
