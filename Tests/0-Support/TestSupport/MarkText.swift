/// Makes mark files as text. Their marks are dots that differ in their horizontal position.
public enum MarkText {
    public struct Dot: Hashable, Sendable {
        public var page: Int
        public var x: Double

        public init(page: Int, x: Double) {
            self.page = page
            self.x = x
        }
    }

    /// A native layer; `isReordered` reverses the order of the keys in its JSON. Marks without a time are dated to when the file was first
    /// seen.
    public static func native(_ attachment: String, _ dots: [Dot], isReordered: Bool = false, createdAt: String? = nil, tail: String = "")
        -> String
    {
        let marks = dots.enumerated().map { number, dot in
            let parts =
                [
                    #""id":"d\#(number)""#, #""page":\#(dot.page)"#, #""kind":"pen""#, ##""color":"#0000ff""##, #""width":0.01"#,
                    #""points":[[\#(dot.x),0.25]]"#,
                ] + (createdAt.map { [#""created_at":"\#($0)""#] } ?? [])
            return "{" + (isReordered ? parts.reversed() : parts).joined(separator: isReordered ? " , " : ",") + "}"
        }
        let parts = [#""version":1"#, #""attachment_id":"\#(attachment)""#, #""marks":[\#(marks.joined(separator: ","))]"#]
        return "{" + (isReordered ? parts.reversed() : parts).joined(separator: ",") + "}" + tail
    }

    /// A Xournal++ document on a PDF.
    public static func journal(_ pdf: String, _ dots: [Dot], tail: String = "") -> String {
        let pages = (0...(dots.map(\.page).max() ?? 0)).map { page in
            let filename = page == 0 ? #" domain="absolute" filename="\#(pdf)""# : ""
            let strokes = dots.filter { $0.page == page }.map {
                ##"<stroke tool="pen" color="#3333ccff" width="2">\##($0.x * 600) 100 \##($0.x * 600) 100</stroke>"##
            }
            return """
                <page width="600" height="800"><background type="pdf"\(filename) pageno="\(page + 1)"/><layer>
                \(strokes.joined(separator: "\n"))
                </layer></page>
                """
        }
        return #"<?xml version="1.0" standalone="no"?>"# + "\n"
            + #"<xournal creator="Xournal++ 1.1.3" fileversion="4">"# + pages.joined(separator: "\n") + "</xournal>\n" + tail
    }

    /// A gzip file with one stored block, and with `time` in its header.
    public static func gzip(_ text: String, at time: UInt8 = 0) -> [UInt8] {
        let bytes = Array(text.utf8)
        precondition(bytes.count < 65536)
        var sum = ~UInt32(0)
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xedb8_8320 : sum >> 1 }
        }
        func little(_ number: UInt32, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * UInt32($0))) }
        }
        let length = UInt32(bytes.count)
        return [0x1f, 0x8b, 8, 0, time, 0, 0, 0, 0, 3, 1] + little(length, 2) + little(~length, 2) + bytes + little(~sum, 4)
            + little(length, 4)
    }
}
