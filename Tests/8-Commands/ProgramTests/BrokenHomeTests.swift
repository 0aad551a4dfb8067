import DemoService
import FoundationEssentials
import Glibc
import Platform
import StandInSupport
import TestSupport
import Testing

/// Broken homes: `woodshed doctor`, as built, names what is wrong once, and its remedy works as it is told. What takes another user
/// to break is in `ExaminationTests`.
@Suite(.onLoop, .needs(.otherPrograms))
struct BrokenHomeTests {
    typealias Step = @LoopActor @Sendable (Place) async throws -> Void

    /// How the remedy is carried out.
    enum Mend: Sendable {
        /// In a shell, what the remedy says after these words; all of it after none.
        case typed(after: String)
        /// By a command that the remedy names.
        case command(String)
        /// By hand, as the words say.
        case byHand(Step)
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The subject of the finding; `nil` where the settings cannot be read, so that any part of the output may name the fault.
        let subject: String?
        let words: String
        let mend: Mend
        var environment: [String] = []
        /// How many findings there are.
        var count = 1
        var prepare: Step = { _ in }
        let harm: Step
    }

    static let rows = secrets + settings + files + folders

    private static let secrets = [
        Row(
            testDescription: "the token's file is gone", subject: "token", words: "No such file",
            mend: .byHand { place in try place.write("\(place.token)\n", to: "token") }, harm: { place in unlink(place.home.path("token")) }
        ),
        Row(
            testDescription: "others may read the token", subject: "token", words: "must have mode 0600", mend: .typed(after: ""),
            harm: { place in chmod(place.home.path("token"), 0o644) }),
        Row(
            testDescription: "the token has no colon", subject: "token", words: "with a colon in between",
            mend: .byHand { place in try place.write("\(place.token)\n", to: "token") },
            harm: { place in try place.write("nocolon\n", to: "token") }),
    ]

    private static let settings = [
        Row(
            testDescription: "an unknown key", subject: nil, words: "unknown key 'full_szie'", mend: .byHand { try $0.configure { $0 } },
            harm: { try $0.configure { $0 + "\nlog:\n  full_szie: 1\n" } }),
        Row(
            testDescription: "settings that cannot be read", subject: nil, words: "Permission denied",
            mend: .byHand { place in chmod(place.file, 0o600) }, harm: { place in chmod(place.file, 0) }),
        Row(
            testDescription: "a variable with a wrong value", subject: nil, words: "WOODSHED_RENDER_WORKERS", mend: .byHand { _ in },
            environment: ["WOODSHED_RENDER_WORKERS=lots"], harm: { _ in }),
        Row(
            testDescription: "a mistyped address", subject: "service", words: "status 404", mend: .byHand { try $0.configure { $0 } },
            count: 2, harm: { try $0.configure { $0.replacing("/services/v2\n", with: "/services/v2x\n") } }),
        Row(
            testDescription: "https where http is spoken", subject: "service", words: "cannot be reached",
            mend: .byHand { try $0.configure { $0 } }, count: 2,
            harm: { try $0.configure { $0.replacing("api_url: http:", with: "api_url: https:") } }),
        Row(
            testDescription: "pages for the network without a token", subject: nil, words: "a token is required", mend: .byHand { _ in },
            environment: ["WOODSHED_VIEWER_LISTEN=0.0.0.0"], harm: { _ in }),
        Row(
            testDescription: "settings that are no YAML", subject: nil, words: "woodshed.yaml:", mend: .byHand { try $0.configure { $0 } },
            harm: { try $0.configure { $0 + "\nplans: [\n" } }),
    ]

