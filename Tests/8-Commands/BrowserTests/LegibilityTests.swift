import Foundation
import Platform
import TestSupport
import Testing

/// Music can be read from a stand: its lines are black enough on an ordinary screen.
@Suite(.onLoop, .browsers, .needs(.browser), .serialized, .enabled(if: Browser.isInstalled, Browser.isMissing))
struct LegibilityTests {
    /// Script parts for the pixels of the page on screen, and for the lightness of a colour value.
    private static let page = """
        const canvas = document.querySelector(".stage > .sheet:last-child canvas.page");
        const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d");
        copy.drawImage(canvas, 0, 0);
        const { width, height } = canvas;
        const { data } = copy.getImageData(0, 0, width, height);
        const linear = (value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
        """

    /// The contrast of each staff line with the paper, measured in the line's darkest row at the median pixel.
    private static let contrasts = """
        \(page)
        const [left, right] = [Math.floor(width * 0.3), Math.floor(width * 0.7)];
        const rows = Array.from({ length: height }, (_, y) => {
          const row = [];
          for (let x = left; x < right; x += 4) {
            const i = 4 * (y * width + x);
            const [red, green, blue] = [data[i], data[i + 1], data[i + 2]];
            // A coloured pixel belongs to a mark, not to a staff line.
            const isMark = Math.max(red, green, blue) - Math.min(red, green, blue) > 40;
            row.push(isMark ? 1 : 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue));
          }
          row.sort((a, b) => a - b);
          // A staff line is dark along nearly its whole length; a row of text or notes is dark only in parts.
          return { line: row[row.length >> 1], most: row[Math.floor(row.length * 0.85)] };
        });
        const isDarkest = ({ line }, y) => line <= (rows[y - 1]?.line ?? 1) && line < (rows[y + 1]?.line ?? 1);
        const lines = rows.map((row, y) => ({ ...row, y })).filter((row) => row.most < 0.93 && isDarkest(row, row.y));
        // Only five lines at equal distances are a staff.
        const groups = lines.map((_, i) => lines.slice(i, i + 5)).filter((five) => {
          const steps = five.slice(1).map(({ y }, j) => y - five[j].y);
          const mean = steps.reduce((sum, each) => sum + each, 0) / 4;
          return five.length === 5 && steps.every((each) => Math.abs(each - mean) <= 1.5);
        });
        // Another line may follow a staff at the distance of the staff's lines. Of such six lines, the five darkest are the staff.
        const palest = (five) => Math.max(...five.map(({ line }) => line));
        const taken = new Set();
        for (const five of groups.sort((a, b) => palest(a) - palest(b))) {
          if (!five.some((line) => taken.has(line))) five.forEach((line) => taken.add(line));
        }
        return [...taken].map(({ line }) => 1.05 / (line + 0.05));
        """

    /// A whole page on the screen is the smallest size that a musician sees. On a large screen, one line in twenty may be paler, since the
    /// test cannot distinguish other lines from staff lines there.
    @Test @LoopActor func staffLinesAreBlackOnALargeScreen() async throws {
        try await Desk.use(fullSize: 2732) { desk in
            let browser = desk.browser
            try await browser.resize(1920, 1080)
            let witness = try await desk.play()
            var found: [Double] = []
            let stops = try await witness.stops()
            for number in stops.indices {
                if number > 0 {
                    try await browser.press(.right)
                    try await witness.arrivals(number)
                }
                found += try await browser.ask(Self.contrasts, as: [Double].self)
            }
            let sorted = found.sorted()
            try #require(sorted.count > 100, "\(sorted.count) lines")
            let figures =
                "least \(sorted[0]), a tenth below \(sorted[sorted.count / 10]), median \(sorted[sorted.count / 2]) of \(sorted.count)"
            print(figures)
            Attachment.record(figures, named: "contrast.txt")
            try await browser.screenshot("staff-lines")
            #expect(sorted[sorted.count / 20] >= 7, "\(figures)")
        }
    }

    /// The same for lines that are not quite level, as on a photographed page: finds thin ink with light paper above and below.
    private static let thinContrasts = """
        \(page)
        const found = [];
        for (let x = Math.floor(width * 0.3); x < width * 0.7; x += 16) {
          const light = (y) => data[4 * (y * width + x)];
          for (let y = 6; y < height - 6; y += 1) {
            if (light(y) < 150 && light(y) <= light(y - 1) && light(y) < light(y + 1) && light(y - 6) > 200 && light(y + 6) > 200) {
              found.push(1.05 / (linear(light(y)) + 0.05));
            }
          }
        }
        return found;
        """

