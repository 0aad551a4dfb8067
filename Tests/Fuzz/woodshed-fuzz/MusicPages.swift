import CMusic
import Following
import Glibc
import Model

/// Pages with any picture on them, and what a process that draws says was found on one.
enum MusicPages {
    /// Enough for every step of the search to find more than it has room for.
    private static let mostPixels = 1 << 19
    private static let mostShapes = 24
    /// A usual page has four times as many pixels, and takes a hundredth of this.
    private static let mostSeconds = 1.0

    static func take(_ bytes: [UInt8]) {
        check(PageMusic(bytes))
        if let map = PageMap(bytes) { follow(map) }
        // A case that was put together at random never has the length that it states.
        if let counted = counted(bytes) { check(PageMusic(counted)) }
        if let picture = Picture(bytes) { search(picture) }
    }

    private static func check(_ music: PageMusic?) {
        guard let bands = music?.bands else { return }
        precondition(bands.allSatisfy { $0.from <= $0.to && $0.to <= 10_000 })
        precondition(zip(bands, bands.dropFirst()).allSatisfy { $0.from <= $1.from })
    }

    /// Makes the numbers of parts fit the length; bytes that were right stay as they are.
    private static func counted(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count >= 32 else { return nil }
        var bytes = bytes
        (bytes[0], bytes[1]) = (0, 1)
        var rest = bytes.count / 2 - 16
        for (place, length) in [(8, 18), (10, 9), (12, 4), (14, 5), (16, 2)] {
            let stated = place == 16 ? rest : Int(bytes[place]) << 8 | Int(bytes[place + 1])
            let count = min(stated, rest / length)
            (bytes[place], bytes[place + 1]) = (UInt8(count >> 8), UInt8(count & 255))
            rest -= count * length
        }
        return Array(bytes.dropLast(2 * rest + bytes.count % 2))
    }

    /// The search ends in time, finds the same again, and what it writes can be read.
    private static func search(_ picture: Picture) {
        var took = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &took)
        let begun = took
        let found = found(picture)
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &took)
        precondition(Double(took.tv_sec - begun.tv_sec) + Double(took.tv_nsec - begun.tv_nsec) / 1e9 < mostSeconds, "it takes too long")
        precondition(found == self.found(picture), "it finds something else in the same picture")
        let music = PageMusic(found)
        precondition(music != nil, "what was found cannot be read")
        check(music)
        let map = PageMap(mapped(picture))
        precondition(map != nil || picture.width < 64 || picture.height < 64, "the map cannot be read")
        if let map { follow(map) }
    }

    /// Whatever is on a page, it is followed into itself, and each answer is a number.
    private static func follow(_ map: PageMap) {
        let place = Following([map], [map]).place(of: PagePoint(x: 0.4, y: 0.3), page: 0)
        precondition(place.map { $0.point.x.isFinite && $0.point.y.isFinite && $0.scale > 0 && (0...1).contains($0.confidence) } ?? true)
    }

    private static func mapped(_ picture: Picture) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Int(WOODSHED_MOST_MAP_BYTES)) { bytes, count in
            count = woodshed_write_map(picture.pixels, picture.width, picture.height, bytes.baseAddress)
            precondition(count <= bytes.count)
        }
    }

    private static func found(_ picture: Picture) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Int(WOODSHED_MOST_MUSIC_BYTES)) { bytes, count in
            count = woodshed_write_music(picture.pixels, picture.width, picture.height, bytes.baseAddress)
            precondition(count <= bytes.count)
        }
    }

    /// Black or white paper of any shape, with up to `mostShapes` shapes of six bytes each: what it is and how dark, four for where it
    /// is, and how dense.
    private struct Picture {
        let width: Int
        let height: Int
        var pixels: [UInt32]

        init?(_ bytes: [UInt8]) {
            guard bytes.count >= 5 else { return nil }
            width = 1 + (Int(bytes[0]) << 8 | Int(bytes[1]))
            height = min(1 + (Int(bytes[2]) << 8 | Int(bytes[3])), max(1, mostPixels / width))
            pixels = [UInt32](repeating: bytes[4] == 0 ? 0 : 0xff_ffff, count: width * height)
            var rest = bytes.dropFirst(5)
            for _ in 0..<min(mostShapes, rest.count / 6) {
                draw(Array(rest.prefix(6)).map(Int.init))
                rest = rest.dropFirst(6)
            }
        }

        private mutating func draw(_ shape: [Int]) {
            let x0 = shape[1] * width / 256, y0 = shape[2] * height / 256
            let xs = x0..<(x0 + 1 + shape[3] * (width - x0 - 1) / 255), ys = y0..<(y0 + 1 + shape[4] * (height - y0 - 1) / 255)
            let color = UInt32(shape[0] / 8 * 8) * 0x1_0101, pitch = 1 + shape[5] % 64, thickness = 1 + shape[5] / 64
            switch shape[0] % 8 {
            case 0: fill(xs, ys, color)
            case 1: for y in stride(from: ys.lowerBound, to: ys.upperBound, by: pitch) { fill(xs, y..<y + thickness, color) }
            case 2: for x in stride(from: xs.lowerBound, to: xs.upperBound, by: pitch) { fill(x..<x + thickness, ys, color) }
            case 3: scatter(xs, ys, color, seed: shape[5])
            case 4: slope(xs, ys, color, thickness)
            case 5: staves(xs, ys, color, space: pitch, areJoined: thickness > 2)
            default: staves(xs, ys, color, space: 5 + pitch % 8, areJoined: thickness > 2)
            }
        }

        private mutating func fill(_ xs: Range<Int>, _ ys: Range<Int>, _ color: UInt32) {
            let xs = xs.clamped(to: 0..<width)
            pixels.withUnsafeMutableBufferPointer { pixels in
                for y in ys.clamped(to: 0..<height) {
                    UnsafeMutableBufferPointer(rebasing: pixels[(y * width + xs.lowerBound)..<(y * width + xs.upperBound)])
                        .update(repeating: color)
                }
            }
        }

        private mutating func scatter(_ xs: Range<Int>, _ ys: Range<Int>, _ color: UInt32, seed: Int) {
            var number = UInt32(seed + 1)
            for y in ys {
                for x in xs {
                    number = number &* 1_664_525 &+ 1_013_904_223
                    if number >> 29 <= UInt32(seed % 8) { pixels[y * width + x] = color }
                }
            }
        }

        /// A line from one corner to the opposite one.
        private mutating func slope(_ xs: Range<Int>, _ ys: Range<Int>, _ color: UInt32, _ thickness: Int) {
            for x in xs {
                let y = ys.lowerBound + (x - xs.lowerBound) * ys.count / xs.count
                fill(x..<x + 1, y..<y + thickness, color)
            }
        }

        /// Staves with bar lines, one below the other.
        private mutating func staves(_ xs: Range<Int>, _ ys: Range<Int>, _ color: UInt32, space: Int, areJoined: Bool) {
            for top in stride(from: ys.lowerBound, to: ys.upperBound, by: 10 * space) {
                for line in 0..<5 { fill(xs, top + line * space..<top + line * space + 1 + space / 8, color) }
                for x in stride(from: xs.lowerBound, to: xs.upperBound, by: 12 * space) {
                    fill(x..<x + 1 + space / 6, top..<top + 4 * space, color)
                }
            }
            if areJoined { fill(xs.lowerBound..<xs.lowerBound + 1 + space / 6, ys, color) }
        }
    }
}