    private static let files = [
        Row(
            testDescription: "an overwritten catalogue", subject: "catalogue", words: "while ", mend: .command("sync"),
            harm: { place in
                for ending in ["-wal", "-shm"] { unlink(place.home.path("data/catalogue.sqlite" + ending)) }
                try place.write(String(repeating: "no catalogue ", count: 1000), to: "data/catalogue.sqlite")
            }),
        Row(
            testDescription: "a deleted catalogue", subject: "catalogue", words: "while ", mend: .command("sync"),
            harm: { place in for ending in ["", "-wal", "-shm"] { unlink(place.home.path("data/catalogue.sqlite" + ending)) } }),
        Row(
            testDescription: "deleted charts", subject: "next plan", words: "its file was removed", mend: .typed(after: ""),
            harm: { place in for chart in try place.charts() { unlink(chart) } }),
        Row(
            testDescription: "charts that are cut off", subject: "next plan", words: "was changed or damaged", mend: .typed(after: ""),
            harm: { place in
                for chart in try place.charts() {
                    chmod(chart, 0o600)
                    truncate(chart, 100)
                }
            }),
        Row(
            testDescription: "deleted backups", subject: "backups", words: "no intact backup", mend: .command("sync"),
            harm: { place in try FileManager.default.removeItem(atPath: place.home.path("data/backups")) }),
    ]

    private static let folders = [
        Row(
            testDescription: "a deleted cache", subject: "next plan", words: "still to be made", mend: .typed(after: ""),
            harm: { place in try FileManager.default.removeItem(atPath: place.home.path("cache")) }),
        Row(
            testDescription: "a folder of marks that is away", subject: "next plan", words: "is away with its folder or disk",
            mend: .byHand { place in rename(place.home.path("away"), place.home.path("marks")) },
            prepare: { place in
                try Folder.create(place.home.path("marks"))
                try place.write(MarkText.native("79073904", [MarkText.Dot(page: 0, x: 0.5)]), to: "marks/own.marks.json")
                try place.write(try place.text() + "\nannotations:\n  folders: [\(place.home.path("marks"))]\n", to: "config/woodshed.yaml")
            },
            harm: { place in rename(place.home.path("marks"), place.home.path("away")) }),
        Row(
            testDescription: "a folder for PDFs that is away", subject: "export.folder", words: "there is no folder",
            mend: .typed(after: "or make it, as in: "),
            prepare: { place in
                try Folder.create(place.home.path("stick"))
                try place.write(try place.text() + "\nexport:\n  folder: \(place.home.path("stick"))\n", to: "config/woodshed.yaml")
            },
            harm: { place in try FileManager.default.removeItem(atPath: place.home.path("stick")) }),
        Row(
            testDescription: "a band's folder that is away", subject: "band", words: "is away",
            mend: .byHand { place in rename(place.home.path("away"), place.home.path("band")) },
            prepare: { place in
                let made = try await place.run("band", "create", place.home.path("band"), "--name", "Harmony", "--person", "Anna")
                #expect(made.exit == .code(0), "\(made.messages)")
            },
            harm: { place in rename(place.home.path("band"), place.home.path("away")) }),
        Row(
            testDescription: "a sync program's folder", subject: "data folder", words: ".stfolder shows it",
            mend: .byHand { place in rmdir(place.home.path("data/.stfolder")) },
            harm: { place in try Folder.create(place.home.path("data/.stfolder")) }),
        Row(
            testDescription: "a deleted music folder, which comes back by itself", subject: nil, words: "", mend: .byHand { _ in },
            count: 0,
            harm: { place in try FileManager.default.removeItem(atPath: place.home.path("music")) }),
        Row(
            testDescription: "a cache on a disk that is away", subject: "cache folder",
            words: "is a link to /nonexistent/disk, which is away",
            mend: .typed(after: "to do without it: "),
            harm: { place in
                try FileManager.default.removeItem(atPath: place.home.path("cache"))
                symlink("/nonexistent/disk", place.home.path("cache"))
            }),
        Row(
            testDescription: "images on a disk that is away", subject: "cache folder",
            words: "/pages is a link to /nonexistent/disk, which is away",
            mend: .typed(after: "to do without it: "), harm: { place in try Self.lead("cache/pages", of: place) }),
        Row(
            testDescription: "charts on a disk that is away", subject: "data folder",
            words: "/charts is a link to /nonexistent/disk, which is away",
            mend: .typed(after: "to do without it: "), harm: { place in try Self.lead("data/charts", of: place) }),
    ]

    /// Makes one of the home's folders a link to a disk that is away.
    private static func lead(_ folder: String, of place: Place) throws {
        try FileManager.default.removeItem(atPath: place.home.path(folder))
        symlink("/nonexistent/disk", place.home.path(folder))
    }

