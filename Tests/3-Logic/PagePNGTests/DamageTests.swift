import PagePNG
import TestSupport
import Testing

/// A damaged file must never cause a crash or a wrong picture.
@Suite(.timeLimit(.minutes(5)))
struct DamageTests {
    @Test func oneDamagedByteIsNoticedWhereverItIs() {
        let writer = PNGWriter()
        for seed in Cases.seeds.prefix(Cases.count) {
            var numbers = SeededGenerator(seed: seed)
            let picture = Cases.picture(using: &numbers)
            let bandHeight = Cases.bandHeights.randomElement(using: &numbers) ?? 64
            let png = writer.image(of: picture.packed(bandHeight: bandHeight), key: Cases.key)
            // Damage all bytes that describe the image, and a random selection of the others.
            let places = Array(0..<min(60, png.count)) + (0..<20).map { _ in Int.random(in: 0..<png.count, using: &numbers) }
            for place in places {
                var damaged = png
                damaged[place] ^= UInt8.random(in: 1...255, using: &numbers)
                #expect(!Cases.isWhole(damaged), "seed \(seed), byte \(place) of \(png.count)")
            }
        }
    }

    @Test func everyByteOfASmallFileMatters() {
        var numbers = SeededGenerator(seed: 3)
        let picture = Picture(width: 9, height: 5, isGray: false, using: &numbers)
        let png = PNGWriter().image(of: picture.packed(bandHeight: 2), key: Cases.key)
        #expect(Cases.isWhole(png))
        for place in png.indices {
            for bit in 0..<8 {
                var damaged = png
                damaged[place] ^= 1 << bit
                #expect(!Cases.isWhole(damaged), "byte \(place), bit \(bit)")
            }
        }
    }

    @Test func noBeginningOfAFileIsAFile() {
        var numbers = SeededGenerator(seed: 4)
        let picture = Picture(width: 30, height: 20, isGray: true, using: &numbers)
        let png = PNGWriter().image(of: picture.packed(bandHeight: 7), key: Cases.key)
        for count in png.indices { #expect(!Cases.isWhole(Array(png[..<count])), "\(count) bytes") }
        #expect(!Cases.isWhole(png + [0]))
        #expect(!Cases.isWhole(png + png))
    }

    /// A damaged band may fail to unpack or give other pixels, but must not write beyond its rows. Wrong pixels hardly ever pass the band's
    /// Adler-32: only where a pattern repeats can a copy from a wrong place have the same sum. The chunk's CRC-32 finds all such damage.
    @Test func unpackRefusesWhatIsNotTheBand() throws {
        let writer = PNGWriter()
        var misreadBands = 0
        for seed in Cases.seeds.prefix(Cases.count) {
            var numbers = SeededGenerator(seed: seed)
            let picture = Cases.picture(using: &numbers)
            let bandHeight = Cases.bandHeights.randomElement(using: &numbers) ?? 64
            var png = writer.image(of: picture.packed(bandHeight: bandHeight), key: Cases.key)
            // Only bytes between the stream's head and its end are damaged.
            let first = 8 + 25 + 14
            let last = png.count - 12 - 12 - (68 + 4 * ((picture.height + bandHeight - 1) / bandHeight)) - 18
            for _ in 0..<20 {
                let place = Int.random(in: first..<last, using: &numbers)
                let sound = png[place]
                png[place] ^= 1 << UInt8.random(in: 0..<8, using: &numbers)
                defer { png[place] = sound }
                png.withUnsafeBytes { bytes in
                    guard let image = BandedPNG(bytes) else { return }
                    let rows = PackedRows()
                    rows.prepare(image.layout)
                    var soundBands = 0
                    for band in 0..<image.layout.bandCount {
                        if image.isSound(band) { soundBands += 1 }
                        guard image.unpack(band, into: rows) else { continue }
                        guard !picture.isShown(in: rows, band: band) else { continue }
                        #expect(!image.isSound(band), "seed \(seed), byte \(place)")
                        misreadBands += 1
                    }
                    #expect(soundBands == image.layout.bandCount - 1, "seed \(seed), byte \(place)")
                }
            }
        }
        #expect(misreadBands <= 1 + Cases.count / 20)
    }

    @Test func rubbishIsNoFile() {
        var numbers = SeededGenerator(seed: 5)
        for _ in 0..<Cases.count * 20 {
            let count = Int.random(in: 0...400, using: &numbers)
            let rubbish = (0..<count).map { _ in UInt8.random(in: 0...255, using: &numbers) }
            #expect(!Cases.isWhole(rubbish))
            #expect(!Cases.isWhole([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] + rubbish))
        }
    }
}
