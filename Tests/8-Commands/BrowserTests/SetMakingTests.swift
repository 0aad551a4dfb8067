import Foundation
import Platform
import TestSupport
import Testing

/// A set is made in the browser, and is a text file that anybody may edit.
@Suite(.onLoop, .browsers, .needs(.browser), .serialized, .enabled(if: Browser.isInstalled, Browser.isMissing))
struct SetMakingTests {
    private static let panel = "document.querySelector('dialog.set')"
    private static let titles = "[...document.querySelectorAll('.set-title')].map((each) => each.textContent).join()"
    private static let card = "[...document.querySelectorAll('[data-card]')].find((each) => each.textContent.includes('Harvest'))"

    @LoopActor private static func click(_ words: String, _ desk: Desk) async throws {
        try await desk.browser.run(
            """
            [...document.querySelectorAll('button')].findLast((each) => [each.textContent, each.ariaLabel].includes('\(words)')).click()
            """)
    }

    @LoopActor private static func addSong(_ words: String, _ desk: Desk) async throws {
        try await click("Add a song…", desk)
        try await desk.browser.wait(for: "document.activeElement.matches('.search[role=combobox]')")
        try await desk.browser.type(words)
        try await desk.browser.wait(for: "document.querySelector('.found [aria-selected=true]')")
        try await desk.browser.press(.enter)
        try await desk.browser.wait(for: "\(panel) && document.activeElement.textContent === 'Add a song…'")
    }

    /// A title without a place to break it, which is wider than a small screen.
    private static let title = "Harvest" + String(repeating: "m", count: 60)

    @Test @LoopActor func aSetOfTwoSongsIsMadeListedAndEdited() async throws {
        let sets = TemporaryFolder()
        try Folder.create(sets.path("Book"))
        for title in ["Zither Waltz", "Quokka March"] {
            try AtomicFile.write("{title: \(title)}\n{key: G}\n[G]All praise to [D]Thee\n", to: sets.path("Book/\(title).cho"))
        }
        func text() throws -> String {
            let names = try FileManager.default.contentsOfDirectory(atPath: sets.path).filter { $0.hasSuffix(".txt") }
            #expect(names.allSatisfy { $0.hasSuffix(" 1930 \(Self.title).txt") } && names.count < 2, "\(names)")
            return try names.first.map { String(decoding: try AtomicFile.read(sets.path($0), limit: 1 << 16), as: UTF8.self) } ?? ""
        }
        try await Desk.use(viewer: "plans:\n  folders: [\(sets.path)]") { desk in
            let browser = desk.browser
            try await browser.resize(1366, 768)
            try await desk.visit("/")
            try await browser.wait(
                for: "[...document.querySelectorAll('button')].some((each) => each.textContent === 'New set' && !each.hidden)")
            try await Self.click("New set", desk)
            try await browser.wait(for: Self.panel)
            try await Self.click("Save", desk)
            try await browser.wait(for: "\(Self.panel).querySelector('.trouble').textContent === 'Choose a day.'")
            try await browser.run(
                """
                const tomorrow = new Date(Date.now() + 86_400_000).toLocaleDateString("sv");
                for (const [name, value] of [["day", tomorrow], ["time", "19:30"], ["title", "\(Self.title)"]]) {
                  const input = \(Self.panel).querySelector(`[name=${name}]`);
                  input.value = value;
                  input.dispatchEvent(new Event("input"));
                }
                """)
            try await Self.addSong("zither", desk)
            try await Self.addSong("quokka", desk)
            try await browser.wait(for: "\(Self.titles) === 'Zither Waltz,Quokka March'")
            try await browser.expectAccess("a new set")
            // Neither a tap beside the panel nor a new page loses anything.
            try await browser.press(.escape)
            try await browser.wait(for: "!\(Self.panel)")
            try await desk.visit("/")
            try await browser.wait(
                for: "[...document.querySelectorAll('button')].some((each) => each.textContent === 'New set' && !each.hidden)")
            try await Self.click("New set", desk)
            try await browser.wait(for: "\(Self.panel) && \(Self.titles) === 'Zither Waltz,Quokka March'")
            try await browser.wait(for: "\(Self.panel).querySelector('[role=status]').textContent === 'This is not saved yet.'")
            try await browser.run("\(Self.panel).querySelector('[aria-label=\"Move Quokka March up\"]').focus()")
            try await browser.press(.enter)
            try await browser.wait(for: "\(Self.titles) === 'Quokka March,Zither Waltz'")
            #expect(try await browser.ask("return document.activeElement.ariaLabel") == "Move Quokka March up")
            try await browser.run(
                """
                for (const [name, value] of [["Key of Quokka March", "A"], ["Capo of Quokka March", "2"]]) {
                  const choice = \(Self.panel).querySelector(`[aria-label="${name}"]`);
                  choice.value = value;
                  choice.dispatchEvent(new Event("change"));
                }
                """)
            try await Self.click("Save", desk)
            try await browser.wait(for: "!\(Self.panel) && \(Self.card)")
            #expect(try text() == "Quokka March (A, capo 2)\nZither Waltz\n")
            #expect(try await browser.ask("return localStorage.getItem('woodshed-sets')") == "[]")
            try await browser.resize(500, 768)
            try await browser.wait(for: "document.documentElement.scrollWidth <= innerWidth")
            try await browser.resize(1366, 768)

            try await browser.run("\(Self.card).querySelector('a[data-plan]').click()")
            try await browser.wait(for: "[...document.querySelectorAll('.trail button')].some((each) => each.textContent === 'Edit')")
            try await Self.click("Edit", desk)
            try await browser.wait(for: "\(Self.panel) && \(Self.titles) === 'Quokka March,Zither Waltz'")
            try await Self.click("Remove Zither Waltz", desk)
            // Meanwhile, somebody edits the file.
            let name = try #require(try FileManager.default.contentsOfDirectory(atPath: sets.path).first { $0.hasSuffix(".txt") })
            try AtomicFile.write("# softly\nZither Waltz\n", to: sets.path(name))
            try await Self.click("Save", desk)
            try await browser.wait(for: "\(Self.titles) === 'softly,Zither Waltz'")
            try await browser.expectAccess("a set that others changed")
            #expect(try text() == "# softly\nZither Waltz\n", "it is not written over")
            try await Self.click("Put my version back", desk)
            try await browser.wait(for: "\(Self.titles) === 'Quokka March'")
            try await Self.click("Save", desk)
            try await browser.wait(for: "!\(Self.panel) && document.querySelectorAll('ol.items .item').length === 1")
            #expect(try text() == "Quokka March (A, capo 2)\n")
            // The plan is there before its charts have been copied, and the page asks for them at once. While somebody takes a song out of
            // the list, the page may still ask for that song.
            let gone = "%230 - Failed to load resource: the server responded with a status of 404 (Not Found)"
            try await browser.expectNoComplaints(
                besides: "503 (Service Unavailable)", "409 (Conflict)", "item=quokka+march" + gone, "item=zither+waltz" + gone)
        }
    }
}
