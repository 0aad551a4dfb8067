import Glibc
import Model
import PageCache
import PagePNG
import Platform
import TestSupport
import Testing

@Suite(.onLoop)
struct VerifyTests {
    private let home = TemporaryFolder()

    /// A picture of noise, so no part of the file occurs twice.
    private func picture(key: ImageKey, width: Int = 40, height: Int = 150, isGray: Bool = false) -> [UInt8] {
        var generator = SeededGenerator(seed: 7)
        let pixels = (0..<width * height).map { _ in
            isGray ? UInt32.random(in: 0...255, using: &generator) * 0x010101 : UInt32.random(in: 0...0xFFFFFF, using: &generator)
        }
        let rows = PackedRows()
        pixels.withUnsafeBufferPointer { rows.pack($0.baseAddress!, width: width, height: height) }
        return PNGWriter().image(of: rows, key: key)
    }

    private func inputs(_ page: Int) -> ImageInputs { Samples.inputs(page: page) }

    @LoopActor @discardableResult private func store(_ page: Int, in cache: PageCache, isGray: Bool = false) throws -> ImageName {
        let inputs = inputs(page)
        try cache.store(ImageName(inputs), picture(key: inputs.key, height: 100 + 30 * page, isGray: isGray))
        return ImageName(inputs)
    }

    @Test @LoopActor func whatWeMadeIsWhole() async throws {
        let cache = try PageCache(folder: home.path)
        for page in 0..<20 { try store(page, in: cache, isGray: page % 2 == 0) }
        let report = try await cache.verify()
        #expect(report.intact == 20)
        #expect(report.bad.isEmpty && report.vanished.isEmpty && report.unreadable.isEmpty && report.strangers.isEmpty)
        #expect(cache.present().count == 20)
    }

    /// After a reader has listed the images, others make and remove some.
    @Test @LoopActor func whatChangesAfterTheListingIsAsItIsFound() async throws {
        let cache = try PageCache(folder: home.path)
        let gone = try store(0, in: cache)
        let cut = try store(1, in: cache)
        let reader = try PageCache(readingFrom: home.path)
        let new = try store(2, in: cache)
        try cache.remove(gone)
        truncate(cache.path(of: cut), 70)
        let absent = ImageName(inputs(3))
        #expect(reader.conditions(of: [gone, cut, new, absent]) == [gone: .missing, cut: .damaged, new: .intact, absent: .missing])
        // Somebody else has replaced the damaged file by an intact one.
        try store(1, in: cache)
        #expect(reader.conditions(of: [cut]) == [cut: .intact])
        let report = await reader.verify([gone, cut, new, absent])
        #expect(report.intact == 2 && report.missing == [gone, absent] && report.bad.isEmpty)
    }

    /// A single byte is damaged, anywhere in the file.
    @Test @LoopActor func everyDamagedByteIsFound() async throws {
        let cache = try PageCache(folder: home.path)
        let inputs = inputs(0)
        let name = ImageName(inputs)
        let whole = picture(key: inputs.key, width: 5, height: 130)
        for place in whole.indices {
            var bytes = whole
            bytes[place] ^= 1 << UInt8(place % 8)
            // A file with damaged ends cannot be published, so the damage comes afterwards.
            try cache.store(name, whole)
            try Shell.write(bytes, to: cache.path(of: name))
            #expect(await cache.verify([name]).bad == [name], "byte \(place)")
            #expect(!Shell.exists(cache.path(of: name)))
            #expect(!cache.contains(name))
        }
    }