    /// Checks every stop of each chart in the default view, where photographed paper is shown white, on a laptop's screen.
    @Test @LoopActor func staffLinesOfEveryChartAreBlack() async throws {
        try await Desk.use(fullSize: 2732) { desk in
            let browser = desk.browser
            try await browser.resize(1366, 768)
            let charts = try await desk.charts()
            let scans = charts.filter { $0.name.contains("scan") }
            for chart in Asked.sample(of: charts.filter { !$0.name.contains("scan") }) + scans {
                try await desk.openChart(chart.id)
                try await desk.hideControls()
                let isScan = chart.name.contains("scan")
                if isScan { try await browser.screenshot("scan-\(chart.id)") }
                let found = try await everyStop(isScan ? Self.thinContrasts : Self.contrasts, browser).sorted()
                let figures =
                    "\(chart.name): \(found.count) lines, least \(found.first ?? 0), a tenth below \(found.isEmpty ? 0 : found[found.count / 10])"
                print(figures)
                // Charts of words and chords have no staves, and the grain of a photograph looks like short lines.
                let hasNone = ["Swing Low", "Saints"].contains { chart.name.hasPrefix($0) } || chart.name.hasSuffix("words and chords")
                #expect(found.isEmpty ? hasNone : found[isScan ? found.count / 10 : 0] >= 4.5, "\(figures)")
            }
            // The scan can also be shown with its own paper.
            let scan = try #require(charts.first { $0.name.contains("Ash Grove") })
            try await desk.openChart(scan.id)
            let paper = """
                (() => {
                  const canvas = document.querySelector(".stage > .sheet:last-child canvas.page");
                  const copy = new OffscreenCanvas(64, 64).getContext("2d");
                  copy.drawImage(canvas, 0, 0, 64, 64);
                  const { data } = copy.getImageData(0, 0, 64, 64);
                  return [...data].filter((_, i) => i % 4 === 0).sort((a, b) => a - b)[Math.floor(64 * 64 * 0.7)];
                })()
                """
            #expect(try await browser.ask("return \(paper) >= 250"))
            try await browser.press(.v)
            try await browser.wait(for: "document.querySelector('.switch-row input')")
            try await browser.run("document.querySelector('.switch-row input').click()")
            try await browser.wait(for: "\(paper) < 240 && \(Desk.isReady)")
            try await browser.screenshot("as-scanned")
        }
    }

    /// The results of a script at each stop from the current one to the end of the chart.
    @LoopActor private func everyStop(_ script: String, _ browser: Browser) async throws -> [Double] {
        let place = "return document.body.dataset.position + ' ' + document.querySelector('.stage').scrollTop"
        var found: [Double] = []
        while true {
            found += try await browser.ask(script, as: [Double].self)
            let before: String = try await browser.ask(place)
            try await browser.press(.right)
            try await browser.wait(for: Desk.isReady)
            if try await browser.ask(place) == before { return found }
        }
    }

    /// At night a highlight keeps its hue, and notes stand out from it.
    @Test @LoopActor func highlightsKeepTheirHueAtNight() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(900, 1200)
            let stop = try #require(try await desk.play().stops().first)
            let bars = [("#FFE04A80", 0.3), ("#FF8FB070", 0.5), ("#7CD67C80", 0.7)].enumerated().map {
                ##"{"id":"h\##($0)","page":0,"kind":"highlighter","color":"\##($1.0)","width":0.06,"points":[[0,\##($1.1)],[1,\##($1.1)]]}"##
            }
            try desk.save(bars.joined(separator: ","), on: stop.chart)
            try await browser.press(.n)
            try await browser.press(.right)
            try await browser.press(.left)
            try await browser.wait(for: "document.body.dataset.position === '0' && document.querySelector('.page.dark.coloured')")
            let picture = try #require(PNGImage(try await browser.picture("night-highlights")))
            let place: [Double] = try await browser.ask(
                "const { left, top, width, height } = document.querySelector('.page.dark').getBoundingClientRect(); return [left, top, width, height];"
            )
            // Look at the page's margin, which has no other ink.
            for (height, hue) in [(0.3, 50.0), (0.5, 340.0), (0.7, 120.0)] {
                let pixel = picture[Int(place[0] + place[2] * 0.02), Int(place[1] + place[3] * height)]
                let (red, green, blue) = (Int(pixel >> 16), Int(pixel >> 8 & 0xFF), Int(pixel & 0xFF))
                let contrast = (Self.luminance(red, green, blue) + 0.05) / 0.05
                #expect(contrast >= 2, "\(height): \(red) \(green) \(blue) is \(contrast):1")
                #expect(1.05 / (Self.luminance(red, green, blue) + 0.05) >= 4.5, "white notes over \(red) \(green) \(blue)")
                let far = abs(Self.hue(red, green, blue) - hue)
                #expect(min(far, 360 - far) < 30, "\(height): \(red) \(green) \(blue)")
            }
        }
    }

    private static func luminance(_ red: Int, _ green: Int, _ blue: Int) -> Double {
        let linear = [red, green, blue].map { (value: Int) -> Double in
            let part = Double(value) / 255
            return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    }

    private static func hue(_ red: Int, _ green: Int, _ blue: Int) -> Double {
        let (red, green, blue) = (Double(red), Double(green), Double(blue))
        let (most, least) = (max(red, green, blue), min(red, green, blue))
        guard most > least else { return .infinity }
        let span = most - least
        let part: Double
        if most == red {
            part = (green - blue) / span
        } else if most == green {
            part = 2 + (blue - red) / span
        } else {
            part = 4 + (red - green) / span
        }
        return (part * 60 + 360).truncatingRemainder(dividingBy: 360)
    }
}
