import CZip
import Model
import Testing

@testable import Annotations

@Suite(.timeLimit(.minutes(5)))
struct ContainerTests {
    private static let text = Journal.document(##"<stroke tool="pen" color="#3333ccff" width="2.0">20.0 40.0 100.0 200.0</stroke>"##)

    @Test func allContainersHaveTheSameMarks() throws {
        let plain = try Journal.read(Self.text)
        #expect(plain.marks.count == 1)
        let bytes = Array(Self.text.utf8)
        // A gzip file may consist of several members. Together they are one text, wherever the text was split.
        let parted = Packed.gzip(Array(bytes[..<100])) + Packed.gzip(Array(bytes[100...]))
        for packed in [Packed.gzip(bytes), parted, Packed.zip([("content.xml", bytes)]), [0xef, 0xbb, 0xbf] + bytes] {
            #expect(try XournalReader.read(packed) == plain)
        }
    }

    @Test func aChartInTheArchiveIsKnownByItsBytes() throws {
        let text = Self.text.replacing("absolute", with: "attach").replacing("/music/Amazing Grace.pdf", with: "bg.pdf")
        let pdf = Array("%PDF-1.5 and so on".utf8)
        let packed = Packed.zip([("content.xml", Array(text.utf8)), ("attachments/bg.pdf", pdf)])
        #expect(try XournalReader.read(packed).reference == MarkFile.Reference(chart: ChartHash(SHA256.digest(of: pdf))))
        // Without the chart in the archive, the marks can still be read.
        let file = try XournalReader.read(Packed.zip([("content.xml", Array(text.utf8))]))
        #expect(file.reference == MarkFile.Reference())
        #expect(file.marks.count == 1)
    }

    @Test func whatIsCutOffIsUnfinished() {
        let bytes = Array(Self.text.utf8)
        let whole = bytes.lastIndex(of: UInt8(ascii: ">"))! + 1
        for count in 0..<whole {
            #expect(Journal.fault(Array(bytes[..<count]))?.reason == .unfinished, "\(count) bytes")
        }
        let packed = Packed.gzip(bytes)
        for count in 2..<packed.count {
            #expect(Journal.fault(Array(packed[..<count]))?.reason == .unfinished, "\(count) bytes packed")
        }
        let archive = Packed.zip([("content.xml", bytes)])
        for count in stride(from: 2, to: archive.count - 22, by: 7) {
            #expect(Journal.fault(Array(archive[..<count]))?.reason == .unfinished, "\(count) bytes of an archive")
        }
    }

    @Test func faultsHaveTheirPlace() {
        #expect(Journal.fault("<xournal>\n <title></xournal>")?.place == .line(2, column: 11))
        #expect(Journal.fault("hello")?.place == .byte(0))
        var packed = Packed.gzip(Self.text)
        packed[packed.count - 6] ^= 1
        #expect(Journal.fault(packed)?.reason == .malformed)
        #expect(Journal.fault(packed)?.description.contains("incorrect data check (byte ") == true)
    }

    @Test func fourGigabytesOfBlanksAreStoppedEarly() {
        let blanks = Packed.gzip([UInt8](repeating: 0x20, count: 16 << 20), level: 9)
        let bomb = Packed.gzip("<xournal>") + (0..<256).flatMap { _ in blanks }
        #expect(bomb.count < 8 << 20)
        #expect(Journal.fault(bomb)?.reason == .tooLarge)
        var limits = MarkFileLimits()
        limits.inflatedBytes = 4 << 20
        let document = Array("<xournal>".utf8) + [UInt8](repeating: 0x0a, count: 16 << 20)
        #expect(Journal.fault(Packed.gzip(document), limits: limits)?.reason == .tooLarge)
        #expect(Journal.fault(Packed.zip([("content.xml", document)]), limits: limits)?.reason == .tooLarge)
        #expect(Journal.fault(document, limits: limits)?.reason == .tooLarge)
        let text = Self.text.replacing("absolute", with: "attach").replacing("/music/Amazing Grace.pdf", with: "bg.pdf")
        let archive = Packed.zip([("content.xml", Array(text.utf8)), ("attachments/bg.pdf", [UInt8](repeating: 0, count: 16 << 20))])
        #expect(Journal.fault(archive, limits: limits)?.reason == .tooLarge)
    }

    @Test func archivesOfOtherKinds() {
        let bytes = Array(Self.text.utf8)
        #expect(Journal.fault(Packed.zip([("other.xml", bytes)]))?.reason == .malformed)
        #expect(
            Journal.fault(Packed.zip([("content.xml", bytes)], method: ZIP_CM_BZIP2))?.description.contains("compressed in a way") == true)
        var limits = MarkFileLimits()
        limits.archiveEntries = 3
        let many = Packed.zip((0..<4).map { ("content\($0 == 0 ? "" : "\($0)").xml", bytes) })
        #expect(Journal.fault(many) == nil)
        #expect(Journal.fault(many, limits: limits)?.reason == .tooLarge)
    }
}
