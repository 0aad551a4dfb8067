import Glibc
import Platform
import Testing

/// The real Xournal++, without a user.
public enum XournalProgram {
    /// The path of Debian's package.
    public static let path = "/usr/bin/xournalpp"
    private static let display = "/usr/bin/Xvfb"

    /// Whether Xournal++ is installed. It can export without a screen.
    public static var canExport: Bool { access(path, X_OK) == 0 }

    /// Whether Xournal++ and a virtual screen are installed.
    public static var isInstalled: Bool { access(path, X_OK) == 0 && access(display, X_OK) == 0 }

    /// Lets Xournal++ open the file at `path` and save its content as `folder`/xournalpp/emergencysave.xopp, which it does when it
    /// crashes. `isSaved` returns whether that file is complete.
    @LoopActor
    public static func open(_ path: String, savingIn folder: String, isSaved: @LoopActor (_ path: String) -> Bool) async throws {
        let screen = try Program(display, ["-displayfd", "2", "-screen", "0", "800x600x24", "-nolisten", "tcp"])
        defer { screen.child.kill(SIGTERM) }
        var number = ""
        try await waitUntil {
            number =
                try screen.messagesSoFar().split(separator: "\n", omittingEmptySubsequences: false).dropLast()
                .last { !$0.isEmpty && $0.allSatisfy(\.isNumber) }.map(String.init) ?? ""
            return !number.isEmpty
        }
        let data = TemporaryFolder()
        let xournal = try Program(
            self.path, [path], environment: ["DISPLAY=:" + number, "XDG_CONFIG_HOME=" + folder, "XDG_DATA_HOME=" + data.path])
        defer { xournal.child.kill(SIGKILL) }
        // Xournal++ adds a file to its recent files once the file is open.
        try await waitUntil { access(data.path("recently-used.xbel"), F_OK) == 0 }
        // Wait until Xournal++ is idle: it saves in its signal handler, so a crash during other work may keep it from saving and from
        // ending.
        var computed = -1
        try await waitUntil {
            let before = computed
            computed = try Self.computed(xournal.child.pid)
            try await SystemClock().sleep(for: .milliseconds(300))
            return computed == before
        }
        xournal.child.kill(SIGSEGV)
        try await waitUntil { isSaved(folder + "/xournalpp/emergencysave.xopp") }
        xournal.child.kill(SIGKILL)
        _ = try await xournal.result()
    }

    /// The processor time of a process, in the kernel's ticks.
    private static func computed(_ pid: Int32) throws -> Int {
        let fields =
            String(decoding: try AtomicFile.read("/proc/\(pid)/stat", limit: 4096), as: UTF8.self)
            .split(separator: ")").last?.split(separator: " ") ?? []
        // Fields 11 and 12 are the user and the system time; field 0 is the one after the name.
        return [11, 12].compactMap { fields.indices.contains($0) ? Int(fields[$0]) : nil }.reduce(0, +)
    }
}
