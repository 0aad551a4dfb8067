import Model
import Testing

/// The encodings that files with words and chords have.
@Suite struct SongFileTests {
    private func text(_ bytes: [UInt8]) throws -> (String, Bool) {
        let file = try SongFileText(bytes)
        return (file.text, file.remark != nil)
    }

    private func units(_ text: String, isBig: Bool) -> [UInt8] {
        text.utf16.flatMap { isBig ? [UInt8($0 >> 8), UInt8($0 & 255)] : [UInt8($0 & 255), UInt8($0 >> 8)] }
    }

    @Test func whatPeopleSaveIsRead() throws {
        let song = "{title: Café – “ü”}\n[G]one\n"
        #expect(try text(Array(song.utf8)) == (song, false))
        for isBig in [true, false] {
            #expect(try text(units("\u{FEFF}" + song, isBig: isBig)).0.hasSuffix(song))
            let plain = "{title: Grace}\n[G]A long enough line to know it by\n"
            #expect(try text(units(plain, isBig: isBig)) == (plain, true))
        }
        let windows = Array("{title: Caf".utf8) + [0xE9, 0x20, 0x96, 0x20, 0x93, 0xFC, 0x94] + Array("}\n[G]one\n".utf8)
        #expect(try text(windows) == (song, true))
    }

    @Test func whatIsNoTextIsRefusedByName() {
        let fault = #expect(throws: Trouble.self) { try SongFileText(Array("%PDF-1.7\nwords".utf8)) }
        #expect(fault?.description.hasPrefix("it is a PDF, ") == true)
        #expect(throws: Trouble.self) { try SongFileText(Array("{\\rtf1\\ansi hello}".utf8)) }
        #expect(throws: Trouble.self) { try SongFileText([UInt8](repeating: 0, count: 1000)) }
        #expect(throws: Trouble.self) { try SongFileText([0xFF, 0xFE, 0x00]) }
    }

    @Test func aTextThatOnlySeemsToBeUTF16IsRefusedByName() {
        let quoted = "“Grace”, ‘how’ … – “sweet”"
        for bytes in [
            units("G", isBig: false), Array(units("G C", isBig: true).dropLast()), units(quoted, isBig: true), units(quoted, isBig: false),
            [0xFF, 0xFE, 0x47, 0x04, 0x43], [0xFE, 0xFF, 0xD8, 0x01],
        ] {
            let fault = #expect(throws: Trouble.self) { try SongFileText(bytes) }
            #expect(fault?.description.hasPrefix("it seems to be UTF-16, ") == true, "\(bytes)")
        }
        let other = #expect(throws: Trouble.self) { try SongFileText(Array("a text with one zero\0".utf8)) }
        #expect(other?.description.hasPrefix("it is no text") == true)
    }
}
