import TestSupport

extension HostileChart {
    /// Pictures that are impossibly large, cut off, or unlike their headers.
    static let images: HostileFamily = {
        var family = HostileFamily("images")
        let enormous = "/Width 100000 /Height 100000"
        for (name, data, entries, fate) in [
            ("deflated", "789c030000000001", "/FlateDecode", Fate.drawn), ("a JPEG cut off", jpeg, "/DCTDecode", .drawn),
            ("a fax cut off", "00112233", "/CCITTFaxDecode", .drawn), ("a JBIG2 cut off", jbig2, "/JBIG2Decode", .warned),
            ("a JPEG 2000 cut off", jp2, "/JPXDecode", .warned),
            ("packed in runs", "ff00", "/RunLengthDecode", .drawn), ("LZW", "800b6050220c0c8501", "/LZWDecode", .drawn),
        ] {
            for size in [enormous, "/Width 500 /Height 500"] {
                family.image("\(name), \(size)", fate, data, "\(size) /ColorSpace /DeviceRGB /BitsPerComponent 8", entries)
            }
        }
        family.image(
            "a JPEG that says 65535 by 65535 in its own header", .drawn, jpeg.replacing(small, with: "ffffffff"), sized(9, 9), "/DCTDecode"
        )
        for (name, parameters) in [
            ("a billion columns", "/K -1 /Columns 1000000000 /Rows 1000000000"), ("no column", "/K 0 /Columns 0"),
            ("columns below none", "/K 5 /Columns -2147483648 /Rows -1"),
        ] {
            let entries = "/Width 500 /Height 500 /ColorSpace /DeviceGray /BitsPerComponent 1 /DecodeParms [null << \(parameters) >>]"
            family.image("a fax of \(name)", .warned, "26a0d71b4cc1ae39", entries, "/CCITTFaxDecode")
        }
        for (megabytes, fate) in [(16, Fate.warned), (1536, .timedOut)] {
            let data = String(HostilePDF.zeros(megabytes: megabytes).dropLast())
            family.image(
                "\(megabytes) MB of zeros", fate, data, "/Width 30000 /Height 30000 /ColorSpace /DeviceRGB /BitsPerComponent 8",
                "/FlateDecode")
        }
        for (width, height, fate) in [
            (0, 9, Fate.warned), (-9, 9, .warned), (2_147_483_647, 2_147_483_647, .warned), (46_341, 46_341, .drawn),
            (1, 100_000_000, .drawn),
        ] {
            family.image("\(width) by \(height)", fate, "00112233", sized(width, height), "/RunLengthDecode")
        }
        for bits in ["0", "3", "-8", "32", "1000000000"] {
            let entries = "/Width 500 /Height 500 /ColorSpace /DeviceRGB /BitsPerComponent \(bits)"
            family.image("\(bits) bits", bits == "3" ? .drawn : .warned, "00112233", entries, "/RunLengthDecode")
        }
        for colors in [
            "[/Indexed /DeviceRGB 1000000000 <00>]", "[/Indexed [/Indexed /DeviceRGB 1 <00>] 255 <00>]", "[/ICCBased 3 0 R]",
            "[/DeviceN [] /DeviceRGB 7]",
            "[/Separation /A [/Separation /B /DeviceRGB 7] 7]", "/Nothing", "[/Lab << /WhitePoint [0 0 0] >>]",
        ] {
            let entries = "/Width 500 /Height 500 /BitsPerComponent 8 /ColorSpace \(colors)"
            family.image("colours of \(colors)", colors.hasPrefix("[/Lab") ? .drawn : .warned, "00112233", entries, "/RunLengthDecode")
        }
        family.image(
            "a predictor of a billion columns", .drawn, "789c030000000001",
            sized(9, 9) + "/DecodeParms [null << /Predictor 15 /Columns 1000000000 /Colors 32 /BitsPerComponent 16 >>]", "/FlateDecode")
        family.image("a hundred filters", .warned, "00112233", sized(9, 9), String(repeating: "/FlateDecode ", count: 100))
        for kind in ["SMask", "Mask"] {
            family.page("a picture that is its own \(kind)", "500 0 0 500 0 0 cm /I Do") { pdf in
                let image = pdf.add("")
                pdf.replace(image, picture("ff00ff", sized(9, 9) + "/\(kind) \(image) 0 R", "/RunLengthDecode"))
                return "/XObject << /I \(image) 0 R >>"
            }
        }
        family.page("a picture within the page that never ends", "BI /W 100000 /H 100000 /BPC 8 /CS /RGB ID 0123456789")
        return family
    }()

    static func picture(_ hex: String, _ entries: String, _ filter: String) -> String {
        HostilePDF.stream(hex + ">", "/Type /XObject /Subtype /Image \(entries) /Filter [/ASCIIHexDecode \(filter)]")
    }

    private static func sized(_ width: Int, _ height: Int) -> String {
        "/Width \(width) /Height \(height) /ColorSpace /DeviceGray /BitsPerComponent 8 "
    }

    /// The bytes of a JPEG that state a size of 500 by 500.
    private static let small = "01f401f4"
    private static let jpeg = "ffd8ffc0001108\(small)03011100021100031100ffda000c03010002000300003f00112233"
    private static let jbig2 = "0000000030000100000013000186a0000186a00000000000000000010000"
    private static let jp2 = "ff4fff51002f0000000186a0000186a00000000000000000000186a0000186a000000000000000000003070101070101070101ff52"
}

extension HostileFamily {
    /// Adds a page that shows a picture.
    mutating func image(
        _ name: String, _ fate: HostileChart.Fate, _ hex: String, _ entries: String, _ filter: String
    ) {
        page(name, fate, "500 0 0 500 0 0 cm /I Do") { pdf in
            "/XObject << /I \(pdf.add(HostileChart.picture(hex, entries, filter))) 0 R >>"
        }
    }
}
