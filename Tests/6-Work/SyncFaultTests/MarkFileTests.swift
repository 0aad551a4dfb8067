import Annotations
import Glibc
import Library
import Model
import Platform
import StandInSupport
import TestSupport
import Testing

/// The built agent, the kernel's own events, and files of marks that musicians and others save.
@Suite(.onLoop)
struct MarkFileTests {
    private struct Link {
        /// The path without its ending.
        let stem: String
        let attachment: AttachmentID
        let chart: ChartHash
        var pdf: String { stem + ".pdf" }
    }

    /// An agent that has drawn everything, and the music folder's links to charts of several pages that nobody has marked.
    @LoopActor
    private func sleeping(_ home: AgentHome) async throws -> (agent: Program, links: [Link]) {
        let agent = try home.start()
        try await AgentHome.untilAsleep(agent)
        let library = try Library(readingFrom: home.folder.path("data"))
        defer { library.close() }
        let music = home.folder.path("music")
        var links: [Link] = []
        for attachment in try library.plans.all().flatMap(\.attachments) {
            guard let chart = try library.charts.chart(of: attachment.id), try library.layers.all(of: attachment.id).isEmpty,
                try library.charts.description(of: chart.hash).map({ $0.pages.count > 1 }) == true
            else { continue }
            for day in try Folder.names(in: music) {
                for name in try Folder.names(in: music + "/" + day) {
                    let path = "\(music)/\(day)/\(name)"
                    guard MatchStore.followingLinks(path) == MatchStore.followingLinks(library.charts.path(of: chart.hash)) else {
                        continue
                    }
                    links.append(Link(stem: String(path.dropLast(4)), attachment: attachment.id, chart: chart.hash))
                }
            }
        }
        return (agent, links)
    }

    /// A document with a thick stroke on one page.
    private func journal(on pdf: String, page: Int, x: Int = 100) -> String {
        #"<?xml version="1.0" standalone="no"?><xournal creator="Xournal++ 1.1.3" fileversion="4"><title>x</title>"#
            + (1...page).map { number in
                let filename = number == 1 ? #" domain="absolute" filename="\#(pdf)""# : ""
                let stroke = ##"<stroke tool="pen" color="#ff0000ff" width="40">\##(x) 100 400 600</stroke>"##
                return
                    ##"<page width="600" height="800"><background type="pdf"\##(filename) pageno="\##(number)"/><layer>\##(number == page ? stroke : "")</layer></page>"##
            }.joined() + "</xournal>"
    }

    private struct Stamp: Equatable {
        let inode: UInt
        let seconds: Int
        let nanoseconds: Int
        let bytes: [UInt8]
    }

    private func stamp(_ path: String) throws -> Stamp {
        var status = stat()
        guard lstat(path, &status) == 0 else { throw SystemError("access", path: path) }
        return Stamp(
            inode: UInt(status.st_ino), seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec,
            bytes: try AtomicFile.read(path, limit: 1 << 26))
    }

    @LoopActor
    private func stamps(_ cache: CacheFiles) throws -> [String: Stamp] {
        Dictionary(uniqueKeysWithValues: try cache.paths().map { ($0, try stamp(cache.folder + "/pages/" + $0)) })
    }

    private func put(_ text: String, at path: String) throws {
        try AtomicFile.write(text, to: path)
    }

