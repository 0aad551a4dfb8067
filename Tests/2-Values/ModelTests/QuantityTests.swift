import Model
import Testing

@Suite(.timeLimit(.minutes(5)))
struct QuantityTests {
    @Test(arguments: [
        (0, "0 B"), (999, "999 B"), (1000, "1 kB"), (1500, "1.5 kB"), (99_949, "99.9 kB"), (123_456, "123 kB"), (999_499, "999 kB"),
        (999_500, "1 MB"), (4_000_000_000, "4 GB"),
    ])
    func bytesReadWell(bytes: Int, text: String) {
        #expect(ByteCount(bytes).description == text)
    }

    @Test func bytesAddUpToNoMoreThanThereCanBe() {
        #expect(ByteCount(.max) + ByteCount(1) == ByteCount(.max))
        #expect(ByteCount(.min) + ByteCount(-1) == ByteCount(.min))
        #expect(ByteCount(2) + ByteCount(3) == ByteCount(5))
    }

    @Test func longSideIsExactToThePixel() {
        #expect(PageGeometry(width: 595.276, height: 841.89).pixels(longSide: 2732) == (1932, 2732))
        #expect(PageGeometry(width: 841.89, height: 595.276).pixels(longSide: 320) == (320, 226))
        #expect(PageGeometry(width: 14400, height: 1).pixels(longSide: 100) == (100, 1))
    }

    @Test func colorsReadBack() {
        #expect(Color("#3333cc")?.description == "#3333cc")
        #expect(Color("#3333cc80")?.alpha == 0x80)
        for bad in ["", "#12345", "3333cc", "#gggggg", "#+12345", "#1234567"] { #expect(Color(bad) == nil) }
    }

    @Test func planIsPastHalfADayAfterItsLastTime() throws {
        let end = try #require(Timestamp("2026-11-22T12:00:00Z"))
        let plan = Plan(id: PlanID("1"), serviceType: ServiceTypeID("1"), firstTime: end, lastTime: end)
        #expect(!plan.isPast(at: end + .seconds(12 * 3600)))
        #expect(plan.isPast(at: end + .seconds(12 * 3600 + 1)))
        #expect(!Plan(id: PlanID("2"), serviceType: ServiceTypeID("1")).isPast(at: end))
    }
}
