import Catalogue
import Glibc
import Library
import Model
import Platform
import TestSupport
import Testing

/// The words that the built program suggests while a line is typed in a shell.
@Suite(.onLoop, .serialized)
struct CompletionTests {
    private let home = TemporaryFolder()
    private var variables: [String] {
        ["PATH=\(Program.folder):/usr/bin:/bin", "WOODSHED_HOME=" + home.path, "LC_ALL=C.UTF-8"]
    }

    @LoopActor private func demo() async throws {
        let demo = try await Program.run(
            "woodshed", ["demo", "--once", "--home", home.path],
            environment: ["WOODSHED_RENDER_FULL_SIZE=200", "WOODSHED_RENDER_THUMBNAIL_SIZE=64"])
        try #require(demo.exit == .code(0), "\(demo.messages)")
    }

    /// Completes the end of a line in bash, and returns the suggestions: first the options for files, if any, then one word a line.
    @LoopActor private func offered(_ line: String) async throws -> [String] {
        let script = #"""
            . <(woodshed help --form bash)
            compopt() { echo "$*"; }
            COMP_WORDS=(woodshed) COMP_LINE=$1 COMP_POINT=${#1} COMP_TYPE=9
            _woodshed
            printf '%s\n' "${COMPREPLY[@]}"
            """#
        let result = try await Program.run("/bin/bash", ["-c", script, "bash", line], environment: variables)
        #expect(result.exit == .code(0) && result.messages == "", "\(line): \(result.messages)")
        return result.output.split(separator: "\n").map { line in
            String(line.prefixMatch(of: /(.*?)  \(/)?.1 ?? line[...])
        }
    }

    @Test(.needs(.otherPrograms)) @LoopActor func bashIsOfferedWhatIsHere() async throws {
        try await demo()
        let plans = try await offered("woodshed pin ")
        #expect(
            plans.count == 4 && plans[0] == "next" && plans[1...].allSatisfy { $0.wholeMatch(of: /\d{4}-\d\d-\d\d/) != nil }, "\(plans)")
        #expect(try await offered("woodshed pin songs") == [#"Songs\ of\ the\ House"#])
        #expect(try await offered("woodshed pin 6782") == ["67820001"])
        #expect(try await offered("woodshed ready --plan ") == ["next", "all"] + plans[1...])
        #expect(try await offered("woodshed ready --plan=a") == ["all"])
        #expect(try await offered("woodshed why down") == [#"Down\ by\ the\ Riverside.pdf"#])
        #expect(try await offered("woodshed why riverside") == [#"Down\ by\ the\ Riverside.pdf"#])
        #expect(try await offered("woodshed why 'Saints") == ["Saints - chords.pdf"])
        #expect(try await offered("woodshed export nex") == ["next"])
        #expect(try await offered("woodshed export saints").count == 1)
        #expect(try await offered("woodshed layers 79073916 --hide ").contains("fingering"))
        #expect(try await offered("woodshed export next --layers ro") == ["roadmap"])
        #expect(try await offered("woodshed song down") == ["-o default", #"Down\ by\ the\ Riverside"#])
        #expect(try await offered("woodshed export next --layers roadmap,sin") == ["roadmap,singers"])
    }

    @Test @LoopActor func wordsOfTheProgramNeedNoLibrary() async throws {
        #expect(try await offered("woodshed se") == ["setup"])
        #expect(try await offered("woodshed config sh") == ["show"])
        #expect(try await offered("woodshed help mar") == ["marks"])
        #expect(try await offered("woodshed help json rea") == ["ready"])
        #expect(try await offered("woodshed help config ") == ["init", "check", "show"])
        #expect(try await offered("woodshed ready --pl") == ["--plan"])
        #expect(try await offered("woodshed sync --render-w") == ["--render-workers"])
        #expect(try await offered("woodshed sync --log-level ") == ["debug", "info", "warning", "error"])
        #expect(try await offered("woodshed why x 1 --variant ") == ["plain", "annotated", "thumbnail"])
        #expect(try await offered("woodshed help --form z") == ["zsh"])
        #expect(try await offered("woodshed song x --key E") == ["Eb", "E"])
        #expect(try await offered("woodshed help tok") == ["token"])
        for line in ["woodshed pin ", "woodshed why ", "woodshed layers x --hide "] {
            #expect(try await offered(line).allSatisfy { $0 == "next" || $0 == "check" }, "\(line)")
        }
        // Completion creates nothing.
        #expect(try Folder.names(in: home.path) == [])
    }

    @Test @LoopActor func filesAreOfferedOnlyWhereOneIsDue() async throws {
        #expect(try await offered("woodshed export next -o ") == ["-o default"])
        #expect(try await offered("woodshed export next --images ") == ["-o dirnames"])
        #expect(try await offered("woodshed --home ") == ["-o dirnames"])
        #expect(try await offered("woodshed layers check ") == ["-o default"])
        #expect(try await offered("woodshed plans > ") == ["-o default"])
        for line in ["woodshed why x ", "woodshed ready ", "woodshed ready --max-age ", "woodshed pause --for "] {
            #expect(try await offered(line) == [], "\(line)")
        }
    }

    /// Types a command with a TAB into a shell, and waits for the result of the completed command.
    @LoopActor private func type(_ shell: String, _ arguments: [String], _ environment: [String]) async throws {
        let typed = try TypedProgram(shell, arguments, environment: variables + ["PS1=say> ", "HOME=" + home.path] + environment)
        try await typed.answer("say> ", "woodshed pin songs\t")
        try await waitUntil { typed.sees("Songs of the House (plan 67820001): pinned") }
        try await typed.answer("say> ", "exit")
        _ = await typed.child.exit()
    }

    @Test(.needs(.otherPrograms)) @LoopActor func bashCompletesWhatIsTyped() async throws {
        try await demo()
        let start = home.path("bashrc")
        let script = try await Program.run("woodshed", ["help", "--form", "bash"])
        try AtomicFile.write(script.output + "PS1='say> '\n", to: start)
        try await type("/bin/bash", ["--noprofile", "--rcfile", start, "-i"], [])
    }

    @Test(.needs(.otherPrograms), .enabled(if: access("/usr/bin/zsh", X_OK) == 0, "zsh is not here; .ci/install installs it"))
    @LoopActor func zshFindsItsCompletionOnceItIsInstalled() async throws {
        try await demo()
        let start = home.path(".zshrc")
        // A system-wide start file sets the path again, so this file must restore it.
        let own =
            "path=(\(Program.folder) $path)\nautoload -Uz compinit; compinit -u -D\nPS1='say> '\nunsetopt zle_bracketed_paste 2> /dev/null"
        try AtomicFile.write(own, to: start, mode: 0o640)
        let installed = try await Program.run("woodshed", ["install", "--user"], environment: ["HOME=" + home.path])
        #expect(installed.exit == .code(0) && installed.messages.contains("zsh complete it"), "\(installed.messages)")
        let again = try await Program.run("woodshed", ["install", "--user"], environment: ["HOME=" + home.path])
        #expect(!again.messages.contains("zsh"), "\(again.messages)")
        try await type("/usr/bin/zsh", ["-d", "-i"], ["TERM=vt100", "ZDOTDIR=" + home.path])
        #expect(try await Program.run("woodshed", ["install", "--remove"], environment: ["HOME=" + home.path]).exit == .code(0))
        #expect(String(decoding: try AtomicFile.read(start, limit: 1 << 16), as: UTF8.self) == own + "\n")
        var status = stat()
        #expect(stat(start, &status) == 0 && status.st_mode & 0o777 == 0o640)
    }

    @Test(.needs(.otherPrograms), .enabled(if: access("/usr/bin/fish", X_OK) == 0, "fish is not here; .ci/install installs it"))
    @LoopActor func fishCompletesWhatIsTyped() async throws {
        try await demo()
        func offered(_ line: String) async throws -> [String] {
            let result = try await Program.run(
                "/usr/bin/fish",
                [
                    "--no-config", "-c", "set -gx PATH $argv[2] $PATH; woodshed help --form fish | source; complete -C $argv[1]", line,
                    Program.folder,
                ],
                environment: variables)
            #expect(result.exit == .code(0) && result.messages == "", "\(result.messages)")
            return result.output.split(separator: "\n").map { String($0.prefix { $0 != "\t" }) }
        }
        #expect(try await offered("woodshed pin songs") == ["Songs of the House"])
        #expect(try await offered("woodshed ready --plan=al") == ["--plan=all"])
        #expect(try await offered("woodshed ready ") == [])
        try Folder.create(home.path("a folder"))
        #expect(try await offered("woodshed export next --images \(home.path)/a") == ["\(home.path)/a folder/"])
    }

    /// With 600 charts, completion takes little more processor time than without charts.
    @Test(.needs(.realTime)) @LoopActor func itIsFastHoweverManyChartsAreHere() async throws {
        let library = try Library(folder: home.path("data"))
        let plans = (0..<60).map { plan in
            let items = (0..<10).map { item in
                let number = plan * 10 + item
                return PlanItem(
                    id: ItemID("i\(number)"), sequence: item, title: "Song \(number)", keyName: "",
                    attachments: [Attachment(id: AttachmentID("a\(number)"), filename: "Song \(number) - lead sheet in B♭.pdf")])
            }
            return PlanContents(
                plan: Plan(id: PlanID("p\(plan)"), serviceType: ServiceTypeID("s"), serviceTypeName: "Sunday"), items: items)
        }
        try library.plans.update(plans, at: Timestamp(nanoseconds: 1))
        library.close()
        let hash = String(repeating: "a", count: 64)
        try Database.change(libraryAt: home.path("data")) { database throws(LibraryError) in
            try database.run("INSERT INTO charts (hash, size) VALUES (?, 1)", [.text(hash)])
            try database.run("INSERT INTO attachment_charts SELECT id, '', ?, '' FROM attachments", [.text(hash)])
        }
        // Processors differ, so the time is compared with completing a command's name, which reads no charts.
        var (times, plain): ([Double], [Double]) = ([], [])
        for _ in 0..<5 {
            let run = try await Program.run("woodshed", ["complete", "zsh", "--", "why", ""], environment: variables)
            #expect(run.output.split(separator: "\n").count == 601)
            times.append(run.cpuSeconds)
            plain.append(try await Program.run("woodshed", ["complete", "zsh", "--", "pla"], environment: variables).cpuSeconds)
        }
        #expect(try #require(times.min()) < 0.02 + 3 * (try #require(plain.min())), "\(times), \(plain)")
    }
}
