import Glibc
package import Platform

/// A page that redirects the musician's browser to an address with a secret, and is removed once that is used or has expired.
///
/// Every user of the machine can read a program's arguments, and whoever uses the secret first is let in. So the browser is
/// started with this file, which nobody else can read, instead of the address.
package struct HandoverPage: Sendable {
    package let path: String

    private static let (start, ending) = ("woodshed-open-", ".html")
    /// A secret is valid for a minute.
    private static let lasts = 60

    /// Writes one into a folder, under a name of its own, since two may be in use at a time.
    package init(to address: String, in folder: String) throws(SystemError) {
        Self.removeOutdated(in: folder)
        path = folder + "/" + Self.start + String(UInt64.random(in: .min ... .max), radix: 16) + Self.ending
        let content = #"<!doctype html><meta http-equiv="refresh" content="0;url=\#(address)"><title>Woodshed</title>"#
        try AtomicFile.write(content, to: path)
    }

    package func remove() { unlink(path) }

    /// An agent that was killed leaves its pages behind.
    private static func removeOutdated(in folder: String) {
        for name in (try? Folder.names(in: folder)) ?? [] where name.hasPrefix(start) && name.hasSuffix(ending) {
            var status = stat()
            let path = folder + "/" + name
            if lstat(path, &status) == 0, time(nil) - status.st_mtim.tv_sec > lasts { unlink(path) }
        }
    }
}
