import Glibc
import Platform

/// A program that watches a folder and everything in it.
enum WatchPeer: String, CaseIterable, Sendable {
    case inotifywait
    case watchman

    /// Its path in one of the usual folders, if it is installed.
    var program: String? { ["/usr/bin/", "/bin/", "/usr/local/bin/"].map { $0 + rawValue }.first { access($0, X_OK) == 0 } }

    /// How long it takes until its watches are set up, in milliseconds.
    @LoopActor
    func startUp(on folder: String) async throws -> Double {
        guard let program else { throw BenchmarkFailure("\(rawValue) is not installed") }
        return switch self {
        case .inotifywait: try await Self.inotifywait(program, folder)
        case .watchman: try await Self.watchman(program, folder)
        }
    }

    /// From the start of the process until it reports that the watches are established.
    @LoopActor
    private static func inotifywait(_ program: String, _ folder: String) async throws -> Double {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw SystemError("make a pipe") }
        let output = Descriptor(owning: ends[0])
        let input = Descriptor(owning: ends[1])
        let null = try Descriptor.open("/dev/null", O_RDWR)
        let start = ProcessFigures.wallMilliseconds
        let child = try Child.start(
            program, arguments: ["-m", "-r", folder], environment: ["PATH=/usr/bin:/bin"],
            descriptors: [null.number, null.number, input.number])
        let number = output.number
        let standing = await SideThread().run { () -> Double? in
            var text: [UInt8] = []
            var piece = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = read(number, &piece, piece.count)
                guard count > 0 else { return nil }
                text += piece[..<count]
                if String(decoding: text, as: UTF8.self).contains("established") { return ProcessFigures.wallMilliseconds }
            }
        }
        child.kill(SIGTERM)
        _ = await child.exit()
        guard let standing else { throw BenchmarkFailure("inotifywait did not say that its watches are established") }
        return standing - start
    }

    /// With the server already running, from the watch command until the answer to a first query, which waits for the crawl.
    @LoopActor
    private static func watchman(_ program: String, _ folder: String) async throws -> Double {
        let scratch = try ScratchFolder()
        defer { scratch.remove() }
        let place = scratch.path
        let null = try Descriptor.open("/dev/null", O_RDWR)
        let server = try Child.start(
            program,
            arguments: [
                "--foreground", "--no-save-state", "--sockname=\(place)/socket", "--logfile=\(place)/log", "--pidfile=\(place)/pid",
            ], environment: ["PATH=/usr/bin:/bin", "HOME=\(place)"], descriptors: [null.number, null.number, null.number])
        let ask = "\(program) --no-spawn --sockname='\(place)/socket'"
        do {
            _ = try await Shell.run("for i in $(seq 500); do \(ask) get-pid 2>&1 && exit 0; sleep 0.02; done; exit 1")
            let time = try await Shell.run("\(ask) watch '\(folder)' && \(ask) since '\(folder)' c:1:1 '*.none'")
            server.kill(SIGTERM)
            _ = await server.exit()
            return time
        } catch {
            server.kill(SIGKILL)
            _ = await server.exit()
            throw error
        }
    }
}
