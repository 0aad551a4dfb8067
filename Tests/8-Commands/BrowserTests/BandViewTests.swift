import BandLayout
import DemoService
import Model
import Platform
import StandInSupport
import TestSupport
import Testing

/// The views of a musician whose band shares a folder.
@Suite(.onLoop, .browsers, .needs(.browser), .serialized, .enabled(if: Browser.isInstalled, Browser.isMissing))
struct BandViewTests {
    private static let plan = "67810002"

    /// Runs a test with a desk where Anna plays in a band, and with the band's folder.
    @LoopActor
    private static func use(_ test: @LoopActor (Desk, BandPlace) async throws -> Void) async throws {
        let place = try BandPlace()
        try await Desk.use(viewer: "band:\n  place: \(place.folder.path)\n  person: Anna") { try await test($0, place) }
    }

    @Test @LoopActor func aPlanSaysWhoIsReady() async throws {
        try await Self.use { desk, place in
            let browser = desk.browser
            try place.say("Ben", readiness: [])
            try place.say("Chris", readiness: ["Amazing Grace: not downloaded"])
            try place.say("Dora", readiness: nil)
            try await browser.resize(1100, 800)
            try await desk.visit("/plan/" + Self.plan)
            let said = "document.querySelector('.band')?.innerText.trim()"
            let words = "Ready: Anna, Ben. Not ready: Chris (Amazing Grace: not downloaded). Nothing said: Dora."
            try await browser.wait(for: "\(said) === '\(words)'")
            try await browser.screenshot("band-plan")
            try await browser.expectAccess("a plan of a band")
            try await browser.setDark(true)
            try await browser.resize(390, 844, scale: 2)
            try await browser.screenshot("band-plan-dark-narrow")
            try await browser.expectAccess("a plan of a band in the dark")
            try await browser.setDark(false)
            // A new report of another member appears on the page without a reload.
            try place.say("Chris", readiness: [])
            try await browser.wait(for: "\(said) === 'Ready: Anna, Ben, Chris. Nothing said: Dora.'")
            try await browser.expectNoComplaints()
        }
    }

    @Test @LoopActor func marksOfOthersAreAnnouncedAndAHiddenLayerStaysHidden() async throws {
        try await Self.use { desk, place in
            let browser = desk.browser
            try await browser.resize(900, 1200)
            let witness = try await desk.play()
            try await browser.noteCues()
            let stop = try await witness.stops()[0]
            let asked = "fetch('/api/chart/\(stop.chart)').then((reply) => reply.json())"
            let hash: String = try await browser.ask("return \(asked).then(({ hash }) => hash)")
            let chart = ChartHash(try #require(Digest(hex: hash)))
            let page: Int = try await browser.ask("return Number(document.body.dataset.page)")
            try place.say("Ben", marks: 3, page: page, on: chart)
            try await browser.wait(for: "window.cues.includes('3 new marks by Ben')")
            try await browser.screenshot("band-new-marks")
            try place.say("Ben", marks: 4, page: page, on: chart)
            try await browser.wait(for: "window.cues.includes('1 new mark by Ben')")

            try await browser.press(.l)
            let row =
                "[...document.querySelectorAll('dialog .layers label')].find((label) => label.querySelector('.layer-name').textContent === 'Ben')"
            try await browser.wait(for: row)
            #expect(try await browser.ask("return \(row).querySelector('.quiet').textContent") == "Drawn in Woodshed · on 1 page")
            try await browser.screenshot("band-layers")
            try await browser.expectAccess("layers of a band")
            try await browser.run("\(row).querySelector('input').click()")
            let ben = "\(asked).then(({ layers }) => layers.find(({ person }) => person === 'Ben'))"
            try await browser.wait(for: "\(ben).then(({ visible }) => !visible)")
            try place.say("Ben", marks: 6, page: page, on: chart)
            try await browser.wait(for: "\(ben).then(({ marks, visible }) => marks === 6 && !visible)")
            let known = "modules['books.js'].book.all.flatMap(({ chart }) => chart.layers)"
            try await browser.wait(for: "\(known).some(({ marks, visible }) => marks === 6 && !visible)")
            #expect(try await browser.ask("return \(row).querySelector('input').checked") == false)
            try await browser.run("\(row).querySelector('input').click()")
            try await browser.wait(for: "\(known).some(({ marks, visible }) => marks === 6 && visible)")
            #expect(
                try await browser.ask("return window.cues.includes('2 new marks by Ben')") == false, "who did not see them is told nothing")
            try await browser.expectNoComplaints()
        }
    }

