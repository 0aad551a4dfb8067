import JSON
public import Model

/// Writes native layers, `*.marks.json`, from which `NativeLayerReader` reads the same marks.
public enum NativeLayerWriter {
    private struct Layer: Encodable {
        let version = 1
        let attachment: String?
        let chart: String?
        let name: String?
        let marks: [Mark]

        private enum CodingKeys: String, CodingKey {
            case version, chart, name, marks
            case attachment = "attachment_id"
        }
    }

    /// The bytes of a file with these marks. The format has no field for the sizes of pages.
    public static func write(_ file: MarkFile) throws -> [UInt8] {
        let layer = Layer(
            attachment: file.reference.attachment?.text, chart: file.reference.chart?.digest.hex, name: file.name, marks: file.marks)
        return try JSONWriter.encode(layer) + [UInt8(ascii: "\n")]
    }
}
