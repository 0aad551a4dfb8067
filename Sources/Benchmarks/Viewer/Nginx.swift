import Glibc
import Platform

/// nginx with a configuration of its own, serving one folder.
enum Nginx {
    static let program = "/usr/sbin/nginx"

    static var isInstalled: Bool { access(program, X_OK) == 0 }

    /// Starts it with its own files in `place`, and waits until it answers.
    @LoopActor
    static func start(serving folder: String, port: UInt16, place: String) async throws -> RunningProgram {
        try Folder.create(place)
        // Otherwise its workers would give up the right to read files that only we may read.
        let user = geteuid() == 0 ? "user root;" : ""
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \(place)/\($0);" }
        try AtomicFile.write(
            """
            daemon off; \(user) worker_processes 1; pid \(place)/pid; error_log \(place)/errors;
            events { worker_connections 64; }
            http {
              access_log off; sendfile on; tcp_nopush on; keepalive_timeout 600; keepalive_requests 1000000000;
              default_type image/png; \(temporary.joined(separator: " "))
              server { listen 127.0.0.1:\(port); root \(folder); }
            }

            """, to: place + "/nginx.conf")
        let running = try RunningProgram(
            program, ["-c", place + "/nginx.conf", "-p", place, "-e", place + "/errors"], log: place + "/log")
        let clock = SystemClock()
        let end = clock.now + .seconds(10)
        while (try? WebConnection(port: port)) == nil {
            guard clock.now < end else { throw BenchmarkFailure("nginx does not answer") }
            try await clock.sleep(for: .milliseconds(20))
        }
        return running
    }
}
