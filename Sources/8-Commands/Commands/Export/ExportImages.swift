import CommandLine
import Configuration
import Exporting
import Host
import Library
import Platform
import Rendering

extension ExportCommand {
    /// Writes a folder whose new pages appear only once all of them are complete. Replaces a booklet that an earlier run wrote
    /// there. In a folder with other files, throws, or with `--force` replaces only `index.html`.
    func writeImages(
        of contents: ExportContents, _ marks: MarksToExport, to folder: String, _ library: Library, _ configuration: Configuration
    ) async throws -> PDFExport.Outcome {
        switch try Booklet.standing(of: folder) {
        case .free, .ours: break
        case .foreign:
            guard invocation.has("force") else {
                throw CommandFailure(
                    .usage,
                    "\(folder) has something in it that this command did not write, so it is left alone; name another folder, or replace "
                        + "only its index.html with --force")
            }
        }
        let booklet = try Booklet(folder, title: contents.title, mayReplace: invocation.has("force"))
        let outcome = try await configuration.options.withRenderer(clock: context.clock) { pool in
            let export = ImageExport(library, renderer: pool, settings: configuration.options.renderSettings, in: .live) {
                try marks.pages(of: $0, on: $1)
            }
            do {
                return try await export.write(contents, to: booklet, progress: progress())
            } catch let failure as ExportFailure {
                throw CommandFailure(.failed, "nothing was exported: \(failure)")
            }
        }
        guard try booklet.publish() else {
            throw CommandFailure(.failed, "something has just appeared in \(folder); choose another folder")
        }
        return outcome
    }
}
