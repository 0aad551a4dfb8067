import Model
import PageRaster
import TestSupport
import Testing

/// The links and the outline of PDFs.
@Suite(.timeLimit(.minutes(5)))
struct PlacesTests {
    /// Links on the first of two pages, to these destinations; the page numbers in them are objects 4 and 6.
    private func chart(_ links: [String], catalog: String = "", _ add: (inout TestPDF) -> Void = { _ in }) throws -> ChartPlaces {
        var pdf = TestPDF()
        let list = links.enumerated().map { index, link in
            "<< /Type /Annot /Subtype /Link /Rect [100 \(700 - index / 10) 200 \(720 - index / 10)] \(link) >>"
        }
        pdf.addPage(width: 400, height: 800, entries: "/Annots [\(list.joined(separator: "\n"))]")
        pdf.addPage(width: 400, height: 800)
        pdf.catalog = catalog
        add(&pdf)
        return try Drawing.document(pdf).places()
    }

    /// The place that a link leads to shows a black square's top left corner, and its box is red.
    @Test(arguments: [0, 90, 180, 270])
    func onTurnedAndCroppedPagesLinksLeadToWhatTheyName(rotation: Int) throws {
        var pdf = TestPDF()
        pdf.addPage(
            width: 500, height: 700, crop: (left: 50, bottom: 100, right: 350, top: 500), rotation: rotation,
            entries: "/Annots [<< /Type /Annot /Subtype /Link /Rect [250 150 300 170] /Border [0 0 0] /Dest [4 0 R /XYZ 90 440 0] >>]",
            "0 g 90 420 20 20 re f 1 0 0 rg 250 150 50 20 re f")
        let document = try Drawing.document(pdf)
        let raster = Raster()
        _ = try document.draw(page: 0, longSide: 400, into: raster)
        let jump = try #require(document.places().jumps.first)
        func shows(_ color: UInt32, x: Double, y: Double) -> Bool {
            let (across, down) = (Int(x * Double(raster.width)), Int(y * Double(raster.height)))
            return (-2...2).contains { dx in (-2...2).contains { dy in raster[across + dx, down + dy] == color } }
        }
        #expect(shows(0x000000, x: jump.to.x, y: jump.to.y) && shows(0xffffff, x: jump.to.x, y: jump.to.y), "a corner of the square")
        let box = try #require(jump.box)
        #expect(shows(0xff0000, x: jump.from.x, y: jump.from.y))
        for (x, y) in [(box[0], box[1]), (box[2], box[3])] {
            #expect(shows(0xff0000, x: x, y: y) && shows(0xffffff, x: x, y: y), "a corner of the link")
        }
    }

    @Test(
        arguments: [
            ("/XYZ 100 600 0", 0.25, 0.25), ("/XYZ null 600 0", 0, 0.25), ("/XYZ 100 null 0", 0.25, 0), ("/XYZ null null null", 0, 0),
            ("/Fit", 0, 0), ("/FitB", 0, 0), ("/FitH 600", 0, 0.25), ("/FitH null", 0, 0), ("/FitBH 600", 0, 0.25), ("/FitV 100", 0.25, 0),
            ("/FitR 100 200 300 600", 0.25, 0.25), ("/XYZ 0 5000 0", 0, 0), ("/XYZ -90 -1 0", 0, 0),
            ("/XYZ 100 100000000000000000000 0", 0.25, 0),
        ] as [(String, Double, Double)])
    func eachKindOfDestinationIsAPlace(destination: String, x: Double, y: Double) throws {
        let jump = try #require(try chart(["/Dest [6 0 R \(destination)]"]).jumps.first)
        #expect(jump.to == PagePlace(page: PageIndex(1), x: x, y: y))
        #expect(jump.from.page == PageIndex(0) && jump.pass == nil && !jump.isOwn)
    }

