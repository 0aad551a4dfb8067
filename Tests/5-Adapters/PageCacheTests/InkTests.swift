import Model
import PageCache
import PagePNG
import Platform
import TestSupport
import Testing

/// The position of ink is known for checked images, and for images that state it.
@Suite(.onLoop)
struct InkTests {
    private let home = TemporaryFolder()
    private let name = Samples.name()

    private func image(ink columns: Range<Int>, statesInk: Bool = true) -> [UInt8] {
        var words = [UInt32](repeating: 0xff_ffff, count: 100 * 50)
        for x in columns { words[20 * 100 + x] = 0 }
        let (rows, writer) = (PackedRows(), PNGWriter())
        words.withUnsafeBufferPointer { rows.pack($0.baseAddress!, width: 100, height: 50) }
        writer.begin(ImageLayout(width: 100, height: 50, isGray: true), statesInk: statesInk)
        writer.append(0, of: rows)
        return writer.finish(key: Samples.inputs().key)
    }

    private func box(_ columns: Range<Int>) -> PageInk? {
        InkBox(columns: columns, rows: 20..<21, width: 100, height: 50).map { PageInk(all: $0) }
    }

    @Test @LoopActor func itIsKnownOnceTheImageIsMade() throws {
        let cache = try PageCache(folder: home.path)
        #expect(cache.ink(of: name) == nil)
        try cache.store(name, image(ink: 30..<40))
        #expect(cache.ink(of: name) == box(30..<40))
        cache.doubtAll()
        #expect(cache.ink(of: name) == box(30..<40))
        try cache.store(name, image(ink: 10..<90))
        #expect(cache.ink(of: name) == box(10..<90))
        try cache.remove(name)
        #expect(cache.ink(of: name) == nil)
    }

    @Test @LoopActor func itIsKnownAgainOnceTheImageIsCheckedAfterARestart() throws {
        try PageCache(folder: home.path).store(name, image(ink: 30..<40))
        let cache = try PageCache(folder: home.path)
        #expect(cache.ink(of: name) == nil)
        #expect(cache.intact([name]) == [name])
        #expect(cache.ink(of: name) == box(30..<40))
    }

    @Test @LoopActor func imagesThatStateNoInkAreAsGood() throws {
        let cache = try PageCache(folder: home.path)
        for bytes in [image(ink: 30..<40, statesInk: false), Samples.png()] {
            #expect(try cache.store(name, bytes))
            #expect(cache.intactPath(of: name) != nil && cache.ink(of: name) == nil)
        }
    }
}