    @Test @LoopActor func noDamagedByteIsLoadedAsWhole() throws {
        let cache = try PageCache(folder: home.path)
        let inputs = inputs(0)
        let name = ImageName(inputs)
        #expect(try cache.loadIntact(name) == nil)
        let whole = picture(key: inputs.key, width: 5, height: 130)
        try cache.store(name, whole)
        #expect(try cache.loadIntact(name) == whole)
        for place in whole.indices {
            var bytes = whole
            bytes[place] ^= 1 << UInt8(place % 8)
            try Shell.write(bytes, to: cache.path(of: name))
            // Damage at the ends counts as a miss, as in every other look-up.
            let isMiss = (try? cache.loadIntact(name)) == .some(nil)
            if !isMiss { #expect(throws: PageCacheError.damaged(name), "byte \(place)") { try cache.loadIntact(name) } }
            #expect(isMiss || Shell.exists(cache.path(of: name)))
        }
        let other = ImageName(self.inputs(1))
        try cache.store(other, whole)
        #expect(throws: PageCacheError.damaged(other)) { try cache.loadIntact(other) }
    }

    @Test @LoopActor func anImageUnderAnothersNameIsBad() async throws {
        let cache = try PageCache(folder: home.path)
        let (one, two) = (try store(0, in: cache), try store(1, in: cache))
        try Shell.write(try AtomicFile.read(cache.path(of: one), limit: 1 << 20), to: cache.path(of: two))
        let events = ImageEvents(of: cache)
        let report = try await cache.verify()
        #expect(report.bad == [two])
        #expect(report.intact == 1)
        #expect(events.reports == [ImageEvents.Report(name: two, event: .corrupt)])
        #expect(cache.present() == [one])
    }

    @Test(arguments: ["nothing", "cut off", "garbage", "folder", "full folder", "link", "pipe", "socket"])
    @LoopActor func whatStandsInAnImagesPlaceIsBad(kind: String) async throws {
        let cache = try PageCache(folder: home.path)
        let name = try store(0, in: cache)
        try Shell.spoil(cache.path(of: name), kind)
        let report = await cache.verify([name])
        #expect(report.bad == [name])
        #expect(report.left == (kind == "full folder" ? [name] : []))
        #expect(!cache.contains(name))
        #expect(Shell.exists(cache.path(of: name)) == (kind == "full folder"))
        try store(0, in: cache)
        #expect(try await cache.verify().intact == 1)
    }

    /// The listing finds no image, but something else occupies the image's name.
    @Test(arguments: ["folder", "full folder", "link", "pipe", "socket"])
    @LoopActor func whatStoodInAnImagesPlaceFromTheBeginningIsBad(kind: String) async throws {
        let cache = try PageCache(folder: home.path)
        let (name, whole) = (try store(0, in: cache), try store(1, in: cache))
        try Shell.spoil(cache.path(of: name), kind)
        let reader = try PageCache(readingFrom: home.path)
        #expect(try await reader.verify().left == [name], "who only reads removes nothing")
        #expect(Shell.exists(cache.path(of: name)))
        let report = try await PageCache(folder: home.path).verify()
        #expect(report.bad == [name] && report.intact == 1 && report.strangers.isEmpty)
        #expect(report.left == (kind == "full folder" ? [name] : []))
        #expect(Shell.exists(cache.path(of: name)) == (kind == "full folder"))
        #expect(Shell.exists(cache.path(of: whole)))
    }

    @Test @LoopActor func strangersAreReportedAndLeftAlone() async throws {
        let cache = try PageCache(folder: home.path)
        let name = try store(0, in: cache)
        let running = try cache.begin(Samples.name(page: 5))
        let others = ["\(name.chart)/0-mirror-\(name.key).png", "\(name.chart)/notes.txt", "loose.png", "somebody's"]
        for other in others.dropLast() { try Shell.write(Samples.png(), to: home.path("pages/" + other)) }
        try Folder.create(home.path("pages/somebody's"))
        let report = try await cache.verify()
        #expect(report.strangers == others.sorted())
        #expect(report.intact == 1)
        #expect(others.allSatisfy { Shell.exists(home.path("pages/" + $0)) })
        #expect(Shell.exists(running.path))
    }

    @Test @LoopActor func aReaderRemovesNothing() async throws {
        let cache = try PageCache(folder: home.path)
        let name = try store(0, in: cache)
        truncate(cache.path(of: name), 500)
        let reader = try PageCache(readingFrom: home.path)
        let report = try await reader.verify()
        #expect(report.bad == [name] && report.left == [name])
        #expect(Shell.exists(cache.path(of: name)))
    }

    /// An agent that runs at the same time makes the image again immediately.
    @Test @LoopActor func whatIsMadeAgainMeanwhileIsNotLeft() async throws {
        let cache = try PageCache(folder: home.path)
        let name = try store(0, in: cache)
        truncate(cache.path(of: name), 500)
        let whole = picture(key: inputs(0).key)
        cache.setListener { [path = cache.path(of: name)] _, _, _ in try? Shell.write(whole, to: path) }
        let report = try await cache.verify()
        #expect(report.bad == [name])
        #expect(report.left == [], "what stands there now is another one")
        #expect(Shell.exists(cache.path(of: name)))
        #expect(try await cache.verify().intact == 1)
    }

    @Test @LoopActor func whatVanishedIsReportedAndNotBad() async throws {
        let cache = try PageCache(folder: home.path)
        let (one, two) = (try store(0, in: cache), try store(1, in: cache))
        unlink(cache.path(of: one))
        let report = await cache.verify([one, two, Samples.name("never")])
        #expect(report.vanished == [one])
        #expect(report.intact == 1)
        #expect(report.bad.isEmpty)
    }
}
