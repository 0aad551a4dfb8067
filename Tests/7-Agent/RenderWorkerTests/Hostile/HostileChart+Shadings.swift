import TestSupport

extension HostileChart {
    /// Shadings whose colours take far too long to compute.
    static let shadings: HostileFamily = {
        var family = HostileFamily("shadings")
        for (length, fate) in [(100, Fate.drawn), (200_000, .timedOut)] {
            let code = "{ " + String(repeating: "2 copy mul sin exch pop ", count: length) + " 0.5 }"
            family.page("a function of two with \(length) steps", fate, "/S sh") { pdf in
                let function = pdf.add(HostileFamily.stream(code, "/FunctionType 4 /Domain [0 1 0 1] /Range [0 1 0 1 0 1]"))
                return shading("/ShadingType 1 /Matrix [600 0 0 800 0 0] /Function \(function) 0 R")
            }
            family.page("a function of one with \(length) steps", "/S sh") { pdf in
                let function = pdf.add(HostileFamily.stream("{ " + String(repeating: "sin ", count: length) + "dup dup }", calculator))
                return shading("/ShadingType 2 /Coords [0 0 600 800] /Function \(function) 0 R")
            }
        }
        for depth in [50, 100_000] {
            let code = String(repeating: "{ true ", count: depth) + "dup" + String(repeating: " } if", count: depth - 1) + " }"
            family.page("a function of \(depth) braces", depth > 50 ? .crashed : .warned, "/S sh") { pdf in
                let function = pdf.add(HostileFamily.stream(code, calculator))
                return shading("/ShadingType 2 /Coords [0 0 600 800] /Function \(function) 0 R")
            }
        }
        for (depth, width) in [(5, 2), (300, 1), (3, 20)] {
            family.page("functions stitched \(depth) deep, \(width) wide", "/S sh") { pdf in
                var inner = pdf.add("<< /FunctionType 2 /Domain [0 1] /N 1 /C0 [0 0 0] /C1 [1 1 1] >>")
                for _ in 0..<depth {
                    let bounds = (1..<max(width, 1)).map { "\(Double($0) / Double(width))" }.joined(separator: " ")
                    let parts = String(repeating: "\(inner) 0 R ", count: width), codes = String(repeating: "0 1 ", count: width)
                    inner = pdf.add("<< /FunctionType 3 /Domain [0 1] /Functions [\(parts)] /Bounds [\(bounds)] /Encode [\(codes)] >>")
                }
                return shading("/ShadingType 2 /Coords [0 0 600 800] /Function \(inner) 0 R")
            }
        }
        family.page("a function stitched of itself", "/S sh") { pdf in
            let function = pdf.add("")
            pdf.replace(function, "<< /FunctionType 3 /Domain [0 1] /Functions [\(function) 0 R] /Bounds [] /Encode [0 1] >>")
            return shading("/ShadingType 2 /Coords [0 0 600 800] /Function \(function) 0 R")
        }
        for sizes in ["[1000000000]", "[0]", "[-1]", "[2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2]"] {
            family.page("a table of colours of \(sizes)", .warned, "/S sh") { pdf in
                let entries = "/FunctionType 0 /Domain [0 1] /Range [0 1 0 1 0 1] /Size \(sizes) /BitsPerSample 8"
                let function = pdf.add(HostileFamily.stream("abc", entries))
                return shading("/ShadingType 2 /Coords [0 0 600 800] /Function \(function) 0 R")
            }
        }
        for (kind, entries, fate) in [
            (4, "/BitsPerCoordinate 0 /BitsPerComponent 0 /BitsPerFlag 0", Fate.warned),
            (4, "/BitsPerCoordinate 33 /BitsPerComponent 8 /BitsPerFlag 8", .drawn),
            (4, "/BitsPerCoordinate 8 /BitsPerComponent 8 /BitsPerFlag 8", .drawn),
            (5, "/BitsPerCoordinate 8 /BitsPerComponent 8 /VerticesPerRow 0", .drawn),
            (5, "/BitsPerCoordinate 8 /BitsPerComponent 8 /VerticesPerRow 1000000000", .warned),
            (6, "/BitsPerCoordinate 1 /BitsPerComponent 1 /BitsPerFlag 2", .drawn),
            (7, "/BitsPerCoordinate 32 /BitsPerComponent 16 /BitsPerFlag 8", .drawn),
        ] {
            family.page("a mesh \(kind) \(entries)", fate, "/S sh") { pdf in
                let decode = "/Decode [0 \(vast) -\(vast) 600 0 1 0 1 0 1]"
                let data = String(repeating: "0123456789abcdef", count: 50)
                let mesh = pdf.add(HostileFamily.stream(data, "/ShadingType \(kind) /ColorSpace /DeviceRGB \(entries) \(decode)"))
                return "/Shading << /S \(mesh) 0 R >>"
            }
        }
        for coordinates in ["[0 0 0 0 0 0]", "[0 0 \(vast) 1 1 \(vast)]", "[0 0 -5 9 9 -5]", "[300 400 1 300 400 1000000000]"] {
            family.page("circles at \(coordinates)", "/S sh") { pdf in
                let function = pdf.add("<< /FunctionType 2 /Domain [0 1] /N \(vast) /C0 [0 0 0] /C1 [1 1 1] >>")
                return shading("/ShadingType 3 /Coords \(coordinates) /Extend [true true] /Function \(function) 0 R")
            }
        }
        return family
    }()

    private static let calculator = "/FunctionType 4 /Domain [0 1] /Range [0 1 0 1 0 1]"

    private static func shading(_ entries: String) -> String { "/Shading << /S << /ColorSpace /DeviceRGB \(entries) >> >>" }
}
