import BenchmarkCorpus
import Glibc
import JSON
import Model
import PageRaster
import Platform
import TestSupport
import Testing

private let node = "/usr/bin/node"

/// Where the viewer stops on pages that are taller than the screen, whatever program engraved them: the viewer's own modules decide, in
/// node, by the music that is found on each page.
///
/// The pages are those of the demo's scores and photographs, and of all PDFs below the folder in `WOODSHED_TEST_SCORES`. Beside
/// `x.pdf`, `x.systems.json` may state, for each page, where each system with its chords and words begins and ends,
/// in shares of the page's height, without the dividers between them. Otherwise the systems are those that were found.
@Suite(.onLoop, .needs(.otherPrograms), .enabled(if: access(node, X_OK) == 0, "node is not installed: apt-get install nodejs"))
struct StopsTests {
    private static let screens = [[1366, 768], [1920, 1080], [1024, 768], [768, 1024], [820, 1180], [390, 844], [844, 390]]

    /// A page as the viewer knows it, and what stands on it. Places are shares of its width and height.
    private struct Page: Encodable {
        let name: String
        let width, height: Int
        /// As the agent sends them: where each band begins and ends, and its kind.
        let bands: [Int]
        /// The part with ink on it.
        var part = Part()
        /// The systems with their chords and words, and the blocks of rows with ink.
        var systems: [[Double]] = []
        var blocks: [[Double]] = []
    }

    private struct Part: Encodable {
        var left = 0.0, top = 0.0
        var right = 1.0, bottom = 1.0
    }

    private struct Pages: Encodable {
        let pages: [Page]
        let screens: [[Int]]
    }

    private struct Account: Decodable {
        let stops: Int
        let systems: Int
        let faults: [String]
    }