    @Test @LoopActor func theBandSeesAChartWhoseSwitchIsOn() async throws {
        try await Self.use { desk, _ in
            let browser = desk.browser
            try await browser.resize(900, 1200)
            let witness = try await desk.play()
            let stop = try await witness.stops()[0]
            try await browser.press(.l)
            let share = "document.querySelector('dialog .switch-row input')"
            try await browser.wait(for: share)
            #expect(try await browser.ask("return \(share).checked") == false)
            #expect(try await browser.ask("return \(share).closest('label').textContent") == "The band sees my marks here")
            for isShared in [true, false] {
                try await browser.run("\(share).click()")
                try await browser.wait(
                    for: "fetch('/api/chart/\(stop.chart)').then((reply) => reply.json()).then(({ shared }) => shared === \(isShared))")
                try await browser.wait(for: "\(share).checked === \(isShared) && \(share).getAttribute('aria-busy') !== 'true'")
                if isShared {
                    try await browser.screenshot("band-share")
                    try await browser.setDark(true)
                    try await browser.screenshot("band-share-dark")
                    try await browser.setDark(false)
                }
            }
            try await browser.expectNoComplaints()
        }
    }
}

/// The band's folder, in which other members write.
@LoopActor
private final class BandPlace {
    let folder = TemporaryFolder()
    private var counters: [String: Int] = [:]
    private static let plan = PlanID("67810002")

    init() throws {
        try write(BandMarker(id: BandDevice("teamteamteamteam"), name: "Harmony").bytes, as: BandPath.marker)
    }

    private func write(_ bytes: [UInt8], as path: String) throws {
        try AtomicFile.write(String(decoding: bytes, as: UTF8.self), to: folder.path(path))
    }

    /// Writes a member's report for the next plan: an empty list means ready, and `nil` means no report about that plan.
    func say(_ person: String, readiness lacks: [String]?) throws {
        let word = lacks.map { lacks in
            BandHead.Readiness(
                plan: Self.plan, title: "Sunday", time: nil, isReady: lacks.isEmpty, lacks: lacks, asOf: SystemClock().timestamp)
        }
        try write(person) { $0.readiness = word.map { [$0] } ?? [] }
    }

    /// Has a member share this many marks on a page of a chart.
    func say(_ person: String, marks: Int, page: Int, on chart: ChartHash) throws {
        let list = (0..<marks).map { number in
            ##"{"id":"\##(number)","page":\##(page),"kind":"pen","color":"#00ff00","width":0.02,"points":[[0.2,0.\##(number + 1)],[0.8,0.\##(number + 1)]]}"##
        }
        let object = Array(#"{"version":1,"attachment_id":"x","name":"Drawn in Woodshed","marks":[\#(list.joined(separator: ","))]}"#.utf8)
        let sum = SHA256.digest(of: object)
        try write(person) { head in
            try write(object, as: BandPath.object(sum, of: head.device))
            head.layers = [
                BandHead.Layer(
                    id: "l1", name: "Drawn in Woodshed", chart: chart, title: "Grace", object: sum, length: object.count,
                    since: head.counter)
            ]
        }
    }

    private func write(_ person: String, _ fill: (inout BandHead) throws -> Void) throws {
        let device = BandDevice(String((person.lowercased() + "0000000000000000").prefix(16)))
        counters[person, default: 0] += 1
        var head = BandHead(device: device, counter: counters[person, default: 1], person: person, name: "laptop")
        try Folder.create(folder.path(BandPath.folder(of: device)))
        try fill(&head)
        try write(head.bytes, as: BandPath.head(of: device))
    }
}
