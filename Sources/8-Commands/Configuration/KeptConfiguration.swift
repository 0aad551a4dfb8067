package import Platform

/// What the configuration files said when they last had no mistakes, in a file beside the library: an agent that starts after somebody
/// made a mistake goes on with it, as one that runs does. Without it, that agent would have to ask a default address with the token, draw
/// in a default size, or not start at all.
enum KeptConfiguration {
    static func path(in data: String) -> String { data + "/kept-configuration.yaml" }

    /// Nil if there is none, or if others may have written it: what it says may be a command to run.
    static func read(_ path: String) -> [UInt8]? {
        do throws(SystemError) {
            let file = try Descriptor.openFile(path)
            guard try Writers.remedy(file.number, at: path) == nil else { return nil }
            return try file.readAll(limit: Configuration.greatestSize, path: path)
        } catch {
            return nil
        }
    }
}

extension Configuration {
    /// Keeps what the files say for `kept`, in place of what they said before.
    package func keep() throws(SystemError) {
        guard let text = written?.file() else { return }
        let path = KeptConfiguration.path(in: paths.data)
        guard KeptConfiguration.read(path) != Array(text.utf8) else { return }
        try AtomicFile.write(text, to: path)
    }
}
