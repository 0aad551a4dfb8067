import Glibc
import Platform

/// Reads the QR codes in pictures as a camera would, with a program that is independent of our encoder.
public enum CodeReader {
    private static let program = "/usr/bin/zbarimg"
    public static let isInstalled = access(program, X_OK) == 0
    public static let isMissing = "zbarimg is not installed: apt-get install zbar-tools"

    /// The texts of all codes in a picture.
    @LoopActor public static func read(_ picture: [UInt8]) async throws -> [String] {
        let folder = TemporaryFolder()
        let path = folder.path("picture")
        try picture.withUnsafeBytes { try AtomicFile.write($0, to: path) }
        let result = try await Program.run(program, ["--quiet", "--raw", "-Sdisable", "-Sqrcode.enable", path])
        return result.output.split(separator: "\n").map(String.init)
    }

    /// The texts of all codes in a picture given as shades from 0 to 255, row by row.
    @LoopActor public static func read(shades: [UInt8], width: Int) async throws -> [String] {
        try await read(Array("P5 \(width) \(shades.count / width) 255\n".utf8) + shades)
    }
}