    @Test @LoopActor func everySystemIsWholeAtSomeStopAndNoStopBeginsWithinOne() async throws {
        let folder = TemporaryFolder()
        var charts = try CorpusChart.demo(in: folder.path)
        charts += try CorpusChart.photographs(of: charts, in: folder.path)
        if let scores = getenv("WOODSHED_TEST_SCORES") { charts += try CorpusChart.all(below: String(cString: scores)) }
        var pages: [Page] = []
        for longSide in [1200, 1600] { for chart in charts { pages += try Self.pages(of: chart, longSide) } }
        #expect(pages.count >= 60)

        let modules = try #require(Repository.module("ReadingPages", in: "Sources"))
        for name in ["cuts.js", "layout.js"] {
            let text = try AtomicFile.read("\(modules)/assets/4-stage/\(name)", limit: 1 << 20)
            try AtomicFile.write(String(decoding: text, as: UTF8.self), to: folder.path(name))
        }
        try AtomicFile.write(#"{"type":"module"}"#, to: folder.path("package.json"))
        try AtomicFile.write(Self.script, to: folder.path("stops.js"))
        let json = try JSONWriter.encode(Pages(pages: pages, screens: Self.screens))
        try AtomicFile.write(String(decoding: json, as: UTF8.self), to: folder.path("pages.json"))
        let result = try await Program.run(node, [folder.path("stops.js"), folder.path("pages.json")])
        try #require(result.exit == .code(0), "\(result.messages)")
        let account = try JSONReader.decode(Account.self, from: Array(result.output.utf8))
        print("Stops: \(account.stops) on \(pages.count) pages with \(account.systems) systems")
        #expect(account.stops > 7 * pages.count && account.systems > pages.count)
        #expect(account.faults == [])
    }

    private static func pages(of chart: CorpusChart, _ longSide: Int) throws -> [Page] {
        let file = try Descriptor.openFile(chart.path)
        let document = try ChartDocument(descriptor: file.number)
        let raster = Raster()
        let truth = try? AtomicFile.read("\(chart.path.dropLast(4)).systems.json", limit: 1 << 20)
        let engraved = try truth.map { try JSONReader.decode([[[Double]]].self, from: $0) }
        return try (0..<document.pageCount).map { number in
            _ = try document.draw(page: number, longSide: longSide, into: raster)
            let bytes = raster.music()
            let name = "\(chart.name), page \(number + 1), \(longSide)"
            let (known, found) = (try #require(PageMusic(bytes), "\(name)"), try #require(FoundMusic(bytes), "\(name)"))
            let bands = known.bands.flatMap { [Int($0.from), Int($0.to), Int($0.kind.rawValue)] }
            var page = Page(name: name, width: raster.width, height: raster.height, bands: bands)
            if let engraved {
                page.systems = engraved[number]
            } else if found.isTurned {
                // The systems were found on the slanted page, but the viewer shows it upright: there, a system is the part between two cuts.
                let cuts = known.bands.filter { $0.kind != .inner }
                page.systems = zip(cuts, cuts.dropFirst()).map { [Double($0.to) / 10_000, Double($1.from) / 10_000] }
            } else {
                // Systems that reach into each other end at their cut.
                page.systems = found.systems.filter { $0.isSure || $0.isTouching }
                    .map { [max($0.top, $0.cutAbove.lowerBound), min($0.bottom, $0.cutBelow.upperBound)] }
            }
            if !found.isTurned { mark(raster, on: &page) }
            return page
        }
    }

    /// Notes the rows with ink, and the part of the page that has any.
    private static func mark(_ raster: Raster, on page: inout Page) {
        var (left, right) = (raster.width, 0)
        for y in 0..<raster.height {
            let inked = (0..<raster.width).filter { raster[$0, y] & 0xff < 140 }
            guard let first = inked.first, let last = inked.last else { continue }
            (left, right) = (min(left, first), max(right, last + 1))
            let (from, to) = (Double(y) / Double(raster.height), Double(y + 1) / Double(raster.height))
            if page.blocks.last?[1] == from { page.blocks[page.blocks.count - 1][1] = to } else { page.blocks.append([from, to]) }
        }
        guard let first = page.blocks.first, let last = page.blocks.last else { return }
        let width = Double(raster.width)
        (page.part.left, page.part.top) = (Double(left) / width, first[0])
        (page.part.right, page.part.bottom) = (Double(right) / width, last[1])
    }

    private static let script = """
        import { readFileSync } from "node:fs";
        import { cutBetween, viewsOf } from "./cuts.js";
        import { place, sizeOfPart } from "./layout.js";

        const { pages, screens } = JSON.parse(readFileSync(process.argv[2], "utf8"));
        const KINDS = [null, "system", "end", "foot"];
        // The white that a view keeps above its first system (CSS pixels), and half of a cut between systems without white between them.
        const [AIR, THIN] = [8, 0.003];
        // The viewer does not cut through white that is no higher than this (CSS pixels), unless a system begins there.
        const LEAST = 2;
        const account = { stops: 0, systems: 0, faults: [] };

        function layoutOf(page, [width, height], fit) {
          const bands = Array.from({ length: page.bands.length / 3 }, (_, i) => page.bands.slice(3 * i, 3 * i + 3))
            .map(([from, to, kind]) => ({ from: from / 10000, to: to / 10000, kind: KINDS[kind], isBare: true }));
          return { bands, ...place([{ ...sizeOfPart(page, page.part), bands }], { width, height }, fit, 1, height) };
        }

        function check(page, screen, fit, isHalf) {
          const [width, height] = screen;
          const { bands, ...layout } = layoutOf(page, screen, fit);
          const { whole } = layout.slots[0];
          const tops = layout.height > height + 1 ? viewsOf([{ bands, slot: layout.slots[0] }], height, layout.height, isHalf) : [0];
          account.stops += tops.length;
          const fail = (words) => account.faults.push(`${page.name}, ${width} × ${height}, ${fit}${isHalf ? ", half" : ""}: ${words}; [${tops}]`);
          if (tops.some((top, i) => i > 0 && top <= tops[i - 1])) fail("a view does not move forward");
          const foot = bands.find(({ kind }) => kind === "foot")?.from ?? 1;
          const thin = THIN * whole.height + 1;
          const placed = (spans) => spans.filter(([from]) => from < foot).map((span) => span.map((share) => whole.y + share * whole.height));
          // What is between the bands of white is ink, other than the marks of musicians.
          const inked = [...bands, { from: 1 }].map(({ from }, i) => [i > 0 ? bands[i - 1].to : 0, from]).filter(([from, to]) => to > from);
          const isNew = (top, i) => placed(inked).some(([from, to]) => to > top && from < top + height
            && !tops.slice(0, i).some((earlier) => from >= earlier - 1 && to <= earlier + height + 1));
          if (tops.some((top, i) => i > 0 && !isNew(top, i))) fail("a view has nothing that was not whole before");
          const seen = (from, to) => tops[0] <= from + thin && tops.at(-1) + height >= to - thin
            && tops.every((top, i) => i === 0 || tops[i - 1] + height >= Math.min(top, to) - thin || top <= from + thin || tops[i - 1] + height >= to - thin);
          const begins = (first, last) => bands.some(({ from, to, kind }) => kind && from < last + 1e-4 && to > first - 1e-4);
          const joined = (spans) => spans.reduce((all, [from, to]) => {
            const before = all.at(-1);
            if (before && (from - before[1]) * whole.height <= LEAST && !begins(before[1], from)) before[1] = to;
            else all.push([from, to]);
            return all;
          }, []);
          const isWhole = (from, to) => tops.some((top) => from >= top - thin && to <= top + height + thin);
          // Two systems without white between them are one block, which is cut all the same.
          const isCut = ([first, last]) => bands.some(({ from, to, kind }) => kind && from > first && to < last);
          const blocks = page.blocks.filter((block) => !isCut(block));
          for (const [kind, spans] of [["system", placed(page.systems)], ["block", placed(joined(blocks))]]) {
            for (const [number, [from, to]] of spans.entries()) {
              const name = `${kind} ${number + 1} of ${spans.length} (${Math.round(from)} to ${Math.round(to)})`;
              if (!seen(from, to)) fail(`${name} is missing`);
              if (to - from > height - AIR) continue;
              if (!isWhole(from, to)) fail(`${name} is whole at no stop`);
              if (kind === "system" && tops.some((top, i) => i > 0 && top > from + thin && top < to - thin)) fail(`a view begins within ${name}`);
            }
          }
        }

        // Half a turn cuts between two systems of the page below, if there are any in the middle third.
        function checkTurn(page, next, screen) {
          const [below, above] = [page, next].map((each) => layoutOf(each, screen, "page"));
          const row = below.height * cutBetween([{ bands: below.bands, slot: below.slots[0] }], [{ bands: above.bands, slot: above.slots[0] }], below.height);
          const { y, height } = below.slots[0].whole;
          const cuts = below.bands.filter(({ kind }) => kind).map(({ from, to }) => [y + from * height, y + to * height]);
          const isNear = ([from, to]) => Math.min(to, 0.67 * below.height) - Math.max(from, 0.33 * below.height) > LEAST;
          if (!cuts.some(isNear) || cuts.some(([from, to]) => from <= row + 1 && to >= row - 1)) return;
          account.faults.push(`${page.name}, ${screen}: half a turn cuts at ${row} of ${below.height}; ${cuts}`);
        }

        const chartOf = ({ name }) => name.replace(/, page \\d+/, "");
        for (const [i, page] of pages.entries()) {
          const next = pages[i + 1];
          if (next && chartOf(next) === chartOf(page)) for (const screen of screens) checkTurn(page, next, screen);
          account.systems += page.systems.length;
          for (const screen of screens) for (const fit of ["width", "page"]) for (const isHalf of [false, true]) check(page, screen, fit, isHalf);
        }
        account.faults.splice(40);
        process.stdout.write(JSON.stringify(account));
        """
}
