import JSON
import Model
import Platform
import TestSupport
import Testing

/// The JSON that the built program prints, compared with the manual's page about JSON.
@Suite(.onLoop, .serialized)
struct JSONTests {
    private let home = TemporaryFolder()

    @LoopActor
    private func run(_ words: [String]) async throws -> Program.Result {
        try await Program.run(
            "woodshed", words + ["--home", home.path],
            environment: ["WOODSHED_RENDER_FULL_SIZE=200", "WOODSHED_RENDER_THUMBNAIL_SIZE=64"])
    }

    /// The paths that the page lists, by command.
    @LoopActor
    private func page() async throws -> [String: Set<String>] {
        var listed: [String: Set<String>] = [:]
        var command = ""
        for line in try await run(["help", "json"]).output.split(separator: "\n") {
            if line.hasPrefix("woodshed "), let end = line.firstRange(of: " --json, schema ") {
                command = String(line[line.index(line.startIndex, offsetBy: 9)..<end.lowerBound])
                listed[command] = ["schema"]
            } else if line.hasPrefix("  "), !line.hasPrefix("   "), let path = line.split(separator: " ").first {
                listed[command]?.insert(String(path))
            }
        }
        return listed
    }

    /// The paths of all values in `value`, and of their containers. A dot in a name is replaced, since dots separate names.
    private func paths(_ value: JSONValue, _ path: String = "") -> Set<String> {
        switch value {
        case .object(let members):
            members.reduce(into: path.isEmpty ? [] : [path]) { all, member in
                all.formUnion(paths(member.value, path.isEmpty ? member.key : "\(path).\(member.key.replacing(".", with: "_"))"))
            }
        case .array(let values): values.reduce(into: [path + "[]"]) { $0.formUnion(paths($1, path + "[]")) }
        default: [path]
        }
    }

    /// Whether a listed path is the printed path or leads below it. The output has no paths below an empty value or list.
    private func covers(_ listed: String, _ printed: String) -> Bool {
        func names(_ path: String) -> [String] { path.replacing("[]", with: "").split(separator: ".").map(String.init) }
        let (all, seen) = (names(listed), names(printed))
        return all.count >= seen.count && zip(all, seen).allSatisfy { $0 == "*" || $0 == $1 }
    }

    private func top(_ paths: Set<String>) -> Set<String> {
        Set(paths.map { String($0.replacing("[]", with: "").split(separator: ".")[0]) })
    }

    @Test @LoopActor func everyFieldIsListedAndEveryListedFieldIsThere() async throws {
        let page = try await page()
        let lines: [(command: String, words: [String])] = [
            ("demo", ["--once"]), ("ready", ["--plan", "all"]), ("status", []), ("plans", ["--all"]), ("log", []),
            ("why", ["79073904", "1"]), ("layers", ["79073904"]), ("cache verify", []),
            ("cache clear", []), ("doctor", ["--offline"]), ("config check", []),
            ("config show", []), ("accept", ["riverside"]), ("pin", ["next"]), ("unpin", ["next"]),
            ("band", []),
            ("export", ["next", "-o", home.path("next.pdf")]), ("song", ["riverside", "-o", home.path("song.pdf")]),
        ]
        for (command, words) in lines {
            let result = try await run(command.split(separator: " ").map(String.init) + words + ["--json"])
            // All lines but the last report progress.
            let printed = try result.output.split(separator: "\n").reduce(into: Set<String>()) {
                $0.formUnion(paths(try JSONReader.read(Array($1.utf8))))
            }
            let listed = try #require(page[command], "'woodshed help json' does not know \(command)")
            #expect(top(printed) == top(listed), "\(command): \(result.messages)")
            for path in printed { #expect(listed.contains { covers($0, path) }, "\(command) prints \(path)") }
            // Some JSON readers cannot parse fractions of a second.
            #expect(!result.output.contains(/"[0-9-]+T[0-9:]+\.[0-9]+Z"/), "\(command): \(result.output)")
        }
        // `sync` needs an account, `open` needs an agent, and `band ready` needs a band.
        #expect(Set(page.keys) == Set(lines.map(\.command) + ["sync", "open", "band ready"]))
    }

    @Test(arguments: [
        ["ready"], ["status"], ["plans"], ["log"], ["why", "riverside", "1"], ["layers", "riverside"],
        ["cache", "clear"], ["sync"], ["export", "next"], ["pin", "next"], ["unpin", "next"], ["accept", "riverside"],
        ["why", "riverside", "1", "-o", "page.png"],
        ["open"],
    ])
    @LoopActor func whereThereIsNoAnswerTheReasonIsJSON(command: [String]) async throws {
        let result = try await run(command + ["--json"])
        let plain = try await run(command)
        #expect(result.exit == plain.exit, "\(result.messages)")
        #expect(result.exit != .code(0))
        let answer = try JSONReader.read(Array(result.output.utf8))
        guard case .object(let members) = answer else { Issue.record("\(result.output)"); return }
        #expect(members["schema"] != nil)
        guard case .string(let reason)? = members["error"] else { Issue.record("\(result.output)"); return }
        #expect(result.messages.contains(reason))
        if ["ready", "status", "sync"].contains(command[0]) { #expect(members["ready"] == .bool(false)) }
    }
}
