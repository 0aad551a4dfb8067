import Glibc
import Platform

/// Syncthing, kept off the network, watching one folder.
enum Syncthing {
    static let program = "/usr/bin/syncthing"

    static var isInstalled: Bool { access(program, X_OK) == 0 }

    /// Starts it with its own files in `place`, and waits until it has read everything in `folder`.
    @LoopActor
    static func start(watching folder: String, place: String) async throws -> RunningProgram {
        try Folder.create(place)
        let home = place + "/syncthing"
        let generate = "generate --home='\(home)' --no-default-folder --skip-port-probing"
        _ = try await Shell.run("HOME='\(place)' \(program) \(generate) >/dev/null 2>&1")
        let path = home + "/config.xml"
        var text = String(decoding: try AtomicFile.read(path, limit: 1 << 20), as: UTF8.self)
        let sociable = [
            "globalAnnounceEnabled", "localAnnounceEnabled", "relaysEnabled", "natEnabled", "crashReportingEnabled", "startBrowser",
        ]
        for option in sociable {
            text.replaceAll("<\(option)>true<", with: "<\(option)>false<")
        }
        text.replaceAll("<urAccepted>0<", with: "<urAccepted>-1<")
        text.replaceAll("<listenAddress>default<", with: "<listenAddress>tcp://127.0.0.1:0<")
        let watched =
            #"<folder id="pages" path="\#(folder)" type="sendreceive" rescanIntervalS="3600" fsWatcherEnabled="true" fsWatcherDelayS="10"/>"#
        text.replaceAll("</configuration>", with: watched + "</configuration>")
        try AtomicFile.write(text, to: path)
        let running = try RunningProgram(
            program, ["serve", "--home=\(home)", "--no-browser", "--no-upgrade", "--no-restart", "--gui-address=unix://\(place)/gui"],
            environment: ["HOME=\(place)", "STNOUPGRADE=1"], log: place + "/log")
        try await running.says("Completed initial scan of sendreceive folder", within: .seconds(300))
        return running
    }
}

extension String {
    fileprivate mutating func replaceAll(_ old: String, with new: String) {
        var result = ""
        var rest = self[...]
        while let range = rest.firstRange(of: old) {
            result += rest[..<range.lowerBound] + new
            rest = rest[range.upperBound...]
        }
        self = result + rest
    }
}
