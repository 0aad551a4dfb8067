import CDeflate
import Platform
import TestSupport
import Testing
import Viewer

/// How the pages' own files reach a browser.
@Suite(.onLoop)
struct ShellTests {
    /// All modules come as one script, and all style sheets as one, under names that change with their content.
    @LoopActor @Test func theShellTakesTwoRequestsAndLittle() async throws {
        let scene = try Scene()
        let page = try await scene.get("/")
        let names = page.text.matches(of: /assets\/(shell-[0-9a-f]+\.(js|css))/).map { String($0.1) }
        #expect(names.map { $0.suffix(3) } == ["css", ".js"])
        var size = page.body.count
        for name in names {
            let plain = try await scene.get("/assets/" + name)
            #expect(plain.headers["content-encoding"] == nil)
            #expect(plain.headers["cache-control"] == "private, max-age=31536000, immutable")
            #expect(!name.hasSuffix("css") || !plain.text.contains("/*"), "comments are for developers")
            let packed = try await scene.get("/assets/" + name, headers: [("Accept-Encoding", "br, gzip")])
            #expect(packed.headers["content-encoding"] == "gzip" && packed.headers["etag"] != plain.headers["etag"])
            #expect(try unpacked(packed.body) == plain.body)
            size += packed.body.count
        }
        #expect(size <= 64 << 10)
    }

    private func unpacked(_ bytes: [UInt8]) throws -> [UInt8] {
        let decompressor = try #require(libdeflate_alloc_decompressor())
        defer { libdeflate_free_decompressor(decompressor) }
        var (most, written) = (1 << 20, 0)
        return [UInt8](unsafeUninitializedCapacity: most) { target, count in
            most = target.count
            let result = libdeflate_gzip_decompress(decompressor, bytes, bytes.count, target.baseAddress, most, &written)
            count = written
            #expect(result == LIBDEFLATE_SUCCESS)
        }
    }

    /// Every import of the modules is resolved, and no other text is mistaken for an import.
    @LoopActor @Test func theModulesAreOneScript() async throws {
        let scene = try Scene()
        let name = try #require(try await scene.get("/").text.firstMatch(of: /assets\/(shell-[0-9a-f]+\.js)/)?.1)
        let script = try await scene.get("/assets/" + name).text
        let lines = script.split(separator: "\n")
        #expect(lines.allSatisfy { !$0.hasPrefix("import ") && !$0.hasPrefix("export ") && !$0.hasPrefix("//") })
        let made = Set(script.matches(of: #/modules\["([a-z-]+\.js)"\] = \(/#).map { String($0.1) })
        let used = Set(script.matches(of: #/\} = modules\["([a-z-]+\.js)"\];/#).map { String($0.1) })
        #expect(used.isSubset(of: made) && made.isSuperset(of: ["app.js", "reader.js", "stage.js", "events.js"]))
    }

    /// A browser that only shows pages loads neither panels nor drawing tools. They are a separate script, which uses the shell's modules.
    @LoopActor @Test func panelsAndDrawingToolsAreAScriptOfTheirOwn() async throws {
        let scene = try Scene()
        let page = try await scene.get("/").text
        let shell = try #require(page.firstMatch(of: /assets\/(shell-[0-9a-f]+\.js)/)?.1)
        let names = try #require(page.firstMatch(of: /content="(later-[0-9a-f]+\.js) (later-[0-9a-f]+\.css)"/))
        let (first, later) = (try await scene.get("/assets/\(shell)").text, try await scene.get("/assets/\(names.1)").text)
        #expect(try await scene.get("/assets/\(names.2)").text.contains(".draw"))
        let made = Set((first + later).matches(of: #/modules\["([a-z-]+\.js)"\] = \(/#).map { String($0.1) })
        let used = Set(later.matches(of: #/\} = modules\["([a-z-]+\.js)"\];/#).map { String($0.1) })
        #expect(used.isSubset(of: made) && later.contains("modules[\"drawing.js\"]") && !first.contains("modules[\"drawing.js\"]"))
        #expect(later.split(separator: "\n").allSatisfy { !$0.hasPrefix("import ") && !$0.hasPrefix("export ") && !$0.hasPrefix("//") })
    }
}