    private struct Report: Decodable {
        struct Line: Decodable, Hashable {
            let subject: String, state: String, message: String, remedy: String?
        }
        /// `nil` if the command ended before it checked anything.
        let findings: [Line]?

        /// What is wrong, or might be better.
        var faults: [Line] { (findings ?? []).filter { ["warning", "problem"].contains($0.state) } }
    }

    private func report(_ result: Program.Result) throws -> Report {
        try JSONDecoder().decode(Report.self, from: Data(result.output.utf8))
    }

    /// Runs a command without root's right to ignore permissions.
    @LoopActor private func run(_ place: Place, _ words: String..., environment: [String] = []) async throws -> Program.Result {
        let words = words + ["--home", place.home.path]
        guard geteuid() == 0 else { return try await Program.run("woodshed", words, environment: environment) }
        let without = ["--bounding-set=-dac_override,-dac_read_search", Program.folder + "/woodshed"]
        return try await Program.run("/usr/bin/setpriv", without + words, environment: environment)
    }

    @Test(arguments: rows) @LoopActor func whatIsWrongIsNamedOnceWithARemedyThatWorks(row: Row) async throws {
        let place = try Place()
        defer { place.service.stop() }
        try await row.prepare(place)
        try place.remember()
        let first = try await run(place, "sync")
        #expect(first.exit == .code(0), "\(first.messages)")
        let before = Set(try report(try await run(place, "doctor", "--json")).faults.map(\.subject))

        try await row.harm(place)
        let doctor = try await run(place, "doctor", "--json", environment: row.environment)
        let ready = try await run(place, "ready", environment: row.environment)
        #expect(ready.exit == .code(0) || doctor.exit != .code(0), "all is well, and nothing is ready: \(doctor.output)\(ready.output)")
        let new = try report(doctor).faults.filter { !before.contains($0.subject) }
        var remedy = ""
        if let subject = row.subject {
            #expect(new.count == row.count, "\(new)")
            let found = try #require(new.first { $0.subject == subject && $0.message.contains(row.words) }, "\(new)")
            remedy = try #require(found.remedy)
        } else if row.count > 0 {
            #expect(doctor.exit != .code(0) && (doctor.output + doctor.messages).contains(row.words), "\(doctor)")
        } else {
            #expect(new.isEmpty, "\(new)")
        }

        switch row.mend {
        case .typed(let words):
            let start = try #require(words.isEmpty ? remedy.startIndex : remedy.ranges(of: words).first?.upperBound, "\(remedy)")
            let typed = try await Program.run("/bin/sh", ["-c", "PATH='\(Program.folder)':$PATH; \(remedy[start...])"])
            #expect(typed.exit == .code(0), "\(remedy): \(typed.output)\(typed.messages)")
        case .command(let command):
            #expect(remedy.contains("woodshed \(command)"), "\(remedy)")
            let typed = try await run(place, command)
            #expect(typed.exit == .code(0), "\(typed.output)\(typed.messages)")
        case .byHand(let step): try await step(place)
        }
        let after = try await run(place, "doctor", "--json")
        #expect(try report(after).faults.allSatisfy { before.contains($0.subject) }, "\(after.output)")
        let verdict = try await run(place, "ready")
        #expect(verdict.exit == .code(0), "\(verdict.output)\(verdict.messages)")
    }
}

extension Place {
    fileprivate var token: String { DemoService.token.revealed }
    fileprivate var file: String { home.path("config/woodshed.yaml") }

    fileprivate func text(_ name: String = "config/woodshed.yaml") throws -> String {
        String(decoding: try AtomicFile.read(home.path(name), limit: 1 << 20), as: UTF8.self)
    }

    fileprivate func write(_ text: String, to name: String) throws { try AtomicFile.write(text, to: home.path(name)) }

    fileprivate func charts() throws -> [String] {
        let folder = home.path("data/charts")
        return try Folder.names(in: folder).filter { $0.hasSuffix(".pdf") }.map { folder + "/" + $0 }
    }

    /// Keeps the settings as they are now, for `configure`.
    fileprivate func remember() throws { try write(try text(), to: "settings") }

    /// Writes the settings that were kept, changed.
    fileprivate func configure(_ change: (String) -> String) throws { try write(change(try text("settings")), to: "config/woodshed.yaml") }
}
