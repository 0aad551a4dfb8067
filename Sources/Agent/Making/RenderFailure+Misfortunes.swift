import Rendering

extension RenderFailure {
    /// How often a chart or page may take the renderer down before it is left alone, in this run and later ones. Once may be
    /// the machine's doing: short of memory, or killed with everything else.
    static let mostMisfortunes = 2
}