    /// Waits for `count` new images and returns them; fails if an earlier image has changed.
    @LoopActor
    private func newImages(_ count: Int, in cache: CacheFiles, since before: [String: Stamp]) async throws -> [ImageName] {
        func new() throws -> Set<String> { Set(try cache.paths().filter { $0.hasSuffix(".png") }).subtracting(before.keys) }
        try await waitUntil { try new().count >= count }
        let now = try stamps(cache)
        for (path, stamp) in before { #expect(now[path] == stamp, "\(path)") }
        return try new().sorted().compactMap { path in
            #expect(now[path].flatMap { PNGImage($0.bytes) } != nil)
            let parts = path.split(separator: "/").map(String.init)
            return ImageName(folder: parts[0], file: parts[1])
        }
    }

    @LoopActor
    private func end(_ agent: Program) async throws -> String {
        agent.child.kill(SIGTERM)
        let result = try await agent.result()
        #expect(result.exit == .code(0), "\(result.messages)")
        return result.messages
    }

    @Test(.needs(.otherPrograms), .enabled(if: XournalProgram.isInstalled, "Xournal++ and Xvfb are not installed"))
    @LoopActor func whatXournalSavesBesideALinkMakesThatPagesImageOnly() async throws {
        let demo = try StandIn.start()
        defer { demo.stop() }
        let home = try AgentHome(demo)
        let (agent, links) = try await sleeping(home)
        let link = try #require(links.first)
        let cache = CacheFiles(folder: home.folder.path("cache"))
        let before = try stamps(cache)

        // Xournal++ saves in the music folder, as it does for musicians, and may still be writing when the file appears.
        try put(journal(on: link.pdf, page: 2), at: home.folder.path("open.xopp"))
        let folder = Folder.parent(of: link.stem)
        try await XournalProgram.open(home.folder.path("open.xopp"), savingIn: folder) { path in
            (try? MarkFileReader.read(path: path)) != nil
        }
        let saved = folder + "/xournalpp/emergencysave.xopp"
        let first = try await newImages(1, in: cache, since: before)
        #expect(first.map(\.page) == [PageIndex(1)])
        #expect(first.map(\.variant) == [.annotated])
        #expect(first.map(\.chart) == [ImageName.folder(of: link.chart)])
        let file = try stamp(saved)

        // Moved to its own place, the file draws the same; another mark shows that the agent has handled the move.
        let between = try stamps(cache)
        #expect(rename(saved, link.stem + ".xopp") == 0)
        try put(journal(on: link.pdf, page: 1), at: folder + "/another.xopp")
        let second = try await newImages(1, in: cache, since: between)
        #expect(second.map(\.page) == [PageIndex(0)])
        #expect(try stamp(link.stem + ".xopp") == file, "it is only read")

        let messages = try await end(agent)
        let warnings = messages.split(separator: "\n").filter { $0.contains("warning:") && $0.contains("xopp") }
        #expect(warnings == [])
    }

    @Test @LoopActor func hostileFilesCostALineEachAndNeverTheAgent() async throws {
        let demo = try StandIn.start()
        defer { demo.stop() }
        let home = try AgentHome(demo)
        let (agent, links) = try await sleeping(home)
        let link = try #require(links.first)
        let cache = CacheFiles(folder: home.folder.path("cache"))
        let before = try stamps(cache)
        let music = home.folder.path("music")

        // The files are made elsewhere and moved in, so each causes one event.
        let made = home.folder.path("made")
        try Folder.create(made)
        var names = [
            "pipe.xopp", "link.xopp", "device.xopp", "loop.xopp", "bomb.xopp", "deep.xopp", "entities.xopp", "line\nbreak.xopp",
            "nan.marks.json",
        ]
        mkfifo(made + "/pipe.xopp", 0o600)
        symlink("/etc/passwd", made + "/link.xopp")
        symlink("/dev/zero", made + "/device.xopp")
        symlink("loop.xopp", made + "/loop.xopp")
        let bomb = try await Program.run("/bin/sh", ["-c", "head -c 512M /dev/zero | gzip -1 > '\(made)/bomb.xopp'"])
        #expect(bomb.exit == .code(0))
        try put(String(repeating: "<a>", count: 100_000), at: made + "/deep.xopp")
        try put(
            #"<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><xournal>&b;</xournal>"#,
            at: made + "/entities.xopp")
        try put("no XML", at: made + "/line\nbreak.xopp")
        try put(#"{"version":1,"marks":NaN}"#, at: made + "/nan.marks.json")
        if geteuid() != 0 {
            names.append("closed.xopp")
            try put("secret", at: made + "/closed.xopp")
            chmod(made + "/closed.xopp", 0)
        }
        // A link that leads back to its own folder, and files whose names are not valid text.
        symlink(music, music + "/circle")
        for name in names { #expect(rename(made + "/" + name, music + "/" + name) == 0) }
        try put("no XML either", at: made + "/odd.xopp")
        let odd = Array((music + "/").utf8CString.dropLast()) + [CChar(bitPattern: 0xff)] + ".xopp".utf8CString
        #expect(rename(made + "/odd.xopp", odd) == 0)

        try put(journal(on: link.pdf, page: 2), at: link.stem + ".xopp")
        #expect(try await newImages(1, in: cache, since: before).map(\.page) == [PageIndex(1)])
        // The log does not go to a journal, so each line begins with the time.
        func lines(_ messages: String) -> [Substring] {
            messages.split(separator: "\n").compactMap { line in
                line.prefixMatch(of: #/20\d\d-\d\d-\d\d \d\d:\d\d:\d\d  /#).map { line.dropFirst($0.0.count) }
            }.filter { $0.hasPrefix("warning: " + music) }
        }
        try await waitUntil { lines(try agent.messagesSoFar()).count > names.count }

        // A page marked later is still drawn soon.
        let later = try stamps(cache)
        try put(journal(on: link.pdf, page: 1), at: music + "/good.xopp")
        #expect(try await newImages(1, in: cache, since: later).map(\.page) == [PageIndex(0)])
        // The limit is lower than the size of the unpacked bomb.
        let peak = try memoryPeak(of: agent.child.pid)
        #expect(peak < 400 << 20, "\(peak >> 20) MiB")
        let messages = try await end(agent)
        for name in names {
            let path = music + "/" + name.replacing("\n", with: " ")
            #expect(lines(messages).count { $0.hasPrefix("warning: \(path) ") } == 1, "\(name): \(messages)")
        }
        #expect(lines(messages).count { $0.contains(#"/\xff.xopp is not read: its name cannot be read"#) } == 1, "\(messages)")
        #expect(lines(messages).count { $0.contains("/circle is a link to ") } == 1, "\(messages)")
        #expect(lines(messages).count == names.count + 2, "\(messages)")
    }

    private func memoryPeak(of process: Int32) throws -> Int {
        let status = String(decoding: try AtomicFile.read("/proc/\(process)/status", limit: 65536), as: UTF8.self)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return (line.flatMap { Int($0.split(separator: " ").dropLast().last ?? "") } ?? 0) << 10
    }

    /// An existing file is read, although no event announced it.
    @Test @LoopActor func filesSavedWhileNoAgentRanAreDrawnByTheNext() async throws {
        let demo = try StandIn.start()
        defer { demo.stop() }
        let home = try AgentHome(demo)
        let (agent, links) = try await sleeping(home)
        let link = try #require(links.first)
        _ = try await end(agent)
        let cache = CacheFiles(folder: home.folder.path("cache"))
        let before = try stamps(cache)
        try put(journal(on: "gone.pdf", page: 2), at: link.stem + ".xopp")
        try Folder.create(home.folder.path("data/annotations"))
        try put(
            ##"{"attachment_id":"\##(link.attachment.text)","marks":[{"id":"1","page":0,"kind":"pen","color":"#00ff00","width":0.1,"points":[[0.1,0.1]]}]}"##,
            at: home.folder.path("data/annotations/own.marks.json"))
        let next = try home.start()
        try await AgentHome.untilAsleep(next)
        #expect(try await newImages(2, in: cache, since: before).map(\.page) == [PageIndex(0), PageIndex(1)])
        _ = try await end(next)
    }
}
