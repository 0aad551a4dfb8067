import Platform

/// The host name in the viewer's addresses, such as `woodshed-2f….localhost`, which browsers resolve to this machine themselves.
///
/// Browsers send a cookie to every port of a host, so a cookie for 127.0.0.1 would also go to ports where other users of this
/// machine listen; a name that cannot be guessed prevents that. Browsers store data under the name, so it only changes if the pages
/// have to move to another port: bookmarks and open tabs still use the old port, where another program listens now.
struct ViewerHostname: Sendable {
    private let label: String
    /// The port that belongs to the name; `nil` if none was chosen.
    let port: UInt16?
    var host: String { label + ".localhost" }

    /// Reads the name from a folder, or creates one and stores it there.
    init(folder: String) throws(SystemError) {
        let kept = (try? AtomicFile.read(Self.path(in: folder), limit: 256)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let lines = kept.split(separator: "\n", omittingEmptySubsequences: false)
        if let label = lines.first, label.wholeMatch(of: /woodshed-[0-9a-f]{24}/) != nil {
            self.init(label: String(label), port: lines.count > 1 ? UInt16(lines[1]) : nil)
            return
        }
        self.init(port: nil)
        try Folder.create(folder)
        try keep(in: folder)
    }

    private init(label: String = "woodshed-" + Secret.random().revealed.prefix(24), port: UInt16?) {
        (self.label, self.port) = (label, port)
    }

    /// This name if it belongs to this port or to no port yet, otherwise a new name. The result belongs to this port.
    func going(with port: UInt16) -> ViewerHostname {
        self.port == nil ? ViewerHostname(label: label, port: port) : self.port == port ? self : ViewerHostname(port: port)
    }

    /// Stores the name, with its port on the second line.
    func keep(in folder: String) throws(SystemError) {
        try AtomicFile.write(label + "\n" + (port.map { "\($0)\n" } ?? ""), to: Self.path(in: folder), mode: 0o600)
    }

    private static func path(in folder: String) -> String { folder + "/viewer-name" }
}