    @Test func namesAreFollowedInBothOfTheirForms() throws {
        let new = try chart(["/A << /S /GoTo /D (coda) >>"], catalog: "/Names << /Dests << /Names [(coda) [6 0 R /XYZ 100 600 0]] >> >>")
        let old = try chart(["/Dest /coda", "/Dest /gone"], catalog: "/Dests << /coda << /D [6 0 R /XYZ 100 600 0] >> >>")
        for places in [new, old] { #expect(places.jumps.map(\.to) == [PagePlace(page: PageIndex(1), x: 0.25, y: 0.25)]) }
    }

    /// Programs write a link to the source of the music for every note.
    @Test func linksThatLeadElsewhereAreLeftOut() throws {
        let others = Array(repeating: "/A << /S /URI /URI (textedit:///home/somebody/song.ly:1:2:3) >>", count: 5000)
        let wild = [
            "/Dest [9 /Fit]", "/Dest [99 0 R /Fit]", "/Dest []", "/Dest 7", "/A << /S /GoToR /F (other.pdf) /D [0 /Fit] >>",
            "/A << /S /Launch /F (program) >>", "/A << /S /JavaScript /JS (app.alert\\(1\\)) >>", "",
        ]
        let places = try chart(others + wild + ["/Dest [6 0 R /Fit]"])
        #expect(places.jumps.map(\.id) == ["link-1"] && places.jumps[0].to.page == PageIndex(1))
    }

    @Test func noMoreLinksThanAreShownAreReadInTheOrderOfTheirPlaces() throws {
        let places = try chart(Array(repeating: "/Dest [6 0 R /Fit]", count: 500))
        #expect(places.jumps.count == ChartPlaces.mostJumps)
        #expect(places.jumps.map(\.from.y) == places.jumps.map(\.from.y).sorted())
    }

    @Test func aChartWithoutAnyHasNone() throws {
        #expect(try chart([]).isEmpty)
    }

    // MARK: - The outline

    private func outline(_ items: (Int) -> [String]) throws -> ChartPlaces {
        try chart([]) { pdf in
            let root = pdf.add("")
            let items = items(root)
            pdf.replace(root, "<< /Type /Outlines /First \(root + 1) 0 R /Last \(root + items.count) 0 R >>")
            for item in items { pdf.add("<< \(item) >>") }
            pdf.catalog = "/Outlines \(root) 0 R"
        }
    }

    @Test func entriesKeepTheirOrderLevelsAndTitles() throws {
        let places = try outline { root in
            [
                "/Title (Amazing\\nGrace) /Parent \(root) 0 R /Next \(root + 3) 0 R /First \(root + 2) 0 R /Last \(root + 2) 0 R /Dest [4 0 R /Fit]",
                "/Title <FEFF00D600642122> /Parent \(root + 1) 0 R /A << /S /GoTo /D [6 0 R /XYZ 0 600 0] >>",
                "/Title (elsewhere) /Parent \(root) 0 R /Next \(root + 4) 0 R /A << /S /URI /URI (https://example.org) >>",
                "/Title (Last) /Parent \(root) 0 R /Dest [6 0 R /Fit]",
            ]
        }
        #expect(places.bookmarks.map(\.title) == ["Amazing Grace", "Öd™", "Last"] && places.bookmarks.map(\.level) == [0, 1, 0])
        #expect(places.bookmarks.map(\.place.page.value) == [0, 1, 1] && places.bookmarks[1].place.y == 0.25)
        #expect(Set(places.bookmarks.map(\.id)).count == 3)
    }

    @Test func outlinesThatLeadInCirclesEnd() throws {
        let places = try outline { root in
            (1...3).map { number in
                "/Title (\(number)) /Parent \(root) 0 R /Dest [4 0 R /Fit] /Next \(root + number % 3 + 1) 0 R /First \(root + 1) 0 R /Last \(root) 0 R"
            }
        }
        #expect((1...ChartPlaces.mostEntries).contains(places.bookmarks.count))
    }

    @Test func longAndDeepOutlinesAreCut() throws {
        let long = try outline { root in
            (1...3000).map { "/Title (\($0)) /Parent \(root) 0 R /Dest [4 0 R /Fit] /Next \(root + $0 + 1) 0 R" }
        }
        #expect(long.bookmarks.count == ChartPlaces.mostEntries)
        let deep = try outline { root in
            (1...50).map { "/Title (\($0)) /Parent \(root + $0 - 1) 0 R /Dest [4 0 R /Fit] /First \(root + $0 + 1) 0 R" }
        }
        #expect(deep.bookmarks.map(\.level) == Array(0...ChartPlaces.deepest))
    }
}
