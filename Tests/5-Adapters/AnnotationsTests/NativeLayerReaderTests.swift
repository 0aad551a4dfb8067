import Annotations
import JSON
import Model
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct NativeLayerReaderTests {
    private static let hash = String(repeating: "0123456789abcdef", count: 4)
    private static let layer = """
        {"version":1,"attachment_id":"79073923","chart":"\(hash)","name":"my bowings","revision":7,
         "marks":[{"id":"a","page":2,"kind":"pen","color":"#ff0000","width":0.003,"points":[[0.1,0.2],[0.3,0.4,0.002]],
                   "created_at":"2026-11-18T20:31:31.25Z"},
                  {"id":"b","page":0,"kind":"hologram","depth":3},
                  {"id":"c","page":0,"kind":"text","points":[[0,0]],"text":"é \\ud83c\\udfb5","size":0.02}],
         "deleted":["z"]}
        """

    private static func read(_ text: String, limits: MarkFileLimits = MarkFileLimits()) throws(MarkFileFault) -> MarkFile {
        try NativeLayerReader.read(Array(text.utf8), limits: limits)
    }

    private static func fault(_ bytes: [UInt8], limits: MarkFileLimits = MarkFileLimits()) -> MarkFileFault? {
        do throws(MarkFileFault) {
            _ = try NativeLayerReader.read(bytes, limits: limits)
            return nil
        } catch {
            return error
        }
    }

    private static func fault(_ text: String, limits: MarkFileLimits = MarkFileLimits()) -> MarkFileFault? {
        fault(Array(text.utf8), limits: limits)
    }

    /// If a file with two lists were read, only the last list would count, and the next stroke would delete the marks of the first.
    @Test func aListThatStandsTwiceIsNoLayer() {
        let fault = Self.fault(#"{"version":1,"marks":[{"id":"a","page":0,"kind":"pen"}],"marks":[]}"#)
        #expect(fault?.description.contains("has “marks” twice: put what both say into one") == true, "\(String(describing: fault))")
        #expect(Self.fault(#"{"version":1,"marks":[{"id":"a","id":"b","page":0,"kind":"pen"}]}"#) == nil)
    }

    @Test func aLayerIsReadWithAllItsFields() throws {
        let file = try Self.read(Self.layer)
        #expect(file.name == "my bowings")
        #expect(
            file.reference
                == MarkFile.Reference(attachment: AttachmentID("79073923"), chart: Digest(hex: Self.hash).map { ChartHash($0) }))
        #expect(file.marks.map(\.id) == ["a", "b", "c"])
        #expect(file.marks[0].points == [Mark.Point(x: 0.1, y: 0.2), Mark.Point(x: 0.3, y: 0.4, width: 0.002)])
        #expect(file.marks[0].createdAt == Timestamp("2026-11-18T20:31:31.25Z"))
        #expect(file.marks[1].unknown == ["depth": .number(3)])
        #expect(file.marks[2].text == "é 🎵")
        #expect(
            file.notes == [
                "marks not drawn because “kind” is none of pen, highlighter, eraser, line, rectangle, ellipse, text, image, jump, landing, bookmark: 1 (mark 2, a “hologram”)"
            ])
        #expect(try NativeLayerReader.read([0xef, 0xbb, 0xbf] + Array(Self.layer.utf8)) == file)
    }

    @Test func whatItWasMadeOnIsKnownAsSoonAsThatIsRead() throws {
        let bytes = Array(Self.layer.utf8)
        let (attachment, chart) = (AttachmentID("79073923"), try #require(Digest(hex: Self.hash).map { ChartHash($0) }))
        for count in 1..<bytes.count {
            let fault = try #require(Self.fault(Array(bytes[..<count])))
            let text = String(decoding: bytes[..<count], as: UTF8.self)
            var stated = MarkFile.Reference()
            if text.contains(#""79073923","#) { stated.attachment = attachment }
            if text.contains(Self.hash + "\",") { stated.chart = chart }
            #expect(fault.reason == .unfinished && fault.reference ?? MarkFile.Reference() == stated, "\(count) bytes")
        }
        // A number that ends at the file's end may be incomplete.
        #expect(Self.fault(#"{"attachment_id":790"#)?.reference == nil)
        // The reference is also kept when the fault is in the middle of the file.
        let known = MarkFile.Reference(attachment: AttachmentID("7"))
        for rest in [#","marks":[}"#, #","marks":7}"#, #","version":2}"#, #","chart":7,"marks":[}"#, #","marks":[]} x"#] {
            let fault = try #require(Self.fault(#"{"attachment_id":"7""# + rest))
            #expect(fault.reason == .malformed && (fault.reference == known || rest.contains("chart")), "\(rest)")
        }
    }

    @Test func littleIsEnough() throws {
        #expect(try Self.read(#"{"marks":[]}"#) == MarkFile(marks: []))
        #expect(try Self.read(#"{"attachment_id":79073923,"marks":[]}"#).reference.attachment == AttachmentID("79073923"))
    }

    @Test func aDeletedMarkIsGone() throws {
        #expect(try Self.read(Self.layer.replacing(#"["z"]"#, with: #"["a","c"]"#)).marks.map(\.id) == ["b"])
    }

    @Test(arguments: [
        #"{"id":"x","page":"first","kind":"pen"}"#, #"{"page":0,"kind":"pen"}"#, "17", "null", "[[]]",
        #"{"id":"x","page":0,"kind":"pen","points":[[0]]}"#, #"{"id":"x","page":0,"kind":"pen","points":[[0,1e999]]}"#,
        #"{"id":"x","page":0,"kind":"pen","points":[[0,1e9]]}"#, #"{"id":"x","page":-1,"kind":"pen"}"#,
        #"{"id":"x","page":9223372036854775807,"kind":"pen"}"#, #"{"id":"x","page":1e40,"kind":"pen"}"#,
        #"{"id":"x","page":0,"kind":"pen","dash":[-1e300]}"#, #"{"id":"x","page":0,"kind":"text","size":1e30}"#,
    ])
    func oneStrangeMarkDoesNotCostTheOthers(mark: String) throws {
        let file = try Self.read(#"{"marks":[\#(mark),{"id":"b","page":0,"kind":"pen","width":0.01,"points":[[0,0]]}]}"#)
        #expect(file.marks.map(\.id) == ["b"])
        #expect(file.notes.count == 1)
        #expect(file.notes.first?.hasSuffix(": 1 (mark 1)") == true)
    }

    @Test(arguments: [
        (#""kind":"text","points":[[0,0]],"text":"a""#, "“size” is missing or not above 0"),
        (#""kind":"text","points":[[0,0]],"size":0.1"#, "“text” is missing or empty"),
        (#""kind":"text","text":"a","size":0.1"#, "“points” is missing or empty"),
        (#""kind":"pen","width":0.1"#, "“points” is missing or empty"),
        (#""kind":"highlighter","width":0,"points":[[0,0],[1,1]]"#, "“width” is not above 0"),
        (#""kind":"line","width":0.1,"points":[[0,0]]"#, "“points” has fewer than two corners"),
        (#""kind":"ellipse","width":0,"points":[[0,0],[1,1]]"#, "neither “width” nor “fill” is above 0"),
        (#""kind":"image","points":[[0,0],[1,1]]"#, "“image” is missing"),
        (#""kind":"image","image":"a cat","points":[[0,0],[1,1]]"#, "“image” is not a picture: it must be a PNG, or a PDF, in base64"),
        (##""kind":"pen","width":0.1,"color":"#ff000000","points":[[0,0],[1,1]]"##, "“color” is fully transparent"),
        (#""kind":"pen","width":0.1,"points":[[300,400],[310,410]]"#, "“points” is off the page, which goes from 0 to 1"),
        (#""kind":"pen","width":0.1,"points":[[0.5,0.5],[0.5,40]]"#, "“points” is off the page, which goes from 0 to 1"),
    ])
    func whatNobodySeesIsNamedByItsField(fields: String, reason: String) throws {
        let file = try Self.read(#"{"marks":[{"id":"a","page":0,\#(fields)}]}"#)
        #expect(file.marks.map(\.id) == ["a"], "it is kept")
        #expect(file.notes == ["marks not drawn because \(reason): 1 (mark 1)"])
    }

    @Test(arguments: [
        (#"{"page":0,"kind":"pen"}"#, "“id” is missing"), (#"{"id":"x","page":"first","kind":"pen"}"#, "“page” has the wrong type"),
        (#"{"id":"x","page":0,"kind":"pen","points":7}"#, "“points” has the wrong type"), ("17", "they are not objects"),
    ])
    func whatCannotBeUnderstoodIsNamedByItsField(mark: String, reason: String) throws {
        #expect(try Self.read(#"{"marks":[\#(mark)]}"#).notes == ["marks left out because \(reason): 1 (mark 1)"])
    }

    @Test func theFirstDigitsOfAHashNameAChart() throws {
        func reference(_ chart: String) throws -> MarkFile { try Self.read(#"{"chart":"\#(chart)","marks":[]}"#) }
        #expect(try reference("0123ABCD").reference == MarkFile.Reference(chartBeginning: "0123abcd"))
        #expect(try reference("0123ABCD").notes == [])
        for text in ["0123abc", "0123abcx", Self.hash + "0"] {
            #expect(try reference(text).reference == MarkFile.Reference())
            #expect(
                try reference(text).notes
                    == ["“chart” ignored because it is neither the hash of a PDF nor its first 8 or more digits: 1 (the layer)"])
        }
    }

    @Test func faultsHaveTheirPlace() {
        #expect(Self.fault("{\"marks\":[\n  {\"id\" \"a\"}]}")?.description == "is not valid JSON: a colon is missing (line 2, column 9)")
        #expect(Self.fault("{\"marks\":[\n  {},,]}")?.place == .line(2, column: 6))
        #expect(Self.fault("[1]")?.reason == .malformed)
        #expect(Self.fault("{}")?.description == "has no “marks”")
        #expect(Self.fault(#"{"marks":7}"#)?.description == "has a value of the wrong type at “marks”")
        #expect(Self.fault(#"{"marks":null}"#)?.reason == .malformed)
        #expect(Self.fault(#"{"version":2,"marks":{}}"#)?.description == "has version 2, but only version 1 is known here")
    }

    @Test(arguments: [
        #"{"marks":[],}"#, #"{"marks":[1,]}"#, #"{"marks":[]]"#, #"{"marks":[01]}"#, #"{"marks":[1.]}"#, #"{"marks":[+1]}"#,
        #"{"marks":[nul]}"#, #"{"marks":[]}x"#, #"{"marks":["\x"]}"#, #"{"marks":["\u12g4"]}"#, "{\"marks\":[\"\n\"]}", #"{marks:[]}"#,
        #"{"marks":[NaN]}"#, #"{"marks":[1 2]}"#, #"{"marks":[.5]}"#, #"{"marks":[1e]}"#, "\u{0}", "é",
    ])
    func notJSON(text: String) throws {
        let fault = try #require(Self.fault(text))
        #expect(fault.reason == .malformed)
        #expect(fault.sentence.hasPrefix("is not valid JSON: "))
        #expect(fault.place != nil)
    }

    @Test func whatIsCutOffIsUnfinished() {
        let bytes = Array(Self.layer.utf8)
        for count in 0..<bytes.count { #expect(Self.fault(Array(bytes[..<count]))?.reason == .unfinished, "\(count) bytes") }
    }

    @Test func invalidUTF8IsRefused() {
        for bytes: [UInt8] in [[0xff], [0xc3], [0xc0, 0x80], [0xed, 0xa0, 0x80]] {
            let text = Array(#"{"marks":[],"name":""#.utf8) + bytes + Array(#""}"#.utf8)
            #expect(Self.fault(text)?.description == "is not valid JSON: text is not in UTF-8 (line 1, column 21)")
        }
    }

    @Test func deepOnesAreStopped() {
        for sign in ["[", #"{"a":"#] {
            #expect(Self.fault(#"{"marks":"# + String(repeating: sign, count: 1_000_000))?.reason == .tooLarge)
        }
        let nested = String(repeating: "[", count: 30) + String(repeating: "]", count: 30)
        #expect(Self.fault(#"{"marks":[{"id":"a","page":0,"kind":"x","deep":\#(nested)}]}"#) == nil)
    }

    @Test func tooMuchOfAnythingIsRefused() {
        var limits = MarkFileLimits()
        limits.fileBytes = 4000
        limits.values = 100
        limits.marks = 4
        limits.strokePoints = 6
        limits.points = 8
        limits.textBytes = 30
        limits.pictureBytes = 40
        limits.contentBytes = 60
        func mark(_ points: Int, text: Int = 0, image: Int = 0) -> String {
            let places = [String](repeating: "[0,0]", count: points).joined(separator: ",")
            let (text, image) = (String(repeating: "a", count: text), String(repeating: "A", count: image))
            return #"{"id":"a","page":0,"kind":"pen","points":[\#(places)],"text":"\#(text)","image":"\#(image)"}"#
        }
        func layer(_ marks: [String]) -> String { #"{"marks":[\#(marks.joined(separator: ","))]}"# }
        for marks in [
            [mark(6), mark(2)], [String](repeating: mark(0), count: 4), [mark(0, text: 30), mark(0, text: 30)], [mark(0, image: 40)],
        ] {
            #expect(Self.fault(layer(marks), limits: limits) == nil)
        }
        for marks in [
            [mark(7)], [mark(6), mark(3)], [String](repeating: mark(0), count: 5), [mark(0, text: 31)], [mark(0, image: 41)],
            [mark(0, text: 30), mark(0, image: 31)], [mark(60)], [String](repeating: " ", count: 4000),
        ] {
            #expect(Self.fault(layer(marks), limits: limits)?.reason == .tooLarge)
        }
    }
}
