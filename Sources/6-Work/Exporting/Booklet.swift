import ChartFiles
import Glibc
import JSON
import Model
package import Platform

/// A booklet being written: a folder of page images, with a page of HTML that any browser opens from the disk.
///
/// The images have a subfolder of their own with a record of what was written. The former images can therefore be shown until
/// `index.html` names the new ones, and are removed only if nobody has changed them.
@LoopActor
package final class Booklet {
    /// What already exists under the booklet's name.
    package enum Standing: Hashable, Sendable {
        case free
        /// Only a booklet that Woodshed wrote.
        case ours
        case foreign
    }

    /// A finished image of a page.
    package struct Image: Hashable, Sendable {
        let name: String
        let width: Int
        let height: Int
    }

    /// An image that is still being drawn.
    package struct NewImage: ~Copyable {
        package let name: String
        let descriptor: Descriptor
        package var file: Int32 { descriptor.number }
    }

    /// A folder's record of its images: the checksums of its files, and of the page that shows them.
    private struct Record: Codable {
        var index: String
        var files: [String: String]
    }

    private let target: String
    private let mayReplace: Bool
    /// The folder to write in: the target itself if it exists, otherwise a temporary folder beside it.
    private let base: String
    private let work: String
    private var sums: [String: String] = [:]
    private var page: BookletPage
    /// The folder of images once it has its final name.
    private var images: String?
    private var isPublished = false
    private static var count = 0

    private nonisolated static let index = "index.html"
    private nonisolated static let recordName = "woodshed.json"

    /// Begins a booklet that will become the folder `target`. `mayReplace` allows somebody else's `index.html` there to be replaced.
    package init(_ target: String, title: String, mayReplace: Bool) throws(SystemError) {
        (self.target, self.mayReplace) = (target, mayReplace)
        page = BookletPage(title: title)
        var status = stat()
        base = stat(target, &status) == 0 ? target : try Self.temporaryFolder(in: Folder.parent(of: target))
        work = try Self.temporaryFolder(in: base)
    }

    isolated deinit {
        if isPublished { return }
        let folder = images ?? work
        for name in sums.keys { unlink(folder + "/" + name) }
        unlink(folder + "/" + Self.recordName)
        rmdir(folder)
        guard base != target else { return }
        unlink(base + "/" + Self.index)
        rmdir(base)
    }

    private static func temporaryFolder(in folder: String) throws(SystemError) -> String {
        removeAbandoned(in: folder)
        while true {
            count += 1
            let path = "\(folder)/\(AtomicFile.temporaryPrefix)\(getpid())-booklet-\(count)"
            if mkdir(path, 0o777) == 0 { return path }
            // A killed process with the same number may have left a folder of this name.
            guard errno == EEXIST else { throw SystemError("create a folder in", path: folder) }
        }
    }

    /// Removes the remains of killed processes, but nothing that somebody else put there.
    private static func removeAbandoned(in folder: String) {
        try? Folder.visit(folder) { removeAbandoned($0, mayHoldAnother: true) }
    }

    /// Removes a killed process's folder and the files in it. Anybody can make a link with such a name, so links are not
    /// followed. A booklet that was to be a new folder contains one folder of images, and nothing deeper.
    private static func removeAbandoned(_ entry: borrowing Folder.Entry, mayHoldAnother: Bool) {
        guard wasLeft(entry.text), let left = entry.openOwnFolder() else { return }
        try? Folder.visit(opened: left.number, path: entry.text) { inner in
            if isOurName(inner.text), inner.isOwnFile {
                unlinkat(inner.folder, inner.name, 0)
            } else if mayHoldAnother {
                removeAbandoned(inner, mayHoldAnother: false)
            }
        }
        unlinkat(entry.folder, entry.name, AT_REMOVEDIR)
    }

    /// Whether the folder's name contains the number of a process that no longer runs.
    private static func wasLeft(_ name: String) -> Bool {
        guard let number = name.wholeMatch(of: /\.tmp-([0-9]+)-booklet-[0-9]+/).flatMap({ Int32($0.1) }), number > 0 else { return false }
        return kill(number, 0) != 0 && errno == ESRCH
    }

    private static func isOurName(_ name: String) -> Bool {
        name == index || name == recordName || name.wholeMatch(of: /[0-9]{3,}\.png|\.tmp-[0-9]+-[0-9]+/) != nil
    }

    // MARK: - Pages

    /// Begins a section for an item of the plan.
    func begin(_ heading: String) { page.begin(heading) }

    /// Adds a chart to the current item.
    func add(_ images: [Image], of chart: String) { page.add(images, of: chart) }

    func newImage() throws(SystemError) -> NewImage {
        let name = Self.imageName(sums.count + 1)
        sums[name] = ""
        return NewImage(name: name, descriptor: try Descriptor.open(work + "/" + name, O_RDWR | O_CREAT | O_EXCL, mode: 0o666))
    }

    private static func imageName(_ number: Int) -> String {
        let number = String(number)
        return String(repeating: "0", count: max(3 - number.count, 0)) + number + ".png"
    }

    /// The number of images so far.
    var imageCount: Int { sums.count }

    /// Removes all images but the first `count`, because their chart is left out.
    func removeImages(after count: Int) {
        while sums.count > count {
            let name = Self.imageName(sums.count)
            unlink(work + "/" + name)
            sums[name] = nil
        }
    }

    func finish(_ image: borrowing NewImage) throws(SystemError) -> Image {
        try image.descriptor.sync(work + "/" + image.name)
        sums[image.name] = try ChartFile.digest(image.descriptor, work + "/" + image.name).hex
        // Bytes 16 to 23 of a PNG file are its width and height, four bytes each.
        var header = [UInt8](repeating: 0, count: 24)
        guard pread(image.file, &header, header.count, 0) == header.count else { throw SystemError("read", path: work + "/" + image.name) }
        func number(at offset: Int) -> Int { header[offset..<(offset + 4)].reduce(0) { $0 << 8 | Int($1) } }
        return Image(name: image.name, width: number(at: 16), height: number(at: 20))
    }

    // MARK: - Publishing

    /// Moves the booklet to its final name, and then removes Woodshed's former images there. Returns false if somebody has meanwhile taken
    /// the name or changed `index.html`.
    package func publish() throws(SystemError) -> Bool {
        let content = sums.sorted { $0.key < $1.key }.map(\.value).joined() + page.html(imagesIn: "")
        let name = freeName(SHA256.digest(of: content).shortHex)
        let html = page.html(imagesIn: name + "/")
        try AtomicFile.write(record(of: html), to: work + "/" + Self.recordName, mode: 0o666)
        guard rename(work, base + "/" + name) == 0 else { throw SystemError("publish", path: base + "/" + name) }
        images = base + "/" + name
        let index = try TemporaryFile.create(inFolderOf: base + "/" + Self.index, mode: 0o666)
        let written = Array(html.utf8).withUnsafeBytes { bytes in Result { () throws(SystemError) in try index.write(bytes) } }
        try written.get()
        let ours = Self.indexSums(in: base)
        let isNamed = try index.publish(as: base + "/" + Self.index) { [mayReplace] path in
            guard !mayReplace, access(path, F_OK) == 0 else { return true }
            return (try? ChartFile.digest(ofFileAt: path)).map { ours.contains($0.hex) } ?? false
        } renamed: {
            // From now on the HTML page shows the new images.
            isPublished = base == target
        }
        if isNamed, base != target { isPublished = try SafeRename.move(base, toFree: target) }
        guard isPublished, base == target else { return isPublished }
        for folder in Self.folders(in: base) where folder != name { Self.remove(base + "/" + folder) }
        return true
    }

    private func freeName(_ hex: String) -> String {
        var number = 1
        while true {
            let name = "pages-\(hex)" + (number > 1 ? "-\(number)" : "")
            if access(base + "/" + name, F_OK) != 0 { return name }
            number += 1
        }
    }

    private func record(of html: String) -> String {
        let files = sums.sorted { $0.key < $1.key }.map { (name: $0.key, value: JSONText.text($0.value)) }
        return JSONText.object([("index", .text(SHA256.digest(of: html).hex)), ("files", .object(files))]).line + "\n"
    }

    // MARK: - Recognising a booklet

    package nonisolated static func standing(of target: String) throws(SystemError) -> Standing {
        let names = try Folder.namesIfThere(in: target).filter { !$0.hasPrefix(AtomicFile.temporaryPrefix) }
        if names.isEmpty {
            var status = stat()
            return stat(target, &status) == 0 && status.st_mode & S_IFMT != S_IFDIR ? .foreign : .free
        }
        let folders = folders(in: target)
        guard Set(names) == Set(folders + [index]), !folders.isEmpty else { return .foreign }
        let sum = try ChartFile.digest(ofFileAt: target + "/" + index).hex
        return indexSums(in: target).contains(sum) ? .ours : .foreign
    }

    /// The folders of images in `base` that are unchanged since Woodshed wrote them. Links are ignored: they lead to somebody else's files.
    private nonisolated static func folders(in base: String) -> [String] {
        ((try? Folder.names(in: base)) ?? []).filter { name in
            var status = stat()
            return name.hasPrefix("pages-") && lstat(base + "/" + name, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
                && record(of: base + "/" + name) != nil
        }
    }

    /// The checksums of the HTML pages that Woodshed wrote for the folders of images in `base`.
    private nonisolated static func indexSums(in base: String) -> Set<String> {
        Set(folders(in: base).compactMap { record(of: base + "/" + $0)?.index })
    }

    private nonisolated static func record(of folder: String) -> Record? {
        guard let bytes = try? AtomicFile.read(folder + "/" + recordName, limit: 4 << 20),
            let record = try? JSONReader.decode(Record.self, from: bytes),
            let names = try? Folder.names(in: folder), Set(names) == Set(record.files.keys).union([recordName]),
            record.files.allSatisfy({ name, sum in (try? ChartFile.digest(ofFileAt: folder + "/" + name))?.hex == sum })
        else { return nil }
        return record
    }

    private nonisolated static func remove(_ folder: String) {
        guard let record = record(of: folder) else { return }
        for name in record.files.keys { unlink(folder + "/" + name) }
        unlink(folder + "/" + recordName)
        rmdir(folder)
    }
}
