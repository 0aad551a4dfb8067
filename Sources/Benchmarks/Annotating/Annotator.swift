import BenchmarkCorpus
import Glibc
import Model
import PageCache
import Platform
import Rendering

/// Makes the annotated image of a page that already has its plain image, as the agent does when marks have changed.
@LoopActor
struct Annotator {
    /// An annotated image that already exists, and the marks that it shows.
    struct Predecessor: Sendable {
        let path: String
        let marks: PageMarks
    }

    let renderer: MeasuredRenderer
    let page: CorpusPage
    /// The path of the page's plain image.
    let plain: String

    /// Makes the image, from having the marks to renaming the file: what it cost, and where the image is.
    func annotate(_ marks: PageMarks, after previous: Predecessor?) async throws -> MeasuredRenderer.Made {
        let name = renderer.name(page.chart, page.index, .annotated, marks: marks)
        let cost = try await renderer.measure {
            let file = try renderer.cache.begin(name.image)
            let output = PageJob.Output(.annotated, key: name.key, descriptor: file.descriptor)
            try await annotate(marks, after: previous, into: output)
            try renderer.cache.publish(file, as: name.image)
        }
        return MeasuredRenderer.Made(cost: cost, paths: [renderer.cache.path(of: name.image)])
    }

    private func annotate(_ marks: PageMarks, after previous: Predecessor?, into output: PageJob.Output) async throws {
        let plain = try Descriptor.open(plain, O_RDONLY)
        let file = try previous.map { OwnedDescriptors([try Descriptor.open($0.path, O_RDONLY).release()]) }
        let former = file.flatMap { file in
            previous.map { ComposeJob.Previous(descriptor: file.numbers[0], key: Self.key($0.path), marks: $0.marks) }
        }
        _ = try await renderer.pool.compose(
            ComposeJob(
                plain: plain.number, plainKey: Self.key(self.plain), previous: former, marks: marks, output: output))
        withExtendedLifetime(file) {}
    }

    /// The beginning of the key at the end of an image's name.
    private static func key(_ path: String) -> String { String(path.dropLast(".png".count).suffix(32)) }
}
